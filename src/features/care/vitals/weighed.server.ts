import { sql } from 'kysely'
import type { Weighed } from './usable-weight'

/** Of a row of `patient_vitals`: the weight that a user has confirmed. */
export const confirmedWeight = sql<string | null>`metadata #>> '{confirmed,weight_kg}'`

/** `confirmed` is about one value: another one of the row is not confirmed by it. */
export const toWeighed = (kg: number, at: Date, confirmed: string | null): Weighed => ({
  kg,
  at,
  isConfirmed: confirmed !== null && Number(confirmed) === kg,
})
