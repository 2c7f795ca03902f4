import * as z from 'zod'

/** How a patient is reached: a text message (sent, or copied into a phone), or a letter. */
export const CHANNELS = ['sms', 'letter'] as const
export type Channel = (typeof CHANNELS)[number]

/** Raise it when the question `consents.ask_…` changes its meaning: each answer keeps the version that was asked. */
export const WORDING_VERSION = 1

export const SaveConsent = z.object({
  id: z.uuid('validation.id'),
  patient_id: z.uuid('validation.id'),
  channel: z.enum(CHANNELS, 'validation.option'),
  agreed: z.boolean('validation.required'),
})
