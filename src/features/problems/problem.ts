import * as z from 'zod'
import { date, number, optional, schemaOf, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { orNull, Saved } from '~/shared/record'

/** As the phones know them. */
export const CODE_SYSTEMS = ['icd10', 'icd10cm', 'icd11', 'snomed'] as const
export type CodeSystem = (typeof CODE_SYSTEMS)[number]
export const CODE_SYSTEM_NAMES: Record<CodeSystem, string> = {
  icd10: 'ICD-10',
  icd10cm: 'ICD-10-CM',
  icd11: 'ICD-11',
  snomed: 'SNOMED CT',
}

export const CLINICAL_STATUSES = ['active', 'remission', 'resolved'] as const
export type ClinicalStatus = (typeof CLINICAL_STATUSES)[number]
export const VERIFICATION_STATUSES = ['confirmed', 'provisional', 'unconfirmed', 'refuted'] as const
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number]

export const problemFields = {
  problem_code_system: select(
    'problems.system',
    CODE_SYSTEMS,
    (system): MessageKey => `problems.${system}`,
  ),
  problem_code: text('problems.code', { max: 50, requiredMessage: 'problems.codeRequired' }),
  problem_label: text('problems.label', { max: 300, requiredMessage: 'problems.labelRequired' }),
  clinical_status: select(
    'problems.clinicalStatus',
    CLINICAL_STATUSES,
    (status): MessageKey => `problems.${status}`,
  ),
  verification_status: select(
    'problems.verificationStatus',
    VERIFICATION_STATUSES,
    (status): MessageKey => `problems.${status}`,
  ),
  severity_score: optional(
    number('problems.severity', { min: 0, max: 10, hint: 'problems.severityHint' }),
  ),
  onset_date: optional(date('problems.onset')),
  end_date: optional(date('problems.end')),
}

/** A day that the browser of somebody further east calls today is no mistake. */
const isDayInFuture = (day: string) =>
  day > new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)

export const SaveProblem = Saved.extend({
  patient_id: z.uuid('validation.id'),
  visit_id: orNull(z.uuid('validation.id')),
})
  .extend(schemaOf(problemFields).shape)
  .superRefine(({ onset_date, end_date, clinical_status }, ctx) => {
    const complain = (path: string, message: MessageKey) =>
      ctx.addIssue({ code: 'custom', message, path: [path] })
    if (onset_date && isDayInFuture(onset_date)) complain('onset_date', 'problems.inFuture')
    if (end_date && isDayInFuture(end_date)) complain('end_date', 'problems.inFuture')
    if (onset_date && end_date && end_date < onset_date)
      complain('end_date', 'problems.endBeforeOnset')
    if (end_date && clinical_status === 'active')
      complain('clinical_status', 'problems.activeHasEnded')
  })
export const ProblemId = z.object({ id: z.uuid('validation.id') })

export const SearchCodes = z.object({
  query: z.string('validation.wrongType').trim().max(200, 'validation.tooLong'),
  system: z.enum(CODE_SYSTEMS, 'validation.option').optional(),
  limit: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'validation.tooSmall')
    .max(50, 'validation.tooLarge')
    .default(15),
})

/** One line of a code list, as a CSV file has it: an empty cell is no label. */
const cell = z
  .string('validation.wrongType')
  .trim()
  .max(500, 'validation.tooLong')
  .nullish()
  .transform((label) => label || null)
export const CodeRow = z
  .object({
    code: z
      .string('problems.codeRequired')
      .trim()
      .min(1, 'problems.codeRequired')
      .max(50, 'validation.tooLong'),
    system: z.enum(CODE_SYSTEMS, 'validation.option'),
    label_en: cell,
    label_ar: cell,
    label_es: cell,
  })
  .refine((row) => row.label_en || row.label_ar || row.label_es, {
    path: ['label_en'],
    message: 'problems.labelRequired',
  })

/** `firstLine`: where the batch begins in its file, so that what is refused can be found there. */
export const ImportCodes = z.object({
  rows: z
    .array(z.record(z.string(), z.unknown(), 'validation.wrongType'), 'validation.wrongType')
    .min(1, 'validation.required')
    .max(1000, 'validation.tooMany'),
  firstLine: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'validation.tooSmall')
    .max(10_000_000, 'validation.tooLarge')
    .default(2),
})
