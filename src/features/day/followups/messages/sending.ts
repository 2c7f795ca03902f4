import { addDays, wallTime, momentAt } from '~/shared/zone'

/** No message leaves at night; the database keeps it, too (`messages_quiet_check`). */
const DAY_BEGINS = '09:00'
const DAY_ENDS = '20:00'

/** The moment itself by day, else the next morning in the zone. */
export function sendableFrom(at: Date, zone: string): Date {
  const [day = '', time = ''] = wallTime(at, zone).split('T')
  if (time >= DAY_BEGINS && time < DAY_ENDS) return at
  return momentAt(`${time < DAY_BEGINS ? day : addDays(day, 1)}T${DAY_BEGINS}`, zone)!
}

/** Seconds until the evening: afterwards the gateway does not send it any more. */
export const secondsOfDay = (at: Date, zone: string): number =>
  Math.floor(
    (momentAt(`${wallTime(at, zone).slice(0, 10)}T${DAY_ENDS}`, zone)!.getTime() - at.getTime()) /
      1000,
  )

/** A message that has not left by then is not sent any more. */
export const EXPIRES_MS = 24 * 3_600_000

/** 1, 2, 4 … minutes, at most one hour. */
export const messageRetryDelay = (attempts: number): number =>
  Math.min(2 ** Math.max(attempts - 1, 0), 60) * 60_000

/** A message of each: `messages.error_timeout`. */
export type MessageSendingError =
  | 'unreachable'
  | 'timeout'
  | 'refused_address'
  | 'too_large'
  | 'unauthorized'
  | 'redirect'
  | 'refused'
  | 'expired'
  | 'no_gateway'
  | 'gateway_changed'
  | 'no_consent'
  | 'not_due'
  | 'recent'
  | 'phone_changed'
  | 'cancelled'
