import { createContext } from 'react'
import * as z from 'zod'
import { SignIn } from '~/features/office/sessions/session'

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
