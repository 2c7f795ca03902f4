import type { Kysely } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import {
  dispenseStock,
  lockBatches,
  pickBatches,
  releaseStock,
  reportDispensed,
  reserveStock,
  returnStock,
} from '~/features/medicines/inventory/ledger/movements.server'
import { roundQuantity } from '~/features/medicines/inventory/changes/picking'
import { type Item, loadPrescriptionItems } from '~/features/medicines/prescriptions/items.server'
import { askBeforePrescribed } from '~/features/medicines/prescriptions/days.server'
import { dueQuantity, remainingQuantity } from '~/features/medicines/prescriptions/prescription'
import {
  structuredDoses,
  warningsFor,
} from '~/features/medicines/prescriptions/check/safety-check.server'
import {
  keepAllergyReason,
  requireAllergyAnswer,
} from '~/features/medicines/prescriptions/check/unasked.server'
import { askBarred } from './barred-batches.server'
import { findEarliestSupplyDay } from './queue.server'
import { lockPrescription } from '~/features/medicines/prescriptions/status.server'
import { clearMark } from '~/features/medicines/safety/arrivals.server'
import { amountDoubt } from './amounts'
import { isWarningAbout } from '~/features/medicines/safety/rules/warning'
import {
  keepOverrides,
  loadOverrides,
  stillOpen,
  unanswered,
  withMarks,
} from '~/features/medicines/safety/overrides.server'
import { asksSecondPerson } from '~/features/medicines/safety/second/second-person.server'
import { permitsIn, permitsSomewhere, somewhere } from '~/policy/facts'
import { dispenseAt } from '~/policy/rules'
import { type Context, mutation, type On, query } from '~/server/operation'
import { inPermittedClinics } from '~/server/scope'
import { askAbout, happened, type Happened, type EarlierDayQuestion } from '~/shared/earlier-day'
import { conflict, forbidden, invalid, type Message, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import { Dispense, ProposeBatches, Reverse } from './dispensing'

/** Batches for a quantity of an item, first expired first out, with the reasons. Holds nothing. */
export const proposeBatches = query('dispensing.propose', {
  access: 'dispensing',
  input: ProposeBatches,
  allow: somewhere(dispenseAt),
  async run({ db, actor }, { itemId, quantity, days_supply }) {
    const item = await db
      .selectFrom('prescription_items as i')
      .innerJoin('prescriptions as p', 'p.id', 'i.prescription_id')
      .select(['i.drug_id', 'p.pickup_clinic_id'])
      .where('i.id', '=', itemId)
      .where('i.is_deleted', '=', false)
      .where('p.is_deleted', '=', false)
      .where(inPermittedClinics(actor, 'p.pickup_clinic_id', ...dispenseAt))
      .executeTakeFirst()
    if (!item?.pickup_clinic_id) throw notFound('prescriptions.notFound')
    return pickBatches(db, {
      clinicId: item.pickup_clinic_id,
      drugId: item.drug_id,
      quantity,
      now: new Date(),
      courseEnds: courseEnd(days_supply),
      holdFor: itemId,
    })
  },
})

type Locked = Awaited<ReturnType<typeof lockPrescription>>

/** The locked prescription, with the clinic at which the actor dispenses it. */
const dispensable: On<{ prescriptionId: string }, { prescription: Locked; clinicId: string }> = {
  permits: (actor) => permitsSomewhere(dispenseAt, actor),
  async rows(ctx, { prescriptionId }) {
    const prescription = await lockPrescription(ctx, prescriptionId)
    const clinicId = prescription.pickup_clinic_id
    if (!clinicId || !permitsIn(dispenseAt, ctx.actor, clinicId)) throw forbidden()
    return { prescription, clinicId }
  },
}

/**
 * Dispenses a prescription, whole or in part, from the named batches: the records, the ledger and
 * the statuses in one transaction. With warnings that have no reason, nothing is dispensed and they
 * come back: `{ ok: false, warnings, asksSecond }`. Throws `conflict` if stock is short, if it is more than was
 * prescribed, or if the prescription is over.
 */
export const dispense = mutation('dispensing.dispense', {
  input: Dispense,
  on: dispensable,
  async run(
    ctx,
    { prescriptionId, items, overrides, allergies_reason, ...when },
    { prescription, clinicId },
  ) {
    if (await isRepeat(ctx.db, items)) return { ok: true as const }
    const then = happened(when)
    requireOpen(prescription, then.day)
    if (then.enteredOn) askBeforePrescribed(prescription, then.day, when.confirmed)
    await requireLiving(ctx.db, prescription.patient_id, then.day)

    const prescribed =
      (await loadPrescriptionItems(ctx.db, [prescriptionId])).get(prescriptionId) ?? []
    const parts = items.map((part, at) => ({ ...part, item: requireLeft(prescribed, part, at) }))
    askAboutAmounts(parts, when.confirmed)
    if (then.enteredOn) await askBarred(ctx.db, batchLines(items), then.day, when.confirmed)
    else requireBatches(items)
    await requireTime(ctx.db, prescription.patient_id, parts, then.day)
    const unasked = await requireAllergyAnswer(ctx, prescription.patient_id, allergies_reason)
    const warnings = await warningsAbout(
      ctx.db,
      prescription.patient_id,
      prescriptionId,
      prescribed,
      parts,
    )
    const fresh = stillOpen(
      warnings,
      await loadOverrides(ctx.db, prescriptionId, ctx.actor),
      'dispensing',
    )
    const place = { patientId: prescription.patient_id, clinicId }
    if ((await unanswered(ctx, place, fresh, overrides)).length > 0)
      return {
        ok: false as const,
        warnings: withMarks(fresh, warnings),
        asksSecond: await asksSecondPerson(ctx.db),
      }

    const now = new Date()
    const where = {
      patientId: prescription.patient_id,
      clinicId,
      prescriptionId,
      stage: 'dispensing' as const,
    }
    // medicines in one order for all transactions, so that two do not deadlock
    for (const part of parts.toSorted((a, b) => (a.item.drug_id < b.item.drug_id ? -1 : 1))) {
      // each query locks its own batches
      await handOut(ctx, part, where, then)
    }
    if (prescription.status === 'prepared' || prescription.status === 'partially-picked-up') {
      await holdRest(ctx.db, prescriptionId, clinicId, parts, now)
    }
    await keepOverrides(ctx, where, fresh, overrides)
    await keepAllergyReason(ctx, where, unasked)
    for (const { id } of parts.flatMap(({ records }) => records)) {
      await clearMark(ctx.db, { table: 'dispensing_records', id })
    }
    return { ok: true as const }
  },
})

const lockRecord = ({ db, actor }: Context, id: string) =>
  db
    .selectFrom('dispensing_records')
    .select([
      'clinic_id',
      'drug_id',
      'batch_id',
      'prescription_item_id',
      'patient_id',
      'quantity_dispensed',
      'dispensed_at',
      'entered_on',
    ])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where('reverses_id', 'is', null)
    .where(inPermittedClinics(actor, 'clinic_id', ...dispenseAt))
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('dispensing.recordNotFound'))

/** The locked record of a clinic in which the actor dispenses. */
const reversible: On<{ recordId: string }, { record: Awaited<ReturnType<typeof lockRecord>> }> = {
  permits: (actor) => permitsSomewhere(dispenseAt, actor),
  rows: async (ctx, { recordId }) => ({ record: await lockRecord(ctx, recordId) }),
}

/**
 * Takes one record back, by a counter-entry: stock, items and statuses follow. A second time is
 * refused.
 */
export const reverseDispensing = mutation('dispensing.reverse', {
  input: Reverse,
  on: reversible,
  async run({ db, actor }, { id, recordId, reason, ...when }, { record }) {
    const counter = await db
      .selectFrom('dispensing_records')
      .select('id')
      .where('reverses_id', '=', recordId)
      .executeTakeFirst()
    if (counter?.id === id) return { id }
    if (counter) throw conflict('dispensing.alreadyReversed')

    // a wrong entry of an earlier day is taken back on its own day
    const own = record.entered_on ? dayIn(record.dispensed_at, clinicTimeZone()) : null
    const { at, enteredOn } = happened(
      own && !when.day ? { day: own, confirmed: ['old_day'] } : when,
    )
    await returnStock(db, { referenceId: recordId, now: at, reason, enteredOn })
    await db
      .insertInto('dispensing_records')
      .values({
        ...record,
        id,
        quantity_dispensed: -record.quantity_dispensed,
        reverses_id: recordId,
        reason,
        dispensed_by: actor.userId,
        recorded_by_user_id: actor.userId,
        dispensed_at: at,
        entered_on: enteredOn,
      })
      .execute()
    return { id }
  },
})

type Part = z.output<typeof Dispense>['items'][number]
type PartOfItem = Part & { item: Item }
type Where = { patientId: string; clinicId: string }

async function handOut(
  { db, actor }: Context,
  { item, records, days_supply, reason }: PartOfItem,
  to: Where,
  { at: now, enteredOn }: Happened,
) {
  // a record for each batch; what was held is put back with the first
  if (enteredOn) {
    // batches first, as everywhere
    await lockBatches(db, to.clinicId, [item.drug_id])
    await releaseStock(db, item.id)
  }
  for (const [at, { id, batchId, quantity }] of records.entries()) {
    if (enteredOn || batchId === null) {
      // one query for each batch: it locks its own
      await reportDispensed(db, {
        clinicId: to.clinicId,
        drugId: item.drug_id,
        batchId,
        quantity,
        referenceId: id,
        by: actor.userId,
        at: now,
        enteredOn,
      })
      continue
    }
    await dispenseStock(db, {
      clinicId: to.clinicId,
      drugId: item.drug_id,
      referenceId: id,
      batches: [{ batchId, quantity }],
      now,
      holdFor: at === 0 ? item.id : undefined,
    })
  }
  await db
    .insertInto('dispensing_records')
    .values(
      records.map(({ id, batchId, quantity }) => ({
        id,
        clinic_id: to.clinicId,
        drug_id: item.drug_id,
        batch_id: batchId,
        prescription_item_id: item.id,
        patient_id: to.patientId,
        quantity_dispensed: quantity,
        dosage_instructions: item.dosage_instructions,
        dose: item.dose && JSON.stringify({ ...item.dose, text: item.dosage_instructions }),
        days_supply,
        reason,
        dispensed_by: actor.userId,
        recorded_by_user_id: actor.userId,
        dispensed_at: now,
        entered_on: enteredOn,
      })),
    )
    .execute()
}

/** Reserves what is still due of a fill that was begun, as far as there is stock. */
async function holdRest(
  db: Kysely<DB>,
  prescriptionId: string,
  clinicId: string,
  parts: PartOfItem[],
  now: Date,
) {
  const after = (await loadPrescriptionItems(db, [prescriptionId])).get(prescriptionId) ?? []
  for (const item of after) {
    const quantity = dueQuantity(item)
    const wasTouched = parts.some(({ itemId }) => itemId === item.id)
    if (!wasTouched || quantity === 0 || quantity === item.quantity_prescribed) continue
    // each query locks its own batches
    await reserveStock(db, { referenceId: item.id, clinicId, drugId: item.drug_id, quantity, now })
  }
}

/** True when all of it is in the books already: the same quantities of the same batches, for the same items. */
async function isRepeat(db: Kysely<DB>, items: readonly Part[]): Promise<boolean> {
  const wanted = items.flatMap(({ itemId, records }) =>
    records.map((record) => ({ ...record, itemId })),
  )
  const there = await db
    .selectFrom('dispensing_records')
    .select(['id', 'prescription_item_id', 'batch_id', 'quantity_dispensed'])
    .where(
      'id',
      'in',
      wanted.map(({ id }) => id),
    )
    .execute()
  if (there.length === 0) return false
  const isSame = wanted.every(({ id, itemId, batchId, quantity }) =>
    there.some(
      (record) =>
        record.id === id &&
        record.prescription_item_id === itemId &&
        record.batch_id === batchId &&
        record.quantity_dispensed === roundQuantity(quantity),
    ),
  )
  if (!isSame) throw conflict('dispensing.alreadyRecorded')
  return true
}

/** The patient can no longer take it. What phones dispensed before is recorded as it happened. */
async function requireLiving(db: Kysely<DB>, patientId: string, day: string) {
  const patient = await db
    .selectFrom('patients')
    .select('died_on')
    .where('id', '=', patientId)
    .executeTakeFirst()
  if (patient?.died_on && (day > patient.died_on || day === clinicToday()))
    throw conflict('patients.hasDied')
}

function requireOpen(
  { status, expiration_date }: { status: string; expiration_date: Date | null },
  day: string,
) {
  if (status === 'cancelled') throw conflict('dispensing.isCancelled')
  const lastDay = expiration_date && dayIn(expiration_date, clinicTimeZone())
  if (lastDay && lastDay < day) throw conflict('dispensing.isExpired', { day: lastDay })
}

const batchLines = (items: readonly Part[]) =>
  items.flatMap(({ records }, at) => records.map((one) => ({ ...one, path: `items.${at}` })))

/** More than was prescribed is refused, but what was prescribed may be a slip itself. */
function askAboutAmounts(parts: readonly PartOfItem[], confirmed: readonly EarlierDayQuestion[]) {
  if (confirmed.includes('unlikely_amount')) return
  const fields: Record<string, Message> = {}
  for (const [at, { item, days_supply, records }] of parts.entries()) {
    const quantity = roundQuantity(records.reduce((sum, record) => sum + record.quantity, 0))
    const doubt = amountDoubt(quantity, days_supply, item.form)
    if (doubt) fields[`items.${at}`] = doubt
  }
  if (Object.keys(fields).length > 0) throw askAbout('unlikely_amount', fields)
}

/** Only what happened earlier may have an unknown batch. */
function requireBatches(items: readonly Part[]) {
  for (const [at, { records }] of items.entries())
    for (const [line, { batchId }] of records.entries())
      if (batchId === null)
        throw invalid({
          [`items.${at}.records.${line}.batchId`]: { key: 'dispensing.batchRequired' },
        })
}

function requireLeft(
  prescribed: readonly Item[],
  { itemId, records, reason }: Part,
  at: number,
): Item {
  const item = prescribed.find(({ id }) => id === itemId)
  if (!item) throw notFound('prescriptions.notFound')
  const wanted = Math.round(records.reduce((sum, { quantity }) => sum + quantity, 0) * 1000) / 1000
  const left = remainingQuantity(item)
  if (wanted > left)
    throw invalid({ [`items.${at}`]: { key: 'dispensing.tooMuch', values: { left } } })
  const due = dueQuantity(item)
  // several fills at once are a stock at home: they need a reason
  if (wanted > due && !reason) {
    throw invalid({ [`items.${at}.reason`]: { key: 'dispensing.moreThanDue', values: { due } } })
  }
  return item
}

/**
 * A controlled medicine is due again when the last supply is used up; before that day it needs a
 * reason. What was dispensed since an earlier day does not count on it.
 */
async function requireTime(
  db: Kysely<DB>,
  patientId: string,
  parts: readonly PartOfItem[],
  on: string,
) {
  for (const [at, { item, reason }] of parts.entries()) {
    if (reason) continue
    const day = await findEarliestSupplyDay(db, patientId, item, on)
    if (day)
      throw invalid({ [`items.${at}.reason`]: { key: 'dispensing.tooEarly', values: { day } } })
  }
}

/**
 * Only what concerns the medicines that are dispensed now: the rest was checked when it was
 * prescribed.
 */
async function warningsAbout(
  db: Kysely<DB>,
  patientId: string,
  prescriptionId: string,
  prescribed: readonly Item[],
  parts: readonly PartOfItem[],
) {
  const drugIds = prescribed
    .filter(({ item_status }) => item_status !== 'cancelled')
    .map(({ drug_id }) => drug_id)
  const warnings = await warningsFor(db, {
    patientId,
    drugIds,
    prescriptionId,
    doses: structuredDoses(prescribed),
  })
  return warnings.filter((warning) =>
    isWarningAbout(
      warning,
      parts.map(({ item }) => item.drug_id),
    ),
  )
}

/** The last day of a treatment that begins today, `yyyy-MM-dd`. */
export const courseEnd = (days: number | null, now = new Date()) =>
  days === null ? null : dayIn(new Date(now.getTime() + (days - 1) * 86_400_000), clinicTimeZone())
