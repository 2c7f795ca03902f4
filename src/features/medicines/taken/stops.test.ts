import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { brokenRule, test } from '../../../../test/harness'
import { currentMedicines } from './current.server'
import { decideMedicine, deleteDecision, listReconciliation } from './reconciliation.server'

const RIGHTS = ['can_view_history', 'can_prescribe_medications', 'can_edit_records'] as const
const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY)

/** A man who takes simvastatin in one of the ways that leave no row to end, and a macrolide to compare it with. */
const room = test.extend('room', async ({ make, asUser, db }) => {
  const patient = await make.patient({ sex: 'male', date_of_birth: '1980-01-05' })
  const { id: visitId, clinic_id } = await make.visit({ patient_id: patient.id })
  await make.noAllergies(patient.id)
  const me = asUser(await make.user(), { [clinic_id]: [...RIGHTS] })
  const statin = await make.drug({
    generic_name: 'Simvastatin',
    ingredients: ['simvastatin'],
    form: 'tablet',
  })
  const macrolide = await make.drug({
    generic_name: 'Clarithromycin',
    ingredients: ['clarithromycin'],
  })
  const patientId = patient.id
  const dispense = (given: object = {}) =>
    db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id,
        drug_id: statin.id,
        patient_id: patientId,
        quantity_dispensed: 30,
        ...given,
      })
      .execute()
  const written = () =>
    make.event({
      patient_id: patientId,
      form_data: JSON.stringify([
        {
          fieldId: 'm',
          name: 'medicine',
          fieldType: 'medicine',
          inputType: 'input-group',
          value: [{ id: uuidv7(), name: 'Simvastatin' }],
        },
      ]),
    })
  const text = () =>
    make.prescription({
      patient_id: patientId,
      pickup_clinic_id: clinic_id,
      items: JSON.stringify([{ name: 'Simvastatin', dose: '20 mg' }]),
    })
  return {
    me,
    patientId,
    clinic_id,
    statin,
    begin: { dispensed: dispense, form: written, text },
    dispense,
    list: () => listReconciliation(me, { patientId, visitId }),
    current: async () => (await currentMedicines(me, { patientId })).rows,
    stop: async (ctx = me) => {
      const row = (await listReconciliation(me, { patientId, visitId })).rows[0]!
      return decideMedicine(ctx, {
        id: uuidv7(),
        patient_id: patientId,
        visit_id: visitId,
        line: row.id,
        name: row.name,
        dose: row.instructions,
        decision: 'stop',
        reason: 'Muscle pain for weeks',
      })
    },
    kinds: async () =>
      (await checkDrugs(me, { patientId, drugIds: [macrolide.id] })).warnings.map(
        ({ kind }) => kind,
      ),
  }
})

for (const way of ['dispensed', 'form', 'text'] as const)
  room(
    `a medicine that is only ${way} is stopped by the decision, and compared again once it is given again`,
    async ({ room: { begin, current, kinds, list, stop, me }, as }) => {
      await begin[way]()
      expect(await current()).toHaveLength(1)
      expect(await kinds()).toEqual(['interaction'])
      expect((await list()).rows).toMatchObject([{ mayStop: true, mayChange: false }])
      const stopped = await stop()
      expect(await current()).toEqual([])
      expect(await kinds()).toEqual([])
      expect(await list()).toMatchObject({
        rows: [],
        decided: [{ decision: 'stop', reason: 'Muscle pain for weeks', mayUndo: true }],
      })

      // undone, it counts again; restored, it does not
      const { deletionId } = await deleteDecision(me, stopped)
      expect(await current()).toHaveLength(1)
      expect(await kinds()).toEqual(['interaction'])
      await restoreDeletion(as('admin'), { id: deletionId })
      expect(await kinds()).toEqual([])

      await begin[way]()
      expect(await current()).toHaveLength(1)
      expect(await kinds()).toEqual(['interaction'])
    },
  )

room(
  'what was given without a prescription is stopped only by a user who prescribes for the patient',
  async ({ room: { begin, stop, patientId, clinic_id, list }, asUser, make, db }) => {
    const nurse = asUser(await make.user(), {
      [clinic_id]: ['can_view_history', 'can_edit_records'],
    })
    await begin.dispensed()
    await expect(stop(nurse)).rejects.toMatchObject({
      code: expect.stringMatching(/forbidden|not_found/),
    })
    expect((await list()).rows).toMatchObject([{ decision: null }])
    // no medicine without a row is changed, whatever writes the decision
    const wrong = db.insertInto('medicine_decisions').values({
      id: uuidv7(),
      patient_id: patientId,
      decision: 'change',
      decided_on: '2026-01-20',
      kind: 'text',
      name: 'Simvastatin',
      replaced_by_id: uuidv7(),
      listed: 1,
    })
    expect(await brokenRule(db, wrong)).toBe('medicine_decisions_stop_check')
  },
)

room(
  'a stop is about one medicine of the catalogue, and not about others of its name',
  async ({ room: { dispense, current, kinds, stop, statin }, make, db }) => {
    const other = await make.drug({
      generic_name: 'Simvastatin',
      ingredients: ['simvastatin'],
      form: 'syrup',
    })
    await dispense({ drug_id: other.id })
    await dispense()
    await stop()
    expect(await db.selectFrom('medicine_decisions').select('drug_id').execute()).toEqual([
      { drug_id: expect.any(String) },
    ])
    expect(await current()).toHaveLength(1)
    expect(await kinds()).toEqual(['interaction'])
    await stop()
    expect(await current()).toEqual([])
    expect(await kinds()).toEqual([])
    expect(
      (await db.selectFrom('medicine_decisions').select('drug_id').execute())
        .map(({ drug_id }) => String(drug_id))
        .toSorted(),
    ).toEqual([statin.id, other.id].toSorted())
  },
)

room(
  'what was handed over in place of a prescribed medicine is listed and compared',
  async ({ room: { dispense, current, kinds, patientId, clinic_id, statin }, make }) => {
    const prescription = await make.prescription({
      patient_id: patientId,
      pickup_clinic_id: clinic_id,
    })
    const { id: drug_id } = await make.drug({ generic_name: 'Metformin' })
    const item = await make.prescriptionItem(prescription, { drug_id, item_status: 'completed' })
    await dispense({ prescription_item_id: item.id, days_supply: 30, drug_id: statin.id })
    expect((await current()).map(({ name }) => name)).toEqual(['Simvastatin'])
    expect(await kinds()).toEqual(['interaction'])
  },
)

room(
  'many medicines that have ended push none of today’s out of the check, whatever its name',
  async ({ room: { dispense, kinds, patientId, clinic_id }, db }) => {
    await dispense()
    await sql`with old as (
        insert into drug_catalogue (id, generic_name, ingredients, form, route, dosage_quantity, dosage_units)
        select gen_random_uuid(), 'Antacid ' || n, '{magnesium hydroxide}', 'syrup', 'oral', 400, 'mg'
        from generate_series(1, 301) n returning id)
      insert into dispensing_records (id, clinic_id, drug_id, patient_id, quantity_dispensed, dispensed_at)
      select gen_random_uuid(), ${clinic_id}, id, ${patientId}, 1, ${ago(200)} from old`.execute(db)
    expect(await kinds()).toContain('interaction')
  },
)

room(
  'a session shows its decisions, however many there are of other days',
  async ({ room: { begin, stop, list, patientId }, db }) => {
    await begin.dispensed()
    await stop()
    await sql`insert into medicine_decisions (id, patient_id, decision, decided_on, kind, name, listed)
      select gen_random_uuid(), ${patientId}, 'keep', '2090-01-01', 'form', 'Other ' || n, 1
      from generate_series(1, 500) n`.execute(db)
    expect((await list()).decided).toMatchObject([{ decision: 'stop' }])
  },
)

room(
  'the list and the check agree for how long a supply lasts',
  async ({ room: { dispense, current, kinds } }) => {
    // two supplies of 30 days, the second fetched early
    await dispense({ dispensed_at: ago(50), days_supply: 30 })
    await dispense({ dispensed_at: ago(49), days_supply: 30 })
    expect(await current()).toHaveLength(1)
    expect(await kinds()).toEqual(['interaction'])
  },
)

room(
  'without days of supply, a medicine is compared for as long as it is listed',
  async ({ room: { dispense, current, kinds } }) => {
    await dispense({ dispensed_at: ago(60), quantity_dispensed: 20 })
    expect(await current()).toHaveLength(1)
    expect(await kinds()).toEqual(['interaction'])
  },
)

room(
  'the supply of a prescription that is cancelled as a whole is taken no more',
  async ({ room: { dispense, current, kinds, patientId, clinic_id, statin }, make, db }) => {
    const prescription = await make.prescription({
      patient_id: patientId,
      pickup_clinic_id: clinic_id,
    })
    const item = await make.prescriptionItem(prescription, { drug_id: statin.id })
    await dispense({ prescription_item_id: item.id, days_supply: 30, quantity_dispensed: 1 })
    expect(await kinds()).toEqual(['interaction'])
    await db
      .updateTable('prescriptions')
      .set({ status: 'cancelled' })
      .where('id', '=', prescription.id)
      .execute()
    expect(await current()).toEqual([])
    expect(await kinds()).toEqual([])
  },
)
