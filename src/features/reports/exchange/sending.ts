import type { Dhis2SendingError } from './exchange'

/** Why an answer with this status is no import summary; null if it should be one. */
export function failureForStatus(status: number): Dhis2SendingError | null {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404) return 'not_found'
  if (status >= 300 && status < 400) return 'redirect'
  if (status === 429 || status >= 500) return 'server'
  return null
}

/** What may be different in a while. A wrong password is not tried again: it would lock the account. */
const PASSING: readonly Dhis2SendingError[] = ['unreachable', 'timeout', 'server']
/** Over about twelve hours. */
const MOST_ATTEMPTS = 11
const MINUTE_MS = 60_000

/** Milliseconds until the next attempt: 1, 2, 4 … minutes, at most 4 hours. Null: there is none. */
export const sendingRetryDelay = (attempts: number, error: Dhis2SendingError): number | null =>
  !PASSING.includes(error) || attempts >= MOST_ATTEMPTS
    ? null
    : Math.min(2 ** (attempts - 1), 240) * MINUTE_MS
