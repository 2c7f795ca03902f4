import type { MessageKey } from './language'
import { addDays } from './zone'

/**
 * Days that users plan, by kind. `possible`: days from the first day (today, or the day of the prescription) that can
 * be meant at all; others are refused at the field, because only a slip of the calendar names them. `usual`: a day
 * beyond it is saved, with a notice beside the field.
 */
const KINDS = {
  appointment: {
    possible: [-10_958, 3653],
    usual: [0, 366],
    impossible: 'dates.appointmentImpossible',
    early: 'dates.appointmentPast',
    late: 'dates.farAhead',
  },
  prescriptionExpiry: {
    possible: [0, 3653],
    usual: [0, 732],
    impossible: 'dates.expiryImpossible',
    early: 'dates.expired',
    late: 'dates.farAhead',
  },
  reply: {
    possible: [-10_958, 3653],
    usual: [0, 366],
    impossible: 'dates.appointmentImpossible',
    early: 'dates.dayPast',
    late: 'dates.farAhead',
  },
} as const satisfies Record<
  string,
  {
    possible: readonly [number, number]
    usual: readonly [number, number]
    impossible: MessageKey
    early: MessageKey
    late: MessageKey
  }
>
type PlannedKind = keyof typeof KINDS

/** Why a day cannot be meant; null if it can. `from`: the day on which it is planned, `yyyy-MM-dd` as all days. */
export function impossibleDay(kind: PlannedKind, day: string, from: string): MessageKey | null {
  const { possible, impossible } = KINDS[kind]
  return day < addDays(from, possible[0]) || day > addDays(from, possible[1]) ? impossible : null
}

/** What a user should look at again before saving a possible day; null if it is usual. */
export function unusualDay(kind: PlannedKind, day: string, today: string): MessageKey | null {
  const { usual, early, late } = KINDS[kind]
  if (day < addDays(today, usual[0])) return early
  return day > addDays(today, usual[1]) ? late : null
}
