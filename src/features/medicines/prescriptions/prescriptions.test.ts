// Longer than others: writing, checking and changing a prescription share one scene.
import { v7 as uuidv7 } from 'uuid'
import { sql } from 'kysely'
import { describe, expect, onTestFinished } from 'vitest'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { tellTimeZone } from '~/shared/zone'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { listOverrides, reviewOverride } from '~/features/medicines/safety/overrides.server'
import { listDispensingQueue } from '~/features/medicines/dispensing/queue.server'
import { listPrescriptionDetails, listPrescriptions } from './listing.server'
import { prescriptionNumber } from './number'
import { deletePrescription, getPrescription, savePrescription } from './prescriptions.server'
import { checkDrugs } from './check/safety-check.server'

const prescribing: Permission[] = ['can_view_history', 'can_prescribe_medications']

type Scene = {
  make: ReturnType<typeof makeFactories>
  asUser: (
    user: { id: string; name: string; role: string; clinic_id: string | null },
    grants: Record<string, readonly Permission[]>,
  ) => Context
}
/**
 * A prescriber of a clinic, a patient, and an unsaved prescription of one medicine.
 */
async function scene({ make, asUser }: Scene) {
  const { patient_id, clinic_id, id: visit_id } = await make.visit()
  await make.noAllergies(patient_id)
  const doctor = await make.user()
  const me = asUser(doctor, { [clinic_id]: prescribing })
  const drug = await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })
  const item = { id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }
  const prescription = {
    id: uuidv7(),
    patient_id,
    provider_id: doctor.id,
    pickup_clinic_id: clinic_id,
    visit_id,
    notes: '',
    items: [item],
  }
  return { me, doctor, patient_id, clinic_id, drug, item, prescription }
}

describe('writing a prescription', () => {
  test('a controlled medicine has no refills; those that a phone wrote may stay', async ({
    make,
    asUser,
    db,
  }) => {
    const { me, prescription, item, drug } = await scene({ make, asUser })
    await db
      .updateTable('drug_catalogue')
      .set({ is_controlled: true })
      .where('id', '=', drug.id)
      .execute()
    const refilled = { ...prescription, items: [{ ...item, refills_authorized: 2 }] }
    await expect(savePrescription(me, refilled)).rejects.toMatchObject({
      fields: { 'items.0.refills_authorized': { key: 'prescriptions.controlledNoRefills' } },
    })
    await savePrescription(me, prescription)
    await db
      .updateTable('prescription_items')
      .set({ refills_authorized: 2 })
      .where('id', '=', item.id)
      .execute()
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    expect(await savePrescription(me, { ...refilled, last_modified })).toMatchObject({ ok: true })
  })

  test('what a program leaves empty is unset, whether it says "" or null', async ({
    make,
    asUser,
  }) => {
    const { me, prescription } = await scene({ make, asUser })
    const unset = { expiration_date: '', visit_id: ' ', prescribed_at: null }
    await savePrescription(me, { ...prescription, ...unset })
    expect(await getPrescription(me, { id: prescription.id })).toMatchObject({
      expiration_date: null,
      visit_id: null,
      prescribed_at: expect.any(Date),
    })
  })

  test('it begins pending, normal and now, its items with the specified defaults', async ({
    make,
    asUser,
  }) => {
    const { me, prescription, doctor } = await scene({ make, asUser })
    const saved = await savePrescription(me, prescription)
    expect(saved).toMatchObject({ ok: true, id: prescription.id })
    const there = await getPrescription(me, { id: prescription.id })
    expect(there).toMatchObject({
      priority: 'normal',
      status: 'pending',
      provider: doctor.name,
      expiration_date: null,
      visit_id: prescription.visit_id,
      items: [
        {
          generic_name: 'Metformin',
          quantity_prescribed: 1,
          quantity_dispensed: 0,
          refills_authorized: 0,
          refills_used: 0,
          item_status: 'active',
          notes: null,
        },
      ],
    })
    expect(Math.abs(Date.now() - there.prescribed_at.getTime())).toBeLessThan(60_000)
    // a repeated request changes nothing more
    expect(await savePrescription(me, prescription)).toMatchObject({
      ok: true,
      last_modified: there.last_modified,
    })
  })

  test('items are added, changed and taken off; their order is kept', async ({ make, asUser }) => {
    const { me, prescription, item } = await scene({ make, asUser })
    await savePrescription(me, prescription)
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    const other = await make.drug({ generic_name: 'Enalapril', ingredients: ['enalapril'] })
    const added = {
      id: uuidv7(),
      drug_id: other.id,
      dosage_instructions: 'At night',
      quantity_prescribed: 30,
      refills_authorized: 2,
    }
    await savePrescription(me, {
      ...prescription,
      last_modified,
      expiration_date: '2030-01-31',
      items: [added, { ...item, dosage_instructions: 'Three times a day' }],
    })
    const both = await getPrescription(me, { id: prescription.id })
    expect(both.expiration_date).toBe('2030-01-31')
    expect(both.items).toMatchObject([
      { id: added.id, quantity_prescribed: 30, refills_authorized: 2 },
      { id: item.id, dosage_instructions: 'Three times a day' },
    ])
    await savePrescription(me, {
      ...prescription,
      last_modified: both.last_modified,
      items: [added],
    })
    expect((await getPrescription(me, { id: prescription.id })).items).toMatchObject([
      { id: added.id },
    ])
    await expect(savePrescription(me, { ...prescription, last_modified })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('a change of the items alone is a new version: who read the former one does not undo it', async ({
    make,
    asUser,
  }) => {
    const { me, prescription, item } = await scene({ make, asUser })
    await savePrescription(me, prescription)
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    const changed = { ...item, dosage_instructions: 'Three times a day' }
    await savePrescription(me, { ...prescription, last_modified, items: [changed] })
    await expect(savePrescription(me, { ...prescription, last_modified })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect((await getPrescription(me, { id: prescription.id })).items).toMatchObject([
      { dosage_instructions: 'Three times a day' },
    ])
  })

  test('every problem with the input is reported beside its field, in the specified words', async ({
    make,
    asUser,
  }) => {
    const { me, prescription } = await scene({ make, asUser })
    const item = {
      id: uuidv7(),
      drug_id: '',
      dosage_instructions: ' ',
      quantity_prescribed: 0,
      refills_authorized: -1,
    }
    await expect(
      savePrescription(me, {
        ...prescription,
        patient_id: '',
        provider_id: '',
        pickup_clinic_id: '',
        items: [item],
      }),
    ).rejects.toMatchObject({
      fields: {
        patient_id: { key: 'prescriptions.patientRequired' },
        provider_id: { key: 'prescriptions.providerRequired' },
        pickup_clinic_id: { key: 'prescriptions.pickupClinicRequired' },
        'items.0.drug_id': { key: 'prescriptions.selectMedication' },
        'items.0.dosage_instructions': { key: 'prescriptions.dosageRequired' },
        'items.0.quantity_prescribed': { key: 'prescriptions.quantityAtLeast1' },
        'items.0.refills_authorized': { key: 'validation.tooSmall' },
      },
    })
    await expect(savePrescription(me, { ...prescription, items: [] })).rejects.toMatchObject({
      fields: { items: { key: 'prescriptions.noItems' } },
    })
    const foreign = await make.visit()
    await expect(
      savePrescription(me, { ...prescription, visit_id: foreign.id }),
    ).rejects.toMatchObject({
      fields: { visit_id: { key: 'visits.notFound' } },
    })
    const inactive = await make.drug({ is_active: false })
    await expect(
      savePrescription(me, {
        ...prescription,
        items: [{ ...prescription.items[0]!, drug_id: inactive.id }],
      }),
    ).rejects.toMatchObject({
      fields: { 'items.0.drug_id': { key: 'prescriptions.drugNotFound' } },
    })
  })

  test('names a prescriber who may prescribe at the pickup clinic; who prescribed an earlier one stays', async ({
    make,
    asUser,
    db,
  }) => {
    const { me, prescription, clinic_id } = await scene({ make, asUser })
    const [registrar, colleague] = [
      await make.user({ role: 'registrar', clinic_id }),
      await make.user(),
    ]
    await make.permission(registrar, clinic_id)
    const grant = await make.permission(colleague, clinic_id, ['can_prescribe_medications'])
    const boss = await make.user({ role: 'admin' })
    const save = (provider_id: string, more: object = {}) =>
      savePrescription(me, {
        ...prescription,
        id: uuidv7(),
        items: [{ ...prescription.items[0]!, id: uuidv7() }],
        overrides: [],
        ...more,
        provider_id,
      })
    const refused = { fields: { provider_id: { key: 'prescriptions.providerMayNot' } } }
    await expect(save(registrar.id)).rejects.toMatchObject(refused)
    const elsewhere = await make.clinic()
    await expect(save(colleague.id, { pickup_clinic_id: elsewhere.id })).rejects.toMatchObject(
      refused,
    )
    // writers who name themselves, too
    await expect(
      save(prescription.provider_id, { pickup_clinic_id: elsewhere.id }),
    ).rejects.toMatchObject(refused)
    const another = async () => {
      const { patient_id } = await make.visit({ clinic_id })
      await make.noAllergies(patient_id)
      return { patient_id, visit_id: null }
    }
    expect(await save(boss.id, await another())).toMatchObject({ ok: true })

    const own = { ...prescription, provider_id: colleague.id, ...(await another()) }
    await savePrescription(me, own)
    await db
      .updateTable('user_clinic_permissions')
      .set({ can_prescribe_medications: false })
      .where('id', '=', grant.id)
      .execute()
    const { last_modified } = await getPrescription(me, { id: own.id })
    expect(await savePrescription(me, { ...own, last_modified, notes: 'With food' })).toMatchObject(
      { ok: true },
    )
    const now = await getPrescription(me, { id: own.id })
    await expect(
      savePrescription(me, {
        ...own,
        last_modified: now.last_modified,
        pickup_clinic_id: elsewhere.id,
      }),
    ).rejects.toMatchObject(refused)
  })

  test('needs the right to prescribe where the patient is cared for; a stranger’s patient does not exist', async ({
    as,
    make,
    asUser,
  }) => {
    const { prescription, clinic_id } = await scene({ make, asUser })
    const elsewhere = await make.clinic()
    const cases = [
      [as('registrar', { [clinic_id]: ['can_register_patients'] }), 'forbidden'],
      [as('provider', { [clinic_id]: ['can_view_history'] }), 'forbidden'],
      [as('provider', { [elsewhere.id]: prescribing }), 'not_found'],
      [
        as('provider', { [clinic_id]: ['can_view_history'], [elsewhere.id]: prescribing }),
        'forbidden',
      ],
    ] as const
    for (const [me, code] of cases) {
      await expect(savePrescription(me, prescription)).rejects.toMatchObject({ code })
    }
  })

  test('cannot take over an item of another prescription, nor remove one that was handed out', async ({
    make,
    asUser,
    db,
  }) => {
    const { me, prescription, item, clinic_id, drug, patient_id } = await scene({ make, asUser })
    const foreign = await make.prescriptionItem(await make.prescription())
    await expect(
      savePrescription(me, { ...prescription, items: [{ ...item, id: foreign.id }] }),
    ).rejects.toMatchObject({ code: 'conflict' })

    await savePrescription(me, prescription)
    await db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id,
        drug_id: drug.id,
        prescription_item_id: item.id,
        patient_id,
        quantity_dispensed: 1,
      })
      .execute()
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    const other = { id: uuidv7(), drug_id: (await make.drug()).id, dosage_instructions: 'Once' }
    await expect(
      savePrescription(me, { ...prescription, last_modified, items: [other] }),
    ).rejects.toMatchObject({
      text: { key: 'prescriptions.itemDispensed' },
    })
  })
})

describe('the safety check while prescribing', () => {
  test('an allergy comes back as a warning; with a reason it is saved, kept and reviewed', async ({
    make,
    asUser,
    as,
  }) => {
    const { me, prescription, patient_id, clinic_id, item } = await scene({ make, asUser })
    await make.allergy({
      patient_id,
      substance: 'Penicillins',
      substance_kind: 'drug_class',
      substance_code: 'penicillins',
    })
    const amoxicillin = await make.drug({
      generic_name: 'Amoxicillin',
      ingredients: ['amoxicillin'],
    })
    const dangerous = { ...prescription, items: [{ ...item, drug_id: amoxicillin.id }] }

    const { warnings } = await checkDrugs(me, { patientId: patient_id, drugIds: [amoxicillin.id] })
    expect(warnings).toMatchObject([{ kind: 'allergy', match: 'class', substance: 'Penicillins' }])
    expect(await savePrescription(me, dangerous)).toEqual({
      ok: false,
      warnings,
      asksSecond: false,
    })
    await expect(getPrescription(me, { id: prescription.id })).rejects.toMatchObject({
      code: 'not_found',
    })

    const key = warnings[0]!.key
    await expect(
      savePrescription(me, { ...dangerous, overrides: [{ key, reason: ' ' }] }),
    ).rejects.toMatchObject({
      fields: { 'overrides.0.reason': { key: 'safety.reasonShort' } },
    })
    const coded = (code: string, reason: string) =>
      ({ ...dangerous, overrides: [{ key, code, reason }] }) as never
    await expect(savePrescription(me, coded('tolerated', 'ok then'))).rejects.toMatchObject({
      fields: { 'overrides.0.reason': { key: 'safety.reasonShort' } },
    })
    await expect(
      savePrescription(me, coded('because', 'A reason that is long')),
    ).rejects.toMatchObject({
      fields: { 'overrides.0.code': { key: 'validation.option' } },
    })
    const overridden = coded('tolerated', 'Tolerated it twice since')
    expect(await savePrescription(me, overridden)).toMatchObject({ ok: true })
    expect((await getPrescription(me, { id: prescription.id })).overrides).toMatchObject([
      {
        key,
        reason: 'Tolerated it twice since',
        reason_code: 'tolerated',
        stage: 'prescribing',
        isOwn: true,
      },
    ])
    // neither a repeat nor a later change asks, or writes it down, again
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    expect(
      await savePrescription(me, { ...dangerous, last_modified, notes: 'With food' }),
    ).toMatchObject({ ok: true })
    expect((await getPrescription(me, { id: prescription.id })).overrides).toHaveLength(1)

    const reviewer = as('provider', { [clinic_id]: ['is_clinic_admin'] })
    const { rows } = await listOverrides(reviewer, {})
    expect(rows).toMatchObject([
      { reason: 'Tolerated it twice since', patient: null, reviewed_at: null },
    ])
    const stranger = as('provider', { [(await make.clinic()).id]: ['is_clinic_admin'] })
    expect((await listOverrides(stranger, {})).rows).toEqual([])
    await expect(reviewOverride(stranger, { id: rows[0]!.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    // a prescriber closes emergencies, and sees no other
    expect((await listOverrides(me, {})).rows).toEqual([])
    // a review of the own override is said to be one
    const head = { ...me, actor: { ...reviewer.actor, userId: me.actor.userId } }
    expect((await listOverrides(head, {})).rows).toMatchObject([
      { is_own: true, is_own_review: false },
    ])
    await reviewOverride(head, { id: rows[0]!.id })
    expect((await listOverrides(reviewer, { state: 'reviewed' })).rows).toMatchObject([
      { is_own: false, is_own_review: true },
    ])
  })

  test('looks at what the patient takes by other prescriptions, wherever they were written', async ({
    make,
    asUser,
    db,
  }) => {
    const { me, patient_id } = await scene({ make, asUser })
    const [statin, macrolide] = [
      await make.drug({ generic_name: 'Simvastatin', ingredients: ['simvastatin'] }),
      await make.drug({ generic_name: 'Clarithromycin', ingredients: ['clarithromycin'] }),
    ]
    const elsewhere = await make.prescription({ patient_id })
    const taken = await make.prescriptionItem(elsewhere, { drug_id: statin.id })
    const kinds = async (drugId: string) =>
      (await checkDrugs(me, { patientId: patient_id, drugIds: [drugId] })).warnings.map(
        ({ kind }) => kind,
      )
    expect(await kinds(macrolide.id)).toEqual(['interaction'])
    // of a woman of 36 it is also not known whether she is pregnant
    expect(await kinds(statin.id)).toEqual(['duplicate', 'pregnancy'])

    await db
      .updateTable('prescription_items')
      .set({ item_status: 'cancelled' })
      .where('id', '=', taken.id)
      .execute()
    expect(await kinds(macrolide.id)).toEqual([])
    // what was handed out is still being taken
    const record = {
      clinic_id: elsewhere.pickup_clinic_id!,
      drug_id: statin.id,
      patient_id,
      quantity_dispensed: 20,
    }
    await db
      .insertInto('dispensing_records')
      .values({ ...record, id: uuidv7(), days_supply: 20 })
      .execute()
    expect(await kinds(macrolide.id)).toEqual(['interaction'])
  })

  test('says whether allergies were asked for, and resolves words and brands that stand in the record', async ({
    make,
    asUser,
  }) => {
    const { me, patient_id, prescription, item, drug } = await scene({ make, asUser })
    const amoxil = await make.drug({
      brand_name: 'Amoxil',
      ingredients: ['amoxicillin (as trihydrate)'],
    })
    const check = (id: string) => checkDrugs(me, { patientId: patient_id, drugIds: [id] })
    const reminder = { kind: 'monitoring', rule: 'metformin' }
    const { id: unasked } = await make.patient()
    await make.prescription({
      patient_id: unasked,
      pickup_clinic_id: prescription.pickup_clinic_id,
    })
    expect(await checkDrugs(me, { patientId: unasked, drugIds: [drug.id] })).toMatchObject({
      warnings: [reminder],
      allergyState: { state: 'not_asked' },
      asksAllergies: true,
    })
    expect(await check(drug.id)).toMatchObject({
      warnings: [reminder],
      allergyState: { state: 'none_known' },
    })

    const own = { patient_id, substance_kind: 'other', substance_code: null }
    await make.allergy({ ...own, substance: 'amoxil allergy' })
    expect(await check(amoxil.id)).toMatchObject({
      warnings: [{ kind: 'allergy', match: 'same', ingredient: 'amoxicillin' }],
      allergyState: { state: 'recorded', count: 1 },
    })
    await make.allergy({ ...own, substance: 'Peanuts' })
    const mark = { kind: 'unchecked', allergy: 'Peanuts' }
    expect(await check(drug.id)).toMatchObject({
      warnings: [reminder, mark],
      allergyState: { count: 2, compared: 1, notCompared: [{ substance: 'Peanuts' }] },
    })
    // a mark does not ask for a reason, and stays beside a warning that does
    expect(await savePrescription(me, prescription)).toMatchObject({ ok: true })
    const dangerous = {
      ...prescription,
      id: uuidv7(),
      items: [{ ...item, id: uuidv7(), drug_id: amoxil.id }],
    }
    expect(await savePrescription(me, dangerous)).toMatchObject({
      ok: false,
      warnings: [{ kind: 'allergy' }, mark],
    })
  })

  test('reminds to monitor when a treatment starts, not when it is renewed', async ({
    make,
    asUser,
  }) => {
    const { me, patient_id, prescription, drug } = await scene({ make, asUser })
    const stronger = await make.drug({
      generic_name: 'Metformin',
      ingredients: ['metformin hydrochloride'],
    })
    const reminders = async (id: string) => {
      const { warnings, scope } = await checkDrugs(me, { patientId: patient_id, drugIds: [id] })
      expect(scope.medicines).toHaveLength(1)
      return warnings.filter(({ kind }) => kind === 'monitoring').length
    }
    expect(await reminders(drug.id)).toBe(1)
    // a reminder asks for no reason
    expect(await savePrescription(me, prescription)).toMatchObject({ ok: true })
    expect([await reminders(drug.id), await reminders(stronger.id)]).toEqual([0, 0])
  })

  test('names each ingredient that it does not know, and saves without a reason', async ({
    make,
    asUser,
  }) => {
    const { me, patient_id, prescription, item } = await scene({ make, asUser })
    const mix = await make.drug({ ingredients: ['paracetamol', 'herbal extract'] })
    const { warnings } = await checkDrugs(me, { patientId: patient_id, drugIds: [mix.id] })
    expect(warnings).toMatchObject([{ kind: 'unchecked', ingredient: 'herbal extract' }])
    expect(
      await savePrescription(me, { ...prescription, items: [{ ...item, drug_id: mix.id }] }),
    ).toMatchObject({ ok: true })
  })

  test('says loudly that a medicine without substances was not checked', async ({
    make,
    asUser,
  }) => {
    const { me, prescription, item } = await scene({ make, asUser })
    const unknown = await make.drug({ ingredients: [] })
    expect(
      await savePrescription(me, { ...prescription, items: [{ ...item, drug_id: unknown.id }] }),
    ).toMatchObject({
      ok: false,
      warnings: [{ kind: 'unchecked' }],
    })
  })

  test('is not for users who may neither prescribe for the patient nor dispense to the patient', async ({
    make,
    asUser,
    as,
  }) => {
    const { patient_id, drug } = await scene({ make, asUser })
    const stranger = as('provider', { [(await make.clinic()).id]: prescribing })
    await expect(
      checkDrugs(stranger, { patientId: patient_id, drugIds: [drug.id] }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('lists', () => {
  test('show names, and only what the user may see', async ({ as, make, asUser }) => {
    const { me, prescription, patient_id, clinic_id } = await scene({ make, asUser })
    await savePrescription(me, prescription)
    await make.prescription()
    expect(await listPrescriptions(me, {})).toMatchObject({
      rows: [
        {
          patient: expect.stringContaining('Layla'),
          provider: 'Amal Haddad',
          medications: ['Metformin'],
        },
      ],
      pagination: { total: 1 },
    })
    expect(
      (await listPrescriptionDetails(me, { patientId: patient_id })).rows[0]!.items,
    ).toHaveLength(1)
    const dispenser = as('provider', { [clinic_id]: ['can_dispense_medications'] })
    expect((await listPrescriptions(dispenser, {})).rows).toHaveLength(1)
    const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
    await expect(listPrescriptions(registrar, {})).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('are searched by patient and medicine, filtered and sorted', async ({ as, make }) => {
    const me = as('admin')
    const person = await make.patient({ given_name: 'Zainab', surname: 'Qabbani' })
    const urgent = await make.prescription({
      patient_id: person.id,
      priority: 'emergency',
      prescribed_at: '2024-02-01T10:00:00Z',
    })
    const drug = await make.drug({ generic_name: 'Levothyroxine', ingredients: ['levothyroxine'] })
    await make.prescriptionItem(urgent, { drug_id: drug.id })
    const quiet = await make.prescription({
      priority: 'low',
      prescribed_at: '2024-02-02T10:00:00Z',
    })
    const ids = async (filter: object) =>
      (await listPrescriptions(me, filter)).rows.map(({ id }) => id)
    expect(await ids({ search: 'qabani zainab' })).toContain(urgent.id)
    expect(await ids({ search: 'levothy' })).toEqual([urgent.id])
    expect(await ids({ search: '%' })).toEqual([])
    expect(await ids({ priority: 'low', clinicId: quiet.pickup_clinic_id! })).toEqual([quiet.id])
    expect(await ids({ from: '2024-02-01', to: '2024-02-01' })).toEqual([urgent.id])
    expect(
      await ids({ from: '2024-02-01', to: '2024-02-02', sort: 'priority', direction: 'desc' }),
    ).toEqual([urgent.id, quiet.id])
    expect(await ids({ from: '2024-02-01', to: '2024-02-02', sort: 'patient' })).toHaveLength(2)
    expect(await ids({ from: '2024-02-01', to: '2024-02-02', sort: 'provider' })).toHaveLength(2)
  })

  test('look up the medicines of the rows of a page alone, however far it is', async ({
    as,
    make,
    db,
  }) => {
    const { patient_id, pickup_clinic_id } = await make.prescription()
    const { id: drugId } = await make.drug()
    const many = 119
    await sql`
      insert into prescriptions (id, patient_id, pickup_clinic_id)
      select md5('p' || n)::uuid, ${patient_id}, ${pickup_clinic_id}
      from generate_series(1, ${many}::int) n`.execute(db)
    await sql`
      insert into prescription_items (id, prescription_id, patient_id, clinic_id, drug_id)
      select md5('i' || n)::uuid, md5('p' || n)::uuid, ${patient_id}, ${pickup_clinic_id}, ${drugId}
      from generate_series(1, ${many}::int) n`.execute(db)
    const lookups = async () => {
      const { rows } = await sql<{ count: number }>`
        select seq_scan + idx_scan as count from pg_stat_xact_user_tables
        where relname = 'prescription_items'`.execute(db)
      return rows[0]!.count
    }
    const before = await lookups()
    const { rows, pagination } = await listPrescriptions(as('admin'), { page: 3 })
    expect(rows).toHaveLength(20)
    expect(pagination.total).toBe(120)
    expect((await lookups()) - before).toBeLessThan(3 * rows.length)
  })

  test('are listed to the end of the last day, also where the clocks change on it', async ({
    as,
    make,
  }) => {
    onTestFinished(() => tellTimeZone(undefined))
    tellTimeZone('America/New_York')
    const late = await make.prescription({ prescribed_at: '2024-11-03T23:30:00-05:00' })
    const { rows } = await listPrescriptions(as('admin'), { from: '2024-11-03', to: '2024-11-03' })
    expect(rows.map(({ id }) => id)).toEqual([late.id])
  })
})

test('deleting takes the items along and can be undone; phones’ free text is shown', async ({
  as,
  make,
  db,
}) => {
  const prescription = await make.prescription({
    items: JSON.stringify([{ name: 'Amoxil', dose: 500 }, 'Rest']),
  })
  const item = await make.prescriptionItem(prescription)
  const me = as('admin')
  expect((await getPrescription(me, { id: prescription.id })).freeText).toEqual([
    '500 · Amoxil',
    'Rest',
  ])
  const { deletionId } = await deletePrescription(me, { id: prescription.id })
  const deleted = await db
    .selectFrom('prescription_items')
    .select('is_deleted')
    .where('id', '=', item.id)
    .executeTakeFirst()
  expect(deleted?.is_deleted).toBe(true)
  await sql`select undo_deletion(${deletionId}, null)`.execute(db)
  expect((await getPrescription(me, { id: prescription.id })).items).toHaveLength(1)
  const provider = as('provider', { [prescription.pickup_clinic_id!]: prescribing })
  await expect(deletePrescription(provider, { id: prescription.id })).rejects.toMatchObject({
    code: 'forbidden',
  })
})

test('what a printed prescription says, and that it is found by its number', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic({
    name: 'Hillside',
    address: '3 Mill Road',
    phone: '+962 6 123 456',
  })
  const doctor = await make.user({ name: 'Dr Amal' })
  const prescription = await make.prescription({
    pickup_clinic_id: clinic.id,
    provider_id: doctor.id,
  })
  await make.prescription({ pickup_clinic_id: clinic.id })
  const me = as('admin')
  const sheet = await getPrescription(me, { id: prescription.id })
  expect(sheet).toMatchObject({
    number: prescriptionNumber(prescription.id),
    clinic: 'Hillside',
    clinic_address: '3 Mill Road',
    clinic_phone: '+962 6 123 456',
    provider: 'Dr Amal',
    provider_role: 'provider',
  })
  const search = sheet.number.toLowerCase()
  const ids = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id)
  expect(ids(await listPrescriptions(me, { search }))).toEqual([prescription.id])
  expect(ids(await listDispensingQueue(me, { search }))).toEqual([prescription.id])
  const { given_name } = await db
    .updateTable('patients')
    .set({ given_name: 'Zubaida' })
    .where('id', '=', prescription.patient_id)
    .returning('given_name')
    .executeTakeFirstOrThrow()
  expect(ids(await listDispensingQueue(me, { search: given_name! }))).toEqual([prescription.id])
})
