import * as z from 'zod'
import { asObject, forEachName } from '~/shared/object'
import { type Birth, type BirthPrecision, birthSpan, birthText } from '~/fields/birth'
import { LANGUAGES } from '~/shared/language'
import { weeksAtBirthField } from './weeks-at-birth'
import { BASE_COLUMNS, MOST_REGISTRATION_FIELDS } from '~/records/patient'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { Saved } from '~/shared/record'

export const PatientId = z.object({ id: z.uuid('validation.id') })
export const PatientIdInput = z.object({ patientId: z.uuid('validation.id') })

/**
 * Base answers are texts. The registration form decides which are required and which values are
 * valid.
 */
const text = z.string('validation.wrongType').max(2000, 'validation.tooLong').nullish()
const baseAnswers = forEachName(BASE_COLUMNS, () => text)

const answers = z
  .record(
    z.uuid('validation.id'),
    z.union(
      [z.string(), z.number(), z.boolean(), z.array(z.string()).max(500), z.null()],
      'validation.wrongType',
    ),
    'validation.wrongType',
  )
  .refine((given) => Object.keys(given).length <= MOST_REGISTRATION_FIELDS, 'validation.wrongType')
  .optional()

const clinic = z.uuid({
  error: ({ input }) => (input ? 'validation.id' : 'registration.clinicRequired'),
})

const short = z.string('validation.wrongType').max(500, 'validation.tooLong')
/**
 * Ids that other systems gave the patient, beside the two of the form, in the shape of FHIR:
 * `metadata.identifiers`. A change with a list replaces the stored one.
 */
const identifiers = z
  .array(
    z.object({
      use: short.optional(),
      type: z
        .object({ coding: z.array(z.object({ system: short.optional(), code: short })).max(5) })
        .optional(),
      system: short.optional(),
      value: short.min(1, 'validation.required'),
    }),
    'validation.wrongType',
  )
  .max(50, 'validation.tooMany')
  .optional()
/** The language of a patient; an absent one stays as it is. */
export const PatientLanguage = z.enum(LANGUAGES, 'validation.option')
const language = PatientLanguage.nullable().optional()
/** Completed weeks of pregnancy at birth; an absent value stays as it is. */
const weeksAtBirth = weeksAtBirthField.schema.optional()
/** `yyyy-MM-dd`. Null removes a death that was recorded by mistake. */
const died = z.iso.date('validation.date').nullable().optional()

/**
 * A registration or a change. `date_of_birth` may be a day, a year ("1990"), an approximate year
 * ("~1990") or an age ("34"). `answers` are keyed by the id of the form's field. A change leaves
 * absent values as they are.
 */
export const SavePatient = Saved.extend({
  ...baseAnswers,
  primary_clinic_id: clinic.optional(),
  answers,
  died_on: died,
  language,
  weeks_at_birth: weeksAtBirth,
  /** After a death: cancels the appointments to come in the clinics of the user. */
  cancel_appointments: z.boolean('validation.wrongType').optional(),
  /** What the user answered about a birth or death that the record contradicts; a program is not asked. */
  confirmed: ConfirmedIfAsked,
  identifiers,
})
export const CreatePatient = Saved.omit({ last_modified: true }).extend({
  ...baseAnswers,
  primary_clinic_id: clinic,
  answers,
  died_on: died,
  language,
  weeks_at_birth: weeksAtBirth,
  /** Of a newborn: links the two records. */
  mother_id: z.uuid('validation.id').nullish(),
  identifiers,
})

/** Values that phones and the server store beside the columns. */
export type Metadata = Record<string, string | number | boolean | null>

type Named = { given_name: string | null; surname: string | null }

/** The full name; "" if no name is recorded. */
export const patientName = ({ given_name, surname }: Named) =>
  [given_name, surname].filter(Boolean).join(' ')

const PRECISION = 'date_of_birth_precision'

/** How exactly the date of birth is known. Phones send exact dates only. */
export function readBirthPrecision(metadata: unknown): BirthPrecision {
  const kept = (metadata as Record<string, unknown> | null)?.[PRECISION]
  return kept === 'week' || kept === 'month' || kept === 'year' || kept === 'age' ? kept : 'day'
}

export type Born = {
  date_of_birth: string | null
  metadata: unknown
  /** Of rows that are read with it. */
  weeks_at_birth?: number | null
}

/** What tells two patients of one name apart in a list (`identifiersColumn`). */
export type Identifiers = {
  date_of_birth: string | null
  precision: BirthPrecision | null
  number: string | null
}

/** The date of birth with its precision; null when unknown. */
export const patientBirth = ({
  date_of_birth,
  metadata,
  weeks_at_birth = null,
}: Born): Birth | null =>
  date_of_birth === null
    ? null
    : {
        day: date_of_birth,
        precision: readBirthPrecision(metadata),
        ...(weeks_at_birth !== null && { weeksAtBirth: weeks_at_birth }),
      }

/**
 * As much of the date as is known: of a birth known to the week, its month if no other is possible; of one known to the
 * month, its month if its middle is the 15th; else its year.
 */
export function knownBirthDate(row: Born): string | undefined {
  const birth = patientBirth(row)
  if (!birth) return undefined
  const { day, precision } = birth
  if (precision === 'day') return day
  if (precision === 'year' || precision === 'age') return day.slice(0, 4)
  const isOneMonth =
    precision === 'month'
      ? day.endsWith('-15')
      : birthSpan(birth).every((end) => end.startsWith(day.slice(0, 7)))
  return day.slice(0, isOneMonth ? 7 : 4)
}

/** The birth as its text for a form; null when unknown. */
export const storedBirthText = (row: Born): string | null => {
  const birth = patientBirth(row)
  return birth && birthText(birth)
}

/** What an age needs of a patient's row, without the rest of its metadata. */
export const birthColumns = ({ date_of_birth, metadata }: Born) => ({
  date_of_birth,
  metadata: withBirthPrecision({}, readBirthPrecision(metadata)),
})

/** True if the day is before every possible date of birth. */
export function isBeforeBirth(patient: Born, day: string): boolean {
  const birth = patientBirth(patient)
  return birth !== null && day < birthSpan(birth)[0]
}

/** The metadata with this precision and all its other values. */
export function withBirthPrecision(
  metadata: unknown,
  precision: BirthPrecision,
): Record<string, unknown> {
  const { [PRECISION]: _old, ...others } = asObject(metadata)
  return precision === 'day' ? others : { ...others, [PRECISION]: precision }
}

export type StoredIdentifier = { system?: string; value?: string } & Record<string, unknown>
/** The identifiers that `metadata` has. Phones may store anything there: what is no list of objects is none. */
export function identifiersIn(metadata: unknown): StoredIdentifier[] {
  const { identifiers: storedIdentifiers } = asObject(metadata)
  return Array.isArray(storedIdentifiers)
    ? storedIdentifiers.filter(
        (one: unknown): one is StoredIdentifier => typeof one === 'object' && one !== null,
      )
    : []
}

/** The metadata with these identifiers, or as it is without a list. */
export function withIdentifiers(metadata: unknown, given: readonly object[] | undefined) {
  const { identifiers: _old, ...others } = asObject(metadata)
  if (given === undefined) return metadata
  return given.length === 0 ? others : { ...others, identifiers: given }
}

export const toRelative = (patient: Born & { sex: string | null }) => ({
  sex: patient.sex,
  birth: patientBirth(patient),
})
