import * as z from 'zod'

/** The columns of a patient that the registration form's base fields fill. */
export const BASE_COLUMNS = [
  'given_name',
  'surname',
  'date_of_birth',
  'sex',
  'citizenship',
  'hometown',
  'phone',
  'camp',
  'government_id',
  'external_patient_id',
] as const
export type BaseColumn = (typeof BASE_COLUMNS)[number]

export const PatientId = z.object({ id: z.uuid('validation.id') })
export const OfPatient = z.object({ patientId: z.uuid('validation.id') })

type Named = { given_name: string | null; surname: string | null }

/** As people call him; "" when nobody wrote down a name. */
export const nameOf = ({ given_name, surname }: Named) => [given_name, surname].filter(Boolean).join(' ')
