import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { auditOf, test } from '../../../../test/harness'
import { isUsualStep } from './prescription'
import { currentMedicines } from '~/features/medicines/taken/current.server'
import { getPrescription, savePrescription } from './prescriptions.server'
import { setPrescriptionStatus } from './status.server'

describe('the status', () => {
  test('code and database agree on which of the 49 steps are usual', async ({ db }) => {
    const pairs = PRESCRIPTION_STATUSES.flatMap((was) =>
      PRESCRIPTION_STATUSES.map((becomes) => ({ was, becomes })),
    )
    const { rows } = await sql<{ was: never; becomes: never; usual: boolean }>`
      select was, becomes, is_usual_step(was, becomes) as usual
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pairs(was text, becomes text)`.execute(
      db,
    )
    expect(rows.filter(({ was, becomes, usual }) => isUsualStep(was, becomes) !== usual)).toEqual(
      [],
    )
    expect(rows.filter(({ usual }) => usual)).toHaveLength(7 + 12 + 6 + 4)
  })

  test('an unusual step is applied and marked; a usual one takes the mark away', async ({
    as,
    make,
  }) => {
    const { id } = await make.prescription()
    const me = as('admin')
    const reason = 'Dispensed at the hospital'
    expect(await setPrescriptionStatus(me, { id, status: 'picked-up', reason })).toMatchObject({
      unusual_from: 'pending',
    })
    expect((await getPrescription(me, { id })).filled_at).not.toBeNull()
    expect(await setPrescriptionStatus(me, { id, status: 'other' })).toMatchObject({
      unusual_from: null,
    })
    expect((await getPrescription(me, { id })).filled_at).toBeNull()
  })

  test('picked up with nothing dispensed needs a reason, by every way in; it is kept until the next step', async ({
    asUser,
    make,
    db,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const prescription = await make.prescription({ status: 'prepared' })
    const { id } = prescription
    const item = await make.prescriptionItem(prescription, {})
    const required = {
      code: 'invalid',
      fields: { reason: { key: 'prescriptions.pickedUpNeedsReason' } },
    }
    await expect(setPrescriptionStatus(me, { id, status: 'picked-up' })).rejects.toMatchObject(
      required,
    )
    await expect(
      setPrescriptionStatus(me, { id, status: 'picked-up', reason: 'no' }),
    ).rejects.toMatchObject({
      fields: { reason: { key: 'dispensing.reasonRequired' } },
    })
    const { last_modified } = await getPrescription(me, { id })
    const form = {
      id,
      last_modified,
      patient_id: prescription.patient_id,
      provider_id: me.actor.userId,
      pickup_clinic_id: prescription.pickup_clinic_id!,
      notes: '',
      status: 'picked-up' as const,
      items: [{ id: item.id, drug_id: item.drug_id, dosage_instructions: 'Twice a day' }],
    }
    await expect(savePrescription(me, form)).rejects.toMatchObject(required)
    await expect(
      savePrescription(me, {
        ...form,
        id: uuidv7(),
        last_modified: null,
        items: [{ ...form.items[0]!, id: uuidv7() }],
      }),
    ).rejects.toMatchObject(required)

    const taken = async () =>
      (await currentMedicines(me, { patientId: prescription.patient_id })).rows
    expect(await taken()).toMatchObject([{ id: item.id, isDispensed: false }])
    await savePrescription(me, { ...form, reason: ' Dispensed at the hospital ' })
    // dispensed elsewhere: it counts as taken, for as long as is assumed
    expect(await taken()).toMatchObject([{ id: item.id, isDispensed: true, isAssumed: true }])
    expect(await getPrescription(me, { id })).toMatchObject({
      status: 'picked-up',
      status_reason: 'Dispensed at the hospital',
      is_dispensed: false,
    })
    // a phone knows nothing of reasons
    await db.updateTable('prescriptions').set({ status: 'other' }).where('id', '=', id).execute()
    expect((await getPrescription(me, { id })).status_reason).toBeNull()
  })

  test('a part that was dispensed may be picked up without a reason, and its refills stay active', async ({
    as,
    make,
    db,
  }) => {
    const prescription = await make.prescription({ status: 'prepared' })
    const item = await make.prescriptionItem(prescription, { quantity_prescribed: 10 })
    await db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id: prescription.pickup_clinic_id!,
        drug_id: item.drug_id,
        prescription_item_id: item.id,
        patient_id: prescription.patient_id,
        quantity_dispensed: 4,
      })
      .execute()
    const { id } = prescription
    expect(await setPrescriptionStatus(as('admin'), { id, status: 'picked-up' })).toMatchObject({
      unusual_from: null,
    })
    const { patient_id: patientId } = prescription
    expect((await currentMedicines(as('admin'), { patientId })).rows).toMatchObject([
      { id: item.id, isOpen: true, isDispensed: true },
    ])
  })

  test('a new prescription that does not begin pending is marked', async ({ asUser, make }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { patient_id, clinic_id } = await make.visit()
    await make.noAllergies(patient_id)
    const id = uuidv7()
    await savePrescription(me, {
      id,
      patient_id,
      provider_id: me.actor.userId,
      pickup_clinic_id: clinic_id,
      notes: '',
      status: 'picked-up',
      reason: 'Written after the fact',
      items: [
        { id: uuidv7(), drug_id: (await make.drug()).id, dosage_instructions: 'Twice a day' },
      ],
      overrides: [],
    })
    expect(await getPrescription(me, { id })).toMatchObject({
      unusual_from: 'pending',
      status_reason: 'Written after the fact',
    })
  })

  test('the pharmacy’s states need the right to dispense at the pickup clinic', async ({
    as,
    make,
    asUser,
  }) => {
    const visit = await make.visit()
    await make.noAllergies(visit.patient_id)
    const { clinic_id } = visit
    const doctor = await make.user()
    const me = asUser(doctor, { [clinic_id]: ['can_view_history', 'can_prescribe_medications'] })
    const prescription = {
      id: uuidv7(),
      patient_id: visit.patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      notes: '',
      items: [
        {
          id: uuidv7(),
          drug_id: (await make.drug({ ingredients: ['metformin'] })).id,
          dosage_instructions: 'Twice',
        },
      ],
    }
    await savePrescription(me, prescription)
    const { id } = prescription
    await expect(setPrescriptionStatus(me, { id, status: 'prepared' })).rejects.toMatchObject({
      fields: { status: { key: 'prescriptions.statusNeedsDispensing' } },
    })
    await expect(
      savePrescription(me, {
        ...prescription,
        id: uuidv7(),
        items: [{ ...prescription.items[0]!, id: uuidv7() }],
        status: 'picked-up',
        overrides: [],
      }),
    ).rejects.toMatchObject({ fields: { status: { key: 'prescriptions.statusNeedsDispensing' } } })
    expect(await setPrescriptionStatus(me, { id, status: 'cancelled' })).toMatchObject({
      status: 'cancelled',
    })
    const dispenser = as('provider', { [clinic_id]: ['can_dispense_medications'] })
    expect(await setPrescriptionStatus(dispenser, { id, status: 'prepared' })).toMatchObject({
      unusual_from: 'cancelled',
    })
    const reader = as('provider', { [clinic_id]: ['can_view_history'] })
    await expect(setPrescriptionStatus(reader, { id, status: 'other' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('preparing puts stock aside and says what is missing; cancelling gives it back, by whatever way', async ({
    as,
    make,
    db,
  }) => {
    const prescription = await make.prescription()
    const clinicId = prescription.pickup_clinic_id!
    const plenty = await make.stock(clinicId, 50)
    const scarce = await make.stock(clinicId, 4)
    await make.prescriptionItem(prescription, { drug_id: plenty.drug_id })
    const short = await make.prescriptionItem(prescription, { drug_id: scarce.drug_id })
    const held = async () =>
      (
        await db
          .selectFrom('clinic_inventory')
          .select('reserved_quantity')
          .where('clinic_id', '=', clinicId)
          .orderBy('quantity_available')
          .execute()
      ).map((row) => row.reserved_quantity)
    expect(
      await setPrescriptionStatus(as('admin'), { id: prescription.id, status: 'prepared' }),
    ).toMatchObject({
      missing: [{ itemId: short.id, quantity: 6 }],
    })
    expect(await held()).toEqual([4, 10])
    // as a phone's push does it
    await db
      .updateTable('prescriptions')
      .set({ status: 'cancelled' })
      .where('id', '=', prescription.id)
      .execute()
    expect(await held()).toEqual([0, 0])
  })
})

test('who changed a status, and from what, is in the audit trail', async ({ as, make, db }) => {
  const { id } = await make.prescription()
  await setPrescriptionStatus(as('admin'), { id, status: 'cancelled' })
  expect((await auditOf(db, id)).at(-1)).toMatchObject({
    action: 'prescriptions.setStatus',
    changes: { status: ['pending', 'cancelled'] },
  })
})

test('dispensing to many prescriptions at once reads each record a few times', async ({
  db,
  make,
}) => {
  const [written, many] = [1_000, 300]
  const { patient_id, pickup_clinic_id: clinicId } = await make.prescription()
  const { id: drugId } = await make.drug()
  await sql`
    insert into prescriptions (id, patient_id, pickup_clinic_id)
    select md5('p' || n)::uuid, ${patient_id}, ${clinicId} from generate_series(1, ${written}::int) n`.execute(
    db,
  )
  await sql`
    insert into prescription_items (id, prescription_id, patient_id, clinic_id, drug_id, quantity_prescribed)
    select md5('i' || n)::uuid, md5('p' || n)::uuid, ${patient_id}, ${clinicId}, ${drugId}, 10
    from generate_series(1, ${written}::int) n`.execute(db)
  await sql`
    insert into dispensing_records
      (id, prescription_item_id, patient_id, clinic_id, drug_id, quantity_dispensed, dispensed_at)
    select md5(concat('r', n, day))::uuid, md5('i' || n)::uuid, ${patient_id}, ${clinicId}, ${drugId}, 5,
      make_timestamptz(2026, 11, day, 9, 0, 0, 'UTC')
    from generate_series(1, ${many}::int) n, generate_series(1, 2) day`.execute(db)
  const { rows: read } = await sql<{ rows: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
    where relname = 'dispensing_records'`.execute(db)
  expect(read[0]!.rows).toBeLessThan(20 * many)
  const { rows } = await sql`
    select status, filled_at, count(*) from prescriptions where id = any(
      array(select md5('p' || n)::uuid from generate_series(1, ${many}::int) n))
    group by status, filled_at`.execute(db)
  expect(rows).toEqual([
    { status: 'picked-up', filled_at: new Date('2026-11-02T09:00:00Z'), count: many },
  ])
})
