import * as z from 'zod'
import { SavePrescription } from '~/features/medicines/prescriptions/prescription'
import { reasonText } from '~/shared/reason'
import { orNull } from '~/shared/record'

/** What is decided about a medicine that the patient takes. One without a decision was not asked about. */
export type Decision = 'keep' | 'stop' | 'change'

const uuid = () => z.uuid('validation.id')

export const OfReconciliation = z.object({
  patientId: uuid(),
  /** Absent or null: outside of a visit, today. */
  visitId: uuid().nullish(),
})

/** A medicine of the list, as the screen shows it: of one that changed meanwhile nothing is decided. */
const Listed = z.object({
  line: z
    .string('validation.wrongType')
    .min(1, 'validation.wrongType')
    .max(300, 'validation.tooLong'),
  name: z.string('validation.wrongType').max(2000, 'validation.tooLong'),
  dose: z.string('validation.wrongType').max(2000, 'validation.tooLong').nullable(),
})
export type Listed = z.output<typeof Listed>

export const DecideMedicine = Listed.extend({
  id: uuid(),
  patient_id: uuid(),
  visit_id: orNull(uuid()),
  decision: z.enum(['keep', 'stop'], 'validation.option'),
  /** The later last day of the medicine, which the user agreed to move back. */
  until: orNull(z.iso.date('validation.date')),
  /** Why it is stopped. */
  reason: orNull(reasonText({ missing: 'reconciliations.reasonRequired' })),
}).superRefine(({ decision, reason }, ctx) => {
  if (decision === 'stop' && !reason)
    ctx.addIssue({ code: 'custom', message: 'reconciliations.reasonRequired', path: ['reason'] })
})

/** A prescription that takes the place of a medicine of the list. */
export const ChangeMedicine = SavePrescription.extend({
  replaces: Listed.extend({ id: uuid() }),
})
