import * as z from 'zod'
import { type Birth, type BirthPrecision, birthSpan } from '~/fields/birth'
import {
  BASE_FIELDS,
  type BaseColumn,
  MOST_FIELDS,
} from '~/features/registration-form/registration-form'
import { Saved } from '~/shared/record'

/** The columns of a patient that the registration form's base fields fill. */
export const BASE_COLUMNS = Object.keys(BASE_FIELDS) as [BaseColumn, ...BaseColumn[]]
export type { BaseColumn }

export const PatientId = z.object({ id: z.uuid('validation.id') })
export const OfPatient = z.object({ patientId: z.uuid('validation.id') })

/** Base answers are texts; the form says which are required and what each may be. */
const text = z.string('validation.wrongType').max(2000, 'validation.tooLong').nullish()
const baseAnswers = Object.fromEntries(BASE_COLUMNS.map((column) => [column, text])) as Record<
  BaseColumn,
  typeof text
>

const answers = z
  .record(
    z.uuid('validation.id'),
    z.union(
      [z.string(), z.number(), z.boolean(), z.array(z.string()).max(500), z.null()],
      'validation.wrongType',
    ),
    'validation.wrongType',
  )
  .refine((given) => Object.keys(given).length <= MOST_FIELDS, 'validation.wrongType')
  .optional()

const clinic = z.uuid({
  error: ({ input }) => (input ? 'validation.id' : 'registration.clinicRequired'),
})

/**
 * What a registration or a change says. `date_of_birth` may be a day, a year ("1990"), about a year ("~1990") or an age
 * ("34"); `answers` go by the id of the form's field. In a change, what is absent stays as it is.
 */
export const SavePatient = Saved.extend({
  ...baseAnswers,
  primary_clinic_id: clinic.optional(),
  answers,
  /** `yyyy-MM-dd`; null takes a death back that was recorded by mistake. */
  died_on: z.iso.date('validation.date').nullable().optional(),
})
export const CreatePatient = Saved.omit({ last_modified: true }).extend({
  ...baseAnswers,
  primary_clinic_id: clinic,
  answers,
})

/** What else phones and we keep beside the columns. */
export type Metadata = Record<string, string | number | boolean | null>

type Named = { given_name: string | null; surname: string | null }

/** As people call him; "" when nobody wrote down a name. */
export const nameOf = ({ given_name, surname }: Named) =>
  [given_name, surname].filter(Boolean).join(' ')

const PRECISION = 'date_of_birth_precision'

/** How exactly the date of birth is known; what phones send is exact. */
export function birthPrecisionOf(metadata: unknown): BirthPrecision {
  const kept = (metadata as Record<string, unknown> | null)?.[PRECISION]
  return kept === 'week' || kept === 'month' || kept === 'year' || kept === 'age' ? kept : 'day'
}

type Born = { date_of_birth: string | null; metadata: unknown }

/** The date of birth with its precision; null when unknown. */
export const birthOf = ({ date_of_birth, metadata }: Born): Birth | null =>
  date_of_birth === null ? null : { day: date_of_birth, precision: birthPrecisionOf(metadata) }

/** True if the day is before every possible date of birth. */
export function isBeforeBirth(patient: Born, day: string): boolean {
  const birth = birthOf(patient)
  return birth !== null && day < birthSpan(birth)[0]
}

/** The metadata that says so, everything else in it kept. */
export function withBirthPrecision(
  metadata: unknown,
  precision: BirthPrecision,
): Record<string, unknown> {
  const { [PRECISION]: _old, ...others } = (metadata ?? {}) as Record<string, unknown>
  return precision === 'day' ? others : { ...others, [PRECISION]: precision }
}
