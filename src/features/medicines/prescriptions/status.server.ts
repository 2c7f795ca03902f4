import type { PrescriptionStatus } from '~/records/prescription-status'
import { permitsSomewhere } from '~/policy/facts'
import { dispenseAt, prescribeAt } from '~/policy/rules'
import { type Context, mutation, type On } from '~/server/operation'
import { mayIn } from '~/shared/actor'
import { forbidden, notFound } from '~/shared/errors'
import { holdFor } from './holds.server'
import { isDispensed } from './listing.server'
import { isDispensingStatus, SetPrescriptionStatus } from './prescription'
import { keepFilling, requireReason, requireStatusRight } from './prescriptions.server'
import { prescribable, prescriptionSeen } from './rights.server'

/** The locked prescription, to users who read it and prescribe or dispense somewhere. */
const lockedPrescription: On<{ id: string }, { was: Moved }> = {
  permits: (actor) => permitsSomewhere([...prescribeAt, ...dispenseAt], actor),
  rows: async (ctx, { id }) => ({ was: await lockPrescription(ctx, id) }),
}

/**
 * Sets any status. An unusual step is marked (`unusual_from`), and "picked up" with nothing
 * dispensed needs a `reason`. Preparing reserves stock as far as there is any; `missing` lists what
 * is short.
 */
export const setPrescriptionStatus = mutation('prescriptions.setStatus', {
  input: SetPrescriptionStatus,
  on: lockedPrescription,
  async run(ctx, { id, status, reason }, { was }) {
    await requireMover(ctx, was, status)
    if (was.status === status) return { id, status, unusual_from: was.unusual_from, missing: [] }
    requireReason(was, status, reason)
    const { unusual_from } = await ctx.db
      .updateTable('prescriptions')
      .set({ status, status_reason: reason, updated_at: new Date() })
      .where('id', '=', id)
      .returning('unusual_from')
      .executeTakeFirstOrThrow()
    await keepFilling(ctx, id)
    const missing =
      status === 'prepared' && was.pickup_clinic_id
        ? await holdFor(ctx.db, id, was.pickup_clinic_id)
        : []
    return { id, status, unusual_from: unusual_from as PrescriptionStatus | null, missing }
  },
})

/**
 * The live prescription, locked until the transaction ends. Throws `not_found` unless the actor may
 * read it.
 */
export async function lockPrescription({ db, actor }: Context, id: string) {
  const row = await db
    .selectFrom('prescriptions')
    .select(isDispensed.as('is_dispensed'))
    .select([
      'id',
      'patient_id',
      'pickup_clinic_id',
      'status',
      'unusual_from',
      'filled_at',
      'prescribed_at',
      'expiration_date',
    ])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where(prescriptionSeen(actor))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('prescriptions.notFound')
  return {
    ...row,
    status: row.status as PrescriptionStatus,
    unusual_from: row.unusual_from as PrescriptionStatus | null,
  }
}

type Moved = Awaited<ReturnType<typeof lockPrescription>>

/**
 * Dispensing statuses need permission to dispense at the pickup clinic; the others that, or to
 * prescribe for the patient.
 */
async function requireMover(ctx: Context, was: Moved, becomes: PrescriptionStatus) {
  const dispenses =
    was.pickup_clinic_id !== null &&
    mayIn(ctx.actor, 'can_dispense_medications', was.pickup_clinic_id)
  if (dispenses) return
  if (isDispensingStatus(becomes))
    return requireStatusRight(ctx, was.status, becomes, was.pickup_clinic_id)
  const own = await ctx.db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', was.patient_id)
    .where(prescribable(ctx.actor))
    .executeTakeFirst()
  if (!own) throw forbidden()
}
