import * as z from 'zod'
import { relatedPersonRecord } from '~/records/related-person'
import type { Message } from '~/shared/errors'

type Given = { related_patient_id?: unknown; name?: unknown; phone?: unknown }

/** Either another patient, or a name with its telephone: the first fault, beside its field. */
export function relatedPersonFault({
  related_patient_id,
  name,
  phone,
}: Given): Record<string, Message> {
  if (!related_patient_id && !name) return { name: { key: 'relatedPersons.nameOrPatient' } }
  if (related_patient_id && name) return { name: { key: 'relatedPersons.oneOfBoth' } }
  if (related_patient_id && phone) return { phone: { key: 'relatedPersons.phoneOfPatient' } }
  return {}
}

export const SaveRelatedPerson = relatedPersonRecord.save
  .extend({ patient_id: z.uuid('validation.id') })
  .superRefine((given, ctx) => {
    for (const [name, { key }] of Object.entries(relatedPersonFault(given)))
      ctx.addIssue({ code: 'custom', message: key, path: [name] })
  })
