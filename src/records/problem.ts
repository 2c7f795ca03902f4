import * as z from 'zod'
import { date, number, optional, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { cleanLine, latinDigitsOnly } from '~/shared/typed-text'
import { record } from './record'

/** The names that phones use. */
export const CODE_SYSTEMS = ['icd10', 'icd10cm', 'icd11', 'snomed'] as const
export type CodeSystem = (typeof CODE_SYSTEMS)[number]
/** In the order of the list; `unknown`: another system said it in a word that Sanad does not know. */
export const CLINICAL_STATUSES = ['active', 'unknown', 'remission', 'inactive', 'resolved'] as const
export const VERIFICATION_STATUSES = ['confirmed', 'provisional', 'unconfirmed', 'refuted'] as const
const LATERALITIES = ['left', 'right', 'both'] as const

/** The problem is over. One of which nobody knows counts as present. */
export const isOver = (status: ClinicalStatus) => status === 'inactive' || status === 'resolved'
type ClinicalStatus = (typeof CLINICAL_STATUSES)[number]
export const isRefuted = (problem: { verification_status: string }) =>
  problem.verification_status === 'refuted'
/** The patient has it: neither over nor refuted. `isCurrentProblem` of `diagnosed.server.ts` is the same of rows. */
export const isCurrent = (problem: { clinical_status: string; verification_status: string }) =>
  !isOver(problem.clinical_status as ClinicalStatus) && !isRefuted(problem)

const choices = [...CODE_SYSTEMS, ...CLINICAL_STATUSES, ...VERIFICATION_STATUSES] as const
const named = (value: (typeof choices)[number]): MessageKey => `problems.${value}`

/** What was taken over from another program in words alone has no code. */
const orNone = z
  .string({
    error: ({ input }) => (input == null ? 'problems.codeRequired' : 'validation.wrongType'),
  })
  .overwrite((typed) => latinDigitsOnly(cleanLine(typed)))
  .trim()
  .max(50, 'validation.tooLong')
export const hasCode = (problem: { problem_code_system: string; problem_code: string }) =>
  problem.problem_code !== '' || problem.problem_code_system === 'uncoded'

export const problemRecord = record('patient_problems', {
  patient_id: { device: 'id' },
  visit_id: { device: 'id?' },
  problem_code_system: {
    field: {
      ...select('problems.system', CODE_SYSTEMS, named),
      // of one that was moved in and can be changed before its code is chosen
      schema: z.enum([...CODE_SYSTEMS, 'uncoded'], 'validation.option'),
    },
    device: 'requiredText',
  },
  problem_code: {
    field: { ...text('problems.code', { isCode: true }), schema: orNone },
    device: 'requiredText',
  },
  problem_label: {
    field: text('problems.label', { max: 300, requiredMessage: 'problems.labelRequired' }),
    device: 'requiredText',
  },
  clinical_status: {
    field: select('problems.clinicalStatus', CLINICAL_STATUSES, named),
    device: 'requiredText',
  },
  verification_status: {
    field: select('problems.verificationStatus', VERIFICATION_STATUSES, named),
    device: 'requiredText',
  },
  severity_score: {
    field: optional(
      number('problems.severity', { min: 0, max: 10, hint: 'problems.severityHint' }),
    ),
    device: 'number?',
  },
  // a day in forms and saves, stored as the moment at which it begins in the clinic
  onset_date: { field: optional(date('problems.onset')), device: 'moment?' },
  end_date: { field: optional(date('problems.end')), device: 'moment?' },
  // the side of what there are two of; phones do not know it
  laterality: {
    field: optional(
      select('problems.laterality', LATERALITIES, (side): MessageKey => `problems.side_${side}`),
    ),
    keptIfAbsent: true,
  },
  recorded_by_user_id: { device: 'id?' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
  metadata: { device: 'json' },
})
