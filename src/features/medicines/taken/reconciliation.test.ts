import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { cloneTemplate, test } from '../../../../test/harness'
import { currentMedicines } from './current.server'
import { saveMedicine } from './medicines.server'
import {
  changeMedicine,
  decideMedicine,
  deleteDecision,
  listReconciliation,
} from './reconciliation.server'

const today = () => dayIn(new Date(), clinicTimeZone())
const RIGHTS = ['can_view_history', 'can_prescribe_medications', 'can_edit_records'] as const

const clinic = test.extend('room', async ({ make, asUser }) => {
  const visit = await make.visit()
  const { patient_id, clinic_id } = visit
  await make.noAllergies(patient_id)
  const doctor = await make.user({ name: 'Dr. Amal' })
  const me = asUser(doctor, { [clinic_id]: [...RIGHTS] })
  const drugs = [
    await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] }),
    await make.drug({ generic_name: 'Enalapril', ingredients: ['enalapril'] }),
  ] as const
  const prescribe = async (drugIds: readonly string[], id = uuidv7()) => {
    const items = drugIds.map((drug_id) => ({
      id: uuidv7(),
      drug_id,
      dosage_instructions: 'One in the morning',
    }))
    const prescription = {
      id,
      patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      notes: '',
      items,
    }
    expect(await savePrescription(me, prescription)).toMatchObject({ ok: true })
    return prescription
  }
  const elsewhere = (name: string) =>
    make.medicine({ patient_id, name, dose: '1 tablet', recorded_clinic_id: clinic_id })
  const list = async (visitId: string | null = visit.id, ctx = me) =>
    listReconciliation(ctx, { patientId: patient_id, visitId })
  const decide = async (name: string, given: object = {}, visitId: string | null = visit.id) => {
    const row = (await list(visitId)).rows.find((one) => one.name.startsWith(name))!
    return decideMedicine(me, {
      id: uuidv7(),
      patient_id,
      visit_id: visitId,
      line: row.id,
      name: row.name,
      dose: row.instructions,
      decision: 'keep',
      ...given,
    })
  }
  const current = async () => (await currentMedicines(me, { patientId: patient_id })).rows
  return {
    visit,
    patient_id,
    clinic_id,
    me,
    drugs,
    doctor,
    prescribe,
    elsewhere,
    list,
    decide,
    current,
  }
})

clinic('nothing is claimed of a medicine that nobody asked about', async ({ room }) => {
  const { prescribe, elsewhere, list, decide, drugs, current } = room
  await prescribe(drugs.map(({ id }) => id))
  await elsewhere('Aspirin')
  expect(await list()).toMatchObject({ asked: 0, of: 3, listed: null, decided: [] })
  expect((await current()).map(({ confirmed }) => confirmed)).toEqual([null, null, null])

  await decide('Metformin')
  const half = await list()
  expect(half).toMatchObject({ asked: 1, of: 3, listed: 3 })
  expect(half.rows.map(({ name, decision }) => [name.split(' ')[0], decision?.decision])).toEqual([
    ['Metformin', 'keep'],
    ['Enalapril', undefined],
    ['Aspirin', undefined],
  ])
  // the next prescriber sees who confirmed what, and on which day
  expect((await current()).map(({ confirmed }) => confirmed)).toEqual([
    { on: today(), by: 'Dr. Amal' },
    null,
    null,
  ])
})

clinic('what is written otherwise since was not confirmed', async ({ room, db }) => {
  const { prescribe, elsewhere, decide, drugs, current } = room
  const { items } = await prescribe([drugs[0].id])
  const { id } = await elsewhere('Aspirin')
  await decide('Metformin')
  await decide('Aspirin')
  await db
    .updateTable('prescription_items')
    .set({ dosage_instructions: 'Two in the morning' })
    .where('id', '=', items[0]!.id)
    .execute()
  await db
    .updateTable('patient_medicines')
    .set({ dose: '2 tablets' })
    .where('id', '=', id)
    .execute()
  expect((await current()).map(({ confirmed }) => confirmed)).toEqual([null, null])
})

clinic(
  'stop cancels the item with a reason, and ends a medicine from elsewhere',
  async ({ room, db }) => {
    const { prescribe, elsewhere, list, decide, drugs, current } = room
    const { id, items } = await prescribe(drugs.map((drug) => drug.id))
    const { id: aspirin } = await elsewhere('Aspirin')
    await expect(decide('Metformin', { decision: 'stop' })).rejects.toMatchObject({
      fields: { reason: { key: 'reconciliations.reasonRequired' } },
    })
    await decide('Metformin', { decision: 'stop', reason: 'Diarrhoea for weeks' })
    await decide('Aspirin', { decision: 'stop', reason: 'Stomach pain' })
    expect((await current()).map(({ name, until }) => [name.split(' ')[0], until])).toEqual([
      // the other is not taken from then on, though its last day is today
      ['Enalapril', expect.anything()],
    ])
    const item = await db
      .selectFrom('prescription_items')
      .select('item_status')
      .where('id', '=', items[0]!.id)
      .executeTakeFirstOrThrow()
    expect(item.item_status).toBe('cancelled')
    const ended = await db
      .selectFrom('patient_medicines')
      .select('until')
      .where('id', '=', aspirin)
      .executeTakeFirstOrThrow()
    expect(ended.until).toBe(today())
    const done = await list()
    expect(done).toMatchObject({ asked: 2, of: 3 })
    expect(done.decided.map(({ decision, reason }) => [decision, reason])).toEqual([
      ['stop', 'Stomach pain'],
      ['stop', 'Diarrhoea for weeks'],
    ])
    // as a screen that still lists it asks
    const again = {
      id: uuidv7(),
      patient_id: room.patient_id,
      visit_id: room.visit.id,
      line: aspirin,
      name: 'Aspirin',
      dose: null,
      decision: 'keep' as const,
    }
    await expect(decideMedicine(room.me, again)).rejects.toMatchObject({
      text: { key: 'reconciliations.changed' },
    })
    const status = async () =>
      await db
        .selectFrom('prescriptions')
        .select(['status', 'status_reason'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    expect(await status()).toMatchObject({ status: 'pending' })
    // nothing is left of it: it does not wait in the pharmacy
    await decide('Enalapril', { decision: 'stop', reason: 'Cough since it began' })
    expect(await status()).toEqual({ status: 'cancelled', status_reason: 'Cough since it began' })
  },
)

clinic('stopping a dispensed medicine leaves its prescription picked up', async ({ room, db }) => {
  const { prescribe, decide, drugs, clinic_id, patient_id } = room
  const { id, items } = await prescribe([drugs[0].id])
  const item = await db
    .selectFrom('prescription_items')
    .select('quantity_prescribed')
    .where('id', '=', items[0]!.id)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('dispensing_records')
    .values({
      id: uuidv7(),
      clinic_id,
      drug_id: drugs[0].id,
      prescription_item_id: items[0]!.id,
      patient_id,
      quantity_dispensed: item.quantity_prescribed,
    })
    .execute()
  const filling = () =>
    db
      .selectFrom('prescriptions')
      .select(['status', 'filled_at', 'filled_by'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const filled = await filling()
  expect(filled).toMatchObject({ status: 'picked-up', filled_at: expect.any(Date) })
  await decide('Metformin', { decision: 'stop', reason: 'Diarrhoea for weeks' })
  expect(await filling()).toEqual(filled)
})

clinic('change stops the old one only when the new one is saved', async ({ room, make }) => {
  const { prescribe, list, drugs, me, patient_id, visit, doctor, clinic_id, current } = room
  await prescribe([drugs[0].id])
  await make.allergy({ patient_id, substance: 'Enalapril', substance_code: 'enalapril' })
  const [row] = (await list()).rows
  const input = {
    id: uuidv7(),
    patient_id,
    provider_id: doctor.id,
    pickup_clinic_id: clinic_id,
    visit_id: visit.id,
    notes: '',
    items: [{ id: uuidv7(), drug_id: drugs[1].id, dosage_instructions: 'Two in the morning' }],
    replaces: { id: uuidv7(), line: row!.id, name: row!.name, dose: row!.instructions },
  }
  // the safety check asks first: nothing is stopped
  const refused = await changeMedicine(me, input)
  if (refused.ok) throw new Error('an allergy asks for a reason')
  expect((await current()).map(({ instructions }) => instructions)).toEqual(['One in the morning'])
  const answered = {
    ...input,
    overrides: refused.warnings.map(({ key }) => ({ key, reason: 'Tolerated it for years' })),
  }
  // the old one was written otherwise meanwhile
  const stale = { ...input.replaces, dose: 'Three in the morning' }
  await expect(changeMedicine(me, { ...answered, replaces: stale })).rejects.toMatchObject({
    text: { key: 'reconciliations.changed' },
  })
  await expect(changeMedicine(me, answered)).resolves.toMatchObject({ ok: true })
  expect((await current()).map(({ instructions }) => instructions)).toEqual(['Two in the morning'])
  const decided = [{ decision: 'change', dose: 'One in the morning', reason: null }]
  // the one that takes its place is not asked about too
  expect(await list()).toMatchObject({ asked: 1, of: 1, listed: 1, decided })
  // a repeated request
  expect(await changeMedicine(me, answered)).toMatchObject({ ok: true })
  expect(await list()).toMatchObject({ asked: 1, decided })
})

const takenTogether = clinic.extend('pair', async ({ make }) => [
  await make.drug({ generic_name: 'Simvastatin', ingredients: ['simvastatin'] }),
  await make.drug({ generic_name: 'Clarithromycin', ingredients: ['clarithromycin'] }),
])

takenTogether(
  'the medicine that is replaced is taken no more by the check, and still acts as one that ended',
  async ({ room, pair: [statin, macrolide], make }) => {
    const { prescribe, elsewhere, list, me, patient_id, visit, doctor, clinic_id } = room
    const { items } = await prescribe([statin!.id])
    const kinds = async (drugId: string, replacedId?: string) =>
      (
        await checkDrugs(me, { patientId: patient_id, drugIds: [drugId], replacedId })
      ).warnings.flatMap(({ kind }) => (kind === 'pregnancy' ? [] : kind))
    expect(await kinds(macrolide!.id)).toEqual(['interaction'])
    expect(await kinds(macrolide!.id, items[0]!.id)).toEqual([])
    expect(await kinds(statin!.id)).toEqual(['duplicate'])
    expect(await kinds(statin!.id, items[0]!.id)).toEqual([])
    const [row] = (await list()).rows
    const saved = await changeMedicine(me, {
      id: uuidv7(),
      patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      visit_id: visit.id,
      notes: '',
      items: [{ id: uuidv7(), drug_id: macrolide!.id, dosage_instructions: 'Twice a day' }],
      replaces: { id: uuidv7(), line: row!.id, name: row!.name, dose: row!.instructions },
    })
    expect(saved).toMatchObject({ ok: true })

    const sertraline = await make.drug({ generic_name: 'Sertraline', ingredients: ['sertraline'] })
    const { id: maoi } = await elsewhere('Phenelzine')
    expect(await kinds(sertraline.id)).toContain('interaction')
    expect(await kinds(sertraline.id, maoi)).toContain('interaction')
    const { id: listed } = await elsewhere('Simvastatin')
    expect(await kinds(statin!.id)).toContain('duplicate')
    expect(await kinds(statin!.id, listed)).not.toContain('duplicate')
  },
)

takenTogether(
  'what is left at home of a stopped medicine is taken no more by the check',
  async ({ room, pair: [statin, macrolide], db }) => {
    const { prescribe, decide, me, patient_id, clinic_id, current } = room
    const { items } = await prescribe([statin!.id])
    await db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id,
        drug_id: statin!.id,
        prescription_item_id: items[0]!.id,
        patient_id,
        quantity_dispensed: 10,
        days_supply: 30,
      })
      .execute()
    const kinds = async () =>
      (await checkDrugs(me, { patientId: patient_id, drugIds: [macrolide!.id] })).warnings.map(
        ({ kind }) => kind,
      )
    expect(await kinds()).toEqual(['interaction'])
    await decide('Simvastatin', { decision: 'stop', reason: 'Muscle pain for weeks' })
    expect(await current()).toEqual([])
    expect(await kinds()).toEqual([])
  },
)

clinic('a stop that was taken back is decided again in the same visit', async ({ room, db }) => {
  const { prescribe, elsewhere, list, decide, drugs } = room
  const { items } = await prescribe(drugs.map(({ id }) => id))
  const { id } = await elsewhere('Aspirin')
  await decide('Metformin', { decision: 'stop', reason: 'Diarrhoea for weeks' })
  await decide('Aspirin', { decision: 'stop', reason: 'Stomach pain' })
  await db
    .updateTable('prescription_items')
    .set({ item_status: 'active' })
    .where('id', '=', items[0]!.id)
    .execute()
  await db.updateTable('patient_medicines').set({ until: null }).where('id', '=', id).execute()
  expect(await list()).toMatchObject({ asked: 0, of: 3, decided: [] })
  await decide('Metformin')
  await decide('Aspirin', { decision: 'stop', reason: 'Stomach pain again' })
  const { rows, ...after } = await list()
  expect(after).toMatchObject({ asked: 2, of: 3 })
  expect(rows.map(({ name, decision }) => [name.split(' ')[0], decision?.decision])).toEqual([
    ['Metformin', 'keep'],
    ['Enalapril', undefined],
  ])
  expect(after.decided.map(({ name, decision }) => [name.split(' ')[0], decision])).toEqual(
    expect.arrayContaining([['Aspirin', 'stop']]),
  )
})

clinic('a change obeys the rule of its visit', async ({ room, make, asUser }) => {
  const { prescribe, list, drugs, patient_id, doctor, clinic_id, current } = room
  await prescribe([drugs[0].id])
  // there the doctor reads the visit and does not write in it
  const other = await make.visit({ patient_id, clinic_id: (await make.clinic()).id })
  const reader = asUser(doctor, {
    [clinic_id]: [...RIGHTS],
    [other.clinic_id]: ['can_view_history', 'can_prescribe_medications'],
  })
  const [row] = (await list()).rows
  const change = changeMedicine(reader, {
    id: uuidv7(),
    patient_id,
    provider_id: doctor.id,
    pickup_clinic_id: clinic_id,
    visit_id: other.id,
    notes: '',
    items: [{ id: uuidv7(), drug_id: drugs[1].id, dosage_instructions: 'Two in the morning' }],
    replaces: { id: uuidv7(), line: row!.id, name: row!.name, dose: row!.instructions },
  })
  await expect(change).rejects.toMatchObject({ code: 'forbidden' })
  expect((await current()).map(({ instructions }) => instructions)).toEqual(['One in the morning'])
})

/** A database with several connections. */
const atOnce = clinic.extend('db', async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`decisions_${process.pid}_${process.env['VITEST_POOL_ID']}`)
  onCleanup(() => db.destroy())
  return db
})

atOnce('of a keep and a stop at the same moment the stop counts', async ({ room }) => {
  const { elsewhere, decide, list } = room
  for (const name of ['Aspirin', 'Ginkgo', 'Senna', 'Zinc']) {
    // one pair after the other
    await elsewhere(name)
    await Promise.allSettled([
      decide(name, { decision: 'stop', reason: 'Stomach pain' }),
      decide(name),
    ])
  }
  // a keep may come before a stop, never after it
  const done = await list()
  expect(done.rows).toEqual([])
  expect(done.decided.map(({ decision }) => decision)).toEqual(Array(4).fill('stop'))
})

clinic('a visit that is typed late counts on its day', async ({ room, make, db }) => {
  const { elsewhere, decide, me, patient_id, clinic_id, list, prescribe, drugs } = room
  const late = await make.visit({
    patient_id,
    clinic_id,
    check_in_timestamp: new Date('2026-01-20T09:00:00Z'),
  })
  const { id } = await elsewhere('Aspirin')
  await prescribe([drugs[0].id])
  // what began after that day was not asked about then
  expect((await list(late.id)).rows.map(({ name }) => name)).toEqual(['Aspirin'])
  await decide('Aspirin', { decision: 'stop', reason: 'Stomach pain' }, late.id)
  expect(await list(late.id)).toMatchObject({
    asked: 1,
    of: 1,
    decided: [{ decided_on: '2026-01-20' }],
  })
  const ended = await db
    .selectFrom('patient_medicines')
    .select('until')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(ended.until).toBe('2026-01-20')
  const { rows } = await currentMedicines(me, { patientId: patient_id })
  expect(rows.map(({ name }) => name.split(' ')[0])).toEqual(['Metformin'])
})

clinic('of another clinic a medicine can be kept, and not ended', async ({ room, make }) => {
  const { list, decide, patient_id, current } = room
  const other = await make.clinic()
  const prescription = await make.prescription({
    patient_id,
    pickup_clinic_id: other.id,
    recorded_clinic_id: other.id,
  })
  const drug = await make.drug({ generic_name: 'Losartan', ingredients: ['losartan'] })
  await make.prescriptionItem(prescription, { drug_id: drug.id })
  await make.medicine({ patient_id, name: 'Ginkgo', recorded_clinic_id: other.id })
  const { rows } = await list()
  expect(
    rows.map(({ name, mayStop, id }) => [name.split(' ')[0], mayStop, id.startsWith('hidden')]),
  ).toEqual([
    ['Losartan', false, true],
    ['Ginkgo', false, false],
  ])
  // neither the item of another clinic nor its row leaves the server
  expect(JSON.stringify(rows)).not.toContain(prescription.id)
  for (const name of ['Losartan', 'Ginkgo']) {
    await expect(
      decide(name, { decision: 'stop', reason: 'Not needed any more' }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await decide(name)
  }
  expect((await current()).map(({ confirmed }) => confirmed?.by)).toEqual(['Dr. Amal', 'Dr. Amal'])
})

clinic(
  'a user undoes the own confirmation, and not that of another',
  async ({ room, asUser, make }) => {
    const { elsewhere, decide, me, clinic_id, patient_id, list } = room
    await elsewhere('Aspirin')
    const kept = await decide('Aspirin')
    const colleague = asUser(await make.user(), { [clinic_id]: [...RIGHTS] })
    const mayUndo = async (ctx: typeof me) =>
      (await list(room.visit.id, ctx)).rows.map(({ decision }) => decision?.mayUndo)
    expect([await mayUndo(me), await mayUndo(colleague)]).toEqual([[true], [false]])
    await expect(deleteDecision(colleague, kept)).rejects.toMatchObject({ code: 'forbidden' })
    await deleteDecision(me, kept)
    expect((await currentMedicines(me, { patientId: patient_id })).rows).toMatchObject([
      { name: 'Aspirin', confirmed: null },
    ])
    // and decides again
    await decide('Aspirin')
    expect(await list()).toMatchObject({ asked: 1, of: 1 })
  },
)

clinic(
  'a later last day is moved back only by a user who was asked',
  async ({ room, make, db }) => {
    const { decide, patient_id, clinic_id } = room
    const late = await make.visit({
      patient_id,
      clinic_id,
      check_in_timestamp: new Date('2026-01-20T09:00:00Z'),
    })
    const until = '2099-12-31'
    const { id } = await make.medicine({
      patient_id,
      name: 'Aspirin',
      until,
      recorded_clinic_id: clinic_id,
    })
    const stop = { decision: 'stop', reason: 'Stomach pain' }
    await expect(decide('Aspirin', stop, late.id)).rejects.toMatchObject({
      text: { key: 'reconciliations.endsLater', values: { until, day: '2026-01-20' } },
    })
    const stored = () =>
      db
        .selectFrom('patient_medicines')
        .select('until')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    expect(await stored()).toEqual({ until })
    await decide('Aspirin', { ...stop, until }, late.id)
    expect(await stored()).toEqual({ until: '2026-01-20' })
  },
)

clinic('a confirmation is deleted and restored; one of a stop stays', async ({ room, as }) => {
  const { elsewhere, decide, current } = room
  await elsewhere('Aspirin')
  await elsewhere('Ginkgo')
  const kept = await decide('Aspirin')
  const stopped = await decide('Ginkgo', { decision: 'stop', reason: 'It does not help' })
  const admin = as('admin')
  await expect(deleteDecision(admin, stopped)).rejects.toMatchObject({
    text: { key: 'reconciliations.onlyKept' },
  })
  const { deletionId } = await deleteDecision(admin, kept)
  const confirmed = async () => (await current()).map((row) => row.confirmed?.by ?? null)
  expect(await confirmed()).toEqual([null])
  await restoreDeletion(admin, { id: deletionId })
  expect(await confirmed()).toEqual(['Dr. Amal'])
})

clinic(
  'a merge takes the decisions along, and its undo brings them back',
  async ({ room, make, as, db }) => {
    const { elsewhere, decide, patient_id, clinic_id } = room
    await elsewhere('Aspirin')
    const { id } = await decide('Aspirin')
    const admin = as('super_admin')
    const winner = await make.patient({ primary_clinic_id: clinic_id })
    const mergeId = uuidv7()
    await mergePatients(admin, {
      id: mergeId,
      winnerId: winner.id,
      loserId: patient_id,
      choices: {},
    })
    const whose = async () =>
      (
        await db
          .selectFrom('medicine_decisions')
          .select('patient_id')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).patient_id
    expect(await whose()).toBe(winner.id)
    expect((await currentMedicines(admin, { patientId: winner.id })).rows).toMatchObject([
      { name: 'Aspirin', confirmed: { by: 'Dr. Amal' } },
    ])
    await unmergePatients(admin, { mergeId })
    expect(await whose()).toBe(patient_id)
  },
)

clinic('a medicine that was saved again is asked about again', async ({ room }) => {
  const { decide, me, patient_id, current } = room
  const id = uuidv7()
  const medicine = { id, patient_id, name: 'Aspirin', ingredients: [], source: 'pharmacy' as const }
  const saved = await saveMedicine(me, medicine)
  await decide('Aspirin')
  await saveMedicine(me, { ...medicine, last_modified: saved.last_modified, dose: '2 tablets' })
  expect((await current()).map(({ confirmed }) => confirmed)).toEqual([null])
})
