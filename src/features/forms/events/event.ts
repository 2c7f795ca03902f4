import * as z from 'zod'
import { AllergiesReason, Overrides } from '~/features/medicines/safety/override'
import { MOST_FIELDS } from '~/forms/definition'
import { ListInput, orNull, Saved } from '~/shared/record'

const id = z.uuid('validation.id')
const version = z
  .number('validation.wrongType')
  .int('validation.wrongType')
  .min(1, 'validation.tooSmall')
  .max(1e6, 'validation.tooLarge')

/** What one question was answered; what it may be, the form says. */
const Answer = z.object(
  {
    fieldId: z
      .string('validation.wrongType')
      .min(1, 'validation.required')
      .max(100, 'validation.tooLong'),
    value: z.unknown(),
  },
  'validation.wrongType',
)

/**
 * A form that was filled in, or a change to it. `answers`: null takes one away, what is absent stays as it is.
 * `form_version`: the version that was filled in; else the newest.
 */
export const SaveEvent = Saved.extend({
  patient_id: id,
  visit_id: orNull(id),
  form_id: id,
  form_version: version.optional(),
  answers: z.array(Answer, 'validation.wrongType').max(MOST_FIELDS, 'validation.tooMany'),
  /** Why medicines are recorded against the warnings of the safety check. */
  overrides: Overrides,
  /** Why nobody asked about allergies; asked for once a day of a patient who was never asked. */
  allergies_reason: AllergiesReason,
  /**
   * A screen saves: refuse a weight or height that is hardly possible for this patient, so that the screen can ask, and
   * an answer that the form excludes (`answerFlaw`). Another program's are stored and marked.
   */
  check_plausible: z.boolean('validation.wrongType').default(false),
  /** The questions whose weight or height a user was asked about and called right. */
  confirmed: z
    .array(z.string('validation.wrongType').max(100, 'validation.tooLong'), 'validation.wrongType')
    .max(MOST_FIELDS, 'validation.tooMany')
    .default([]),
})
export type SaveEvent = z.output<typeof SaveEvent>

/** Medicines by their names, while a form is being filled in. `eventId`: its own earlier answers are not counted. */
export const CheckMedicines = z.object({
  patientId: id,
  eventId: id,
  names: z
    .array(
      z
        .string('validation.wrongType')
        .trim()
        .min(1, 'validation.required')
        .max(500, 'validation.tooLong'),
      'validation.wrongType',
    )
    .max(100, 'validation.tooMany'),
})

export const ListEvents = z.object({
  patientId: id,
  formId: id.optional(),
  page: ListInput.shape.page,
})
/** A form to be filled in for a visit. */
export const NewEvent = z.object({ visitId: id, formId: id })

/** What may be sent, in bytes: a page that was photographed is less than half of it. */
export const MOST_FILE_BYTES = 10 * 1024 * 1024
export const MOST_FILE_MB = MOST_FILE_BYTES / 1024 / 1024

/** `content` is a PNG, a JPEG or a PDF in base64. The event need not have been saved yet. */
export const SaveEventFile = z.object({
  id,
  event_id: id,
  visit_id: id,
  field_id: z
    .string('validation.wrongType')
    .min(1, 'validation.required')
    .max(100, 'validation.tooLong'),
  name: z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(200, 'validation.tooLong'),
  content: z
    .string('answers.notAFile')
    .max(Math.ceil((MOST_FILE_BYTES * 4) / 3) + 4, 'answers.fileTooLarge')
    .pipe(z.base64('answers.notAFile'))
    .refine((text) => text !== '', 'answers.notAFile'),
})
