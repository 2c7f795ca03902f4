import { closeEarlier, followPhone } from '~/features/rules/transitions/day.server'
import type { Existing } from './merge'
import type { PushState } from './push-state'

/** Keeps an appointment as it was before this push wrote it for the first time. */
export function noteAppointment({ appointments }: PushState, id: string, before: Existing | null) {
  if (appointments.has(id)) return
  const was = before && {
    status: String(before.values['status']),
    isDeleted: before.isDeleted,
    visitId: (before.values['current_visit_id'] as string | null) || null,
  }
  appointments.set(id, was)
}

/** What the day's rules make of the appointments and visits that were written; the rows themselves stay as sent. */
export async function followDay({ ctx, appointments, inserted }: PushState) {
  await followPhone(
    ctx,
    [...appointments].map(([id, was]) => ({ id, was })),
  )
  const visits = inserted.filter(({ table }) => table === 'visits')
  await closeEarlier(
    ctx.db,
    visits.map(({ id }) => id),
  )
}
