import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'

const id = z.uuid('validation.id')
const day = z.iso.date('validation.date')
const text = (max: number) => z.string('validation.wrongType').trim().max(max, 'validation.tooLong')
/** A bound as it is typed: a number for numbers, a day for days. */
const bound = text(30)

/**
 * Which answers to a form: of a clinic, recorded from and to a day (both included), of a patient, and by what one
 * question was answered: `value` (an option's value, or words in a text), or `least` and `most` of a number or a day.
 */
export const EventFilter = z.object({
  formId: id,
  clinicId: id.optional(),
  from: day.optional(),
  to: day.optional(),
  patientId: id.optional(),
  field: text(100).optional(),
  value: text(200).optional(),
  least: bound.optional(),
  most: bound.optional(),
})
export type EventFilter = z.output<typeof EventFilter>

/** By when it was recorded, by the patient's or the clinic's name, or by the answer to a question (its id). */
export const SORTS = ['recorded', 'patient', 'clinic'] as const
const order = {
  sort: text(100).optional(),
  direction: z.enum(['asc', 'desc'], 'validation.option').optional(),
}
export const ListByForm = EventFilter.extend({ ...order, page: ListInput.shape.page })

/** `answers`: the options' labels in that language, or their values as they are kept. */
export const ExportEvents = EventFilter.extend({
  ...order,
  ...asFile,
  answers: z.enum(['labels', 'values'], 'validation.option').default('labels'),
})
export type ExportEvents = z.output<typeof ExportEvents>
