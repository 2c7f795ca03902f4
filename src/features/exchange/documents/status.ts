import type { Concept } from './shapes'

/** The codes of statuses that have words here (https://hl7.org/fhir/R4/terminologies.html). */
const STATUSES = [
  'active',
  'inactive',
  'resolved',
  'remission',
  'recurrence',
  'relapse',
  'refuted',
  'entered-in-error',
  'confirmed',
  'unconfirmed',
  'provisional',
  'differential',
  'completed',
  'stopped',
  'on-hold',
  'intended',
  'not-taken',
  'not-done',
  'unknown',
  'preliminary',
  'final',
  'amended',
  'corrected',
  'draft',
  'cancelled',
] as const
type Status = (typeof STATUSES)[number]
export const isKnownStatus = (code: string): code is Status =>
  STATUSES.some((known) => known === code)

const KEYS = {
  'entered-in-error': 'documents.status_entered_in_error',
  'on-hold': 'documents.status_on_hold',
  'not-taken': 'documents.status_not_taken',
  'not-done': 'documents.status_not_done',
} as const
export const statusKey = (status: Status) =>
  status in KEYS
    ? KEYS[status as keyof typeof KEYS]
    : (`documents.status_${status as Exclude<Status, keyof typeof KEYS>}` as const)

/** The codes of statuses as the document has them, in the order given. */
export const statusCodes = (...concepts: (Concept | string | undefined)[]) => [
  ...new Set(
    concepts.flatMap((one): string[] => {
      if (one === undefined) return []
      if (typeof one === 'string') return [one]
      const codes = one.coding.flatMap(({ code }) => code ?? [])
      if (codes.length > 0) return codes
      if (one.text) return [one.text]
      return []
    }),
  ),
]
