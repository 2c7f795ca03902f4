import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { roundQuantity } from '~/features/medicines/inventory/changes/picking'
import { isPosted, reportDispensed } from '~/features/medicines/inventory/ledger/movements.server'
import { amountDoubt } from './amounts'
import { requireAliveOn } from '~/features/people/patients/lifetime/lifetime'
import { permitsIn } from '~/policy/facts'
import type { RequiredPatient } from '~/policy/on.server'
import { requireClinic, requirePatient } from '~/policy/require.server'
import { dispenseAt, dispenseTo, knowPatient } from '~/policy/rules'
import { mutation, type On } from '~/server/operation'
import { conflict, notFound } from '~/shared/errors'
import { ask, happened } from '~/shared/earlier-day'
import { askBarred } from './barred-batches.server'
import { RecordPaper } from './paper'

/** The actor dispenses at the clinic, and may know the patient or dispenses to the patient. */
const dispensingTo: On<{ clinicId: string; patientId: string }, { patient: RequiredPatient }> = {
  permits: (actor, { clinicId }) => permitsIn(dispenseAt, actor, clinicId),
  rows: async (ctx, { patientId }) => ({
    patient: await requirePatient(ctx, patientId, [knowPatient, dispenseTo]),
  }),
}

/**
 * Records what a paper register says was dispensed, without a prescription here. It has happened: what exceeds the
 * stock is listed as a shortfall, and the safety check looks at it afterwards, as at what phones dispensed.
 */
export const recordPaper = mutation('dispensing.fromPaper', {
  input: RecordPaper,
  on: dispensingTo,
  async run({ db, actor }, { id, clinicId, drugId, quantity, ...line }, { patient }) {
    const { batchId = null, days_supply = null, ...when } = line
    const known = await db
      .selectFrom('dispensing_records')
      .select(['patient_id', 'drug_id', 'quantity_dispensed'])
      .where('id', '=', id)
      .executeTakeFirst()
    const isRepeat =
      known?.patient_id === patient.id &&
      known.drug_id === drugId &&
      known.quantity_dispensed === roundQuantity(quantity)
    if (isRepeat) return { id, shortfall: await openShortfall(db, id) }
    if (known || (await isPosted(db, id))) throw conflict('dispensing.alreadyRecorded')
    const { day, at, enteredOn } = happened(when)
    await requireClinic(db, clinicId)
    requireAliveOn(patient, day, 'day')
    const drug = await db
      .selectFrom('drug_catalogue')
      .select('form')
      .where('id', '=', drugId)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!drug) throw notFound('drugs.notFound')
    const doubt = when.confirmed.includes('unlikely_amount')
      ? null
      : amountDoubt(quantity, days_supply, drug.form)
    if (doubt) throw ask('unlikely_amount', 'quantity', doubt)
    await askBarred(db, [{ batchId, path: 'batchId' }], day, when.confirmed)
    const { shortfall } = await reportDispensed(db, {
      clinicId,
      drugId,
      batchId,
      quantity,
      referenceId: id,
      by: actor.userId,
      at,
      enteredOn,
    })
    await db
      .insertInto('dispensing_records')
      .values({
        id,
        clinic_id: clinicId,
        drug_id: drugId,
        batch_id: batchId,
        patient_id: patient.id,
        quantity_dispensed: quantity,
        days_supply,
        dispensed_by: actor.userId,
        recorded_by_user_id: actor.userId,
        dispensed_at: at,
        entered_on: enteredOn,
      })
      .execute()
    return { id, shortfall }
  },
})

/** What a line that was saved before its answer was lost still lacks in stock. */
async function openShortfall(db: Kysely<DB>, id: string): Promise<number> {
  const { quantity } = await db
    .selectFrom('stock_shortfalls')
    .select(sql<number>`coalesce(sum(quantity), 0)::float8`.as('quantity'))
    .where('reference_id', '=', id)
    .where('settlement', 'is', null)
    .executeTakeFirstOrThrow()
  return quantity
}
