import { createContext } from 'react'
import * as z from 'zod'
import type { GivenReasons } from '~/features/medicines/safety/second/given-reason'
import { SignIn } from '~/features/office/sessions/session'
import { AppError } from '~/shared/errors'

/** Where a grave warning is overridden; the second person must be one who may prescribe there. */
type SecondPlace = { patientId: string; clinicId: string | null }
/** Null where no second person is asked for. */
export const SecondPerson = createContext<SecondPlace | null>(null)

/** The sign-in of the second person, for one warning of one patient. */
export const ConfirmOverride = SignIn.extend({
  patientId: z.uuid('validation.id'),
  /** Null: the form is of no visit, and the person must prescribe somewhere. */
  clinicId: z.uuid('validation.id').nullable(),
  key: z
    .string('validation.wrongType')
    .min(1, 'validation.required')
    .max(500, 'validation.tooLong'),
})

/** The keys of the warnings whose confirmation did not count when they were saved in this order. */
export const refusedSeconds = (error: unknown, sent: readonly { key: string }[]): string[] =>
  error instanceof AppError
    ? sent.flatMap(({ key }, at) => (error.fields[`overrides.${at}.second`] ? key : []))
    : []

/** The reasons without the confirmations of these warnings, by default of all. */
export const withoutSeconds = (reasons: GivenReasons, keys = Object.keys(reasons)): GivenReasons =>
  Object.fromEntries(
    Object.entries(reasons).map(([key, { second, ...reason }]) => [
      key,
      keys.includes(key) ? reason : { ...reason, second },
    ]),
  )
