import * as z from 'zod'
import { keysIn } from '~/shared/object'
import { LANGUAGES } from '~/shared/language'
import { RecordCall } from '../followup'

/** What the user does with the text, and the state that the message has then. */
export const WAYS = { copy: 'copied', print: 'printed', send: 'queued' } as const
export type Way = keyof typeof WAYS

export type MessageState =
  | 'copied'
  | 'printed'
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'cancelled'

const { id, patient_id, program } = RecordCall.shape

export const PrepareMessage = z.object({ patient_id, program })

export const CreateMessage = z.object({
  id,
  patient_id,
  program,
  language: z.enum(LANGUAGES, 'validation.option'),
  way: z.enum(keysIn(WAYS), 'validation.option'),
  /** As it was previewed. */
  body: z.string('validation.wrongType').max(2000, 'validation.tooLong'),
})
