import * as z from 'zod'
import { forEachName } from '~/shared/object'
import { COMPARED_COLUMNS } from '~/records/patient'
import type { MessageKey } from '~/shared/language'
import { needWords, careReasonFields } from '../care-reason'

const text = z.string('validation.wrongType').max(2000, 'validation.tooLong').nullish()

const compared = forEachName(COMPARED_COLUMNS, () => text)

/** The values typed so far. `date_of_birth` is a day, a year or an age, as in the form. */
export const FindDuplicates = z.object({
  ...compared,
  approximate: z.boolean('validation.wrongType').optional(),
  /** The patient who is compared with the others. */
  exceptId: z.uuid('validation.id').optional(),
})
export type Sought = z.output<typeof FindDuplicates>

/** The caller chooses `id`: the id of the link in the audit trail. */
export const UnlinkPatient = z.object({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
  clinicId: z.uuid('validation.id'),
})
export const LinkPatient = UnlinkPatient.extend(careReasonFields)
  .partial({ reason: true })
  .superRefine(needWords)

const STRENGTHS = ['likely', 'possible'] as const
export type Strength = (typeof STRENGTHS)[number]
export const strengthText = (strength: Strength): MessageKey => `duplicates.strength.${strength}`

/**
 * The evidence that both records are of one person, as shown to users; evidence against it is not
 * shown.
 */
export const MATCH_REASONS = [
  'sameGovernmentId',
  'governmentIdSlip',
  'governmentIdNear',
  'sameExternalId',
  'samePhone',
  'phoneSlip',
  'sameName',
  'nameAlike',
  'nameClose',
  'namesSwapped',
  'sameFirstName',
  'sameSurname',
  'sameBirth',
  'birthSwapped',
  'birthSlip',
  'sameYear',
  'yearClose',
  'sameHometown',
  'hometownAlike',
] as const
export type MatchReason = (typeof MATCH_REASONS)[number]
export const matchReasonKey = (reason: MatchReason): MessageKey => `duplicates.${reason}`
