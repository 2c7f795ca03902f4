import * as z from 'zod'
import { CODE_SYSTEMS, type CodeSystem, problemRecord } from '~/records/problem'

export const CODE_SYSTEM_NAMES: Record<CodeSystem, string> = {
  icd10: 'ICD-10',
  icd10cm: 'ICD-10-CM',
  icd11: 'ICD-11',
  snomed: 'SNOMED CT',
}

/** https://hl7.org/fhir/R4/terminologies-systems.html and, for ICD-11, https://id.who.int */
export const CODE_SYSTEM_URLS = {
  icd10: 'http://hl7.org/fhir/sid/icd-10',
  icd10cm: 'http://hl7.org/fhir/sid/icd-10-cm',
  icd11: 'http://id.who.int/icd/release/11/mms',
  snomed: 'http://snomed.info/sct',
} as const satisfies Record<CodeSystem, string>

/** "ICD-10 I10"; of a problem that was moved in without a known code, what the former server had. */
export const codeText = (
  { problem_code_system, problem_code }: { problem_code_system: string; problem_code: string },
  uncoded: string,
) => {
  const names: Partial<Record<string, string>> = CODE_SYSTEM_NAMES
  return `${names[problem_code_system] ?? uncoded} ${problem_code}`.trim()
}

type LabelColumns = { label_en: string | null; label_ar: string | null; label_es: string | null }

/** The words of the code list, in its languages. */
export const codeLabels = ({ label_en, label_ar, label_es }: LabelColumns) => ({
  en: label_en ?? undefined,
  ar: label_ar ?? undefined,
  es: label_es ?? undefined,
})

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

/** `firstLine`: the line of the file at which the batch begins, to report rejected rows by their lines. */
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

/** The fields of a form over a problem: what was taken over in words alone may stay without a code. */
export const fieldsOfProblem = (
  problem: { problem_code_system: string } | undefined,
): typeof problemRecord.fields => {
  const { fields } = problemRecord
  const required = problem?.problem_code_system !== 'uncoded'
  return {
    ...fields,
    problem_code: { ...fields.problem_code, required } as typeof fields.problem_code,
  }
}
