import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { currentMedicines } from './current.server'

const day = (days: number) => addDays(dayIn(new Date(), clinicTimeZone()), days)
const at = (days: number) => new Date(Date.now() + days * 86_400_000)

type Make = ReturnType<typeof makeFactories>
/** A medicine of a prescription of this patient. */
async function prescribed(
  make: Make,
  patient_id: string,
  given: Parameters<Make['prescription']>[0] = {},
  item: Parameters<Make['prescriptionItem']>[1] = {},
) {
  return make.prescriptionItem(await make.prescription({ ...given, patient_id }), item)
}

test('nothing recorded, all ended, and a medicine from elsewhere are three answers', async ({
  as,
  make,
}) => {
  const { id: patientId } = await make.patient()
  const taken = () => currentMedicines(as('admin'), { patientId })
  expect(await taken()).toEqual({ rows: [], state: 'nothing' })

  await make.medicine({ patient_id: patientId, name: 'Aspirin', until: '2020-01-01' })
  await prescribed(make, patientId, { status: 'cancelled' })
  await prescribed(make, patientId, { status: 'not-picked-up' })
  await prescribed(make, patientId, { expiration_date: at(-200), prescribed_at: at(-400) })
  await prescribed(make, patientId, { prescribed_at: at(-181) })
  expect(await taken()).toEqual({ rows: [], state: 'ended' })

  const warfarin = { name: 'Coumadin', ingredients: ['warfarin'], dose: '5 mg', until: null }
  await make.medicine({ patient_id: patientId, ...warfarin, source: 'other_clinic' })
  expect(await taken()).toMatchObject({
    rows: [{ kind: 'elsewhere', name: 'Coumadin (warfarin)', instructions: '5 mg', until: null }],
    state: 'some',
  })
})

test('taken until the validity or the supply ends, at most 90 days where nobody recorded a supply', async ({
  as,
  make,
  db,
}) => {
  const { id: patientId } = await make.patient()
  const taken = async () => (await currentMedicines(as('admin'), { patientId })).rows
  const item = await prescribed(
    make,
    patientId,
    { prescribed_at: at(-10), status: 'picked-up' },
    { quantity_prescribed: 30, quantity_dispensed: 30 },
  )
  const { clinic_id } = await db
    .selectFrom('prescription_items')
    .select('clinic_id')
    .where('id', '=', item.id)
    .executeTakeFirstOrThrow()
  const dispense = async (values: object) => {
    const id = uuidv7()
    await db
      .insertInto('dispensing_records')
      .values({
        id,
        clinic_id: clinic_id!,
        drug_id: item.drug_id,
        prescription_item_id: item.id,
        patient_id: patientId,
        quantity_dispensed: 30,
        ...values,
      })
      .execute()
    return id
  }
  // wholly dispensed today for 30 days
  const record = await dispense({ days_supply: 30 })
  const stored = db.selectFrom('prescription_items').select('item_status').where('id', '=', item.id)
  expect(await stored.executeTakeFirst()).toEqual({ item_status: 'completed' })
  expect(await taken()).toMatchObject([
    { id: item.id, until: day(30), isAssumed: false, isOpen: false, isDispensed: true },
  ])
  // reversed, and dispensed without its days
  await dispense({ quantity_dispensed: -30, reverses_id: record, reason: 'wrong patient' })
  await dispense({ dispensed_at: at(-80) })
  expect(await taken()).toMatchObject([{ until: day(10), isAssumed: true }])
})

test('free text of a phone, and what no prescription names, count as well', async ({
  as,
  make,
  db,
}) => {
  const prescription = await make.prescription({ expiration_date: at(5) })
  const { patient_id: patientId } = prescription
  await db
    .updateTable('prescriptions')
    .set({ items: JSON.stringify(['', 'Syrup twice a day']) })
    .where('id', '=', prescription.id)
    .execute()
  const drug = await make.drug({ generic_name: 'Metformin' })
  const { id: clinic_id } = await make.clinic()
  await db
    .insertInto('dispensing_records')
    .values({
      id: uuidv7(),
      clinic_id,
      drug_id: drug.id,
      patient_id: patientId,
      quantity_dispensed: 5,
    })
    .execute()
  const { rows } = await currentMedicines(as('admin'), { patientId })
  expect(rows).toMatchObject([
    { kind: 'prescribed', name: 'Metformin', isAssumed: true, until: day(90) },
    { kind: 'text', id: `${prescription.id}-f2`, name: 'Syrup twice a day', until: day(5) },
  ])
})

test('what another clinic recorded is never hidden; who may not see it asks in vain', async ({
  as,
  make,
}) => {
  const { patient_id: patientId, clinic_id } = await make.visit()
  await prescribed(make, patientId, { pickup_clinic_id: (await make.clinic()).id })
  const treating = as('provider', { [clinic_id]: ['can_view_history'] })
  expect((await currentMedicines(treating, { patientId })).rows).toHaveLength(1)
  const stranger = as('provider', { [(await make.clinic()).id]: ['can_view_history'] })
  await expect(currentMedicines(stranger, { patientId })).rejects.toMatchObject({
    code: 'not_found',
  })
})
