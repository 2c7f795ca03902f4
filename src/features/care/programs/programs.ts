import type { Language } from '~/shared/language'
import table from './programs.json'

/**
 * What makes a visit count for a program: a day with a blood pressure, with a blood pressure or a
 * blood sugar, with an antenatal contact, with a dose, with any visit.
 */
export type Counts = 'bp' | 'bp_or_sugar' | 'contact' | 'dose' | 'visit'

type Program = {
  code: string
  names: Record<Language, string>
  icd10: readonly string[]
  icd11: readonly string[]
  snomed: readonly string[]
  counts: Counts
  /** Days from the first day of the last period, else from the enrolment. */
  lasts?: number
  /** A record enrols only a patient below this age. */
  until_months?: number
}

export const PROGRAMS = table.programs as readonly Program[]
export const PROGRAM_CODES = PROGRAMS.map(({ code }) => code)
export const PREGNANCY = 'pregnancy'

const byCode = new Map(PROGRAMS.map((program) => [program.code, program]))
export const programOf = (code: string) => byCode.get(code)

/** The name in a language; of an unknown program, its code. */
export const programName = (code: string, language: Language) =>
  byCode.get(code)?.names[language] ?? code

/** The codes of all programs as rows for SQL: a code matches by its first characters. */
export const programCodes = PROGRAMS.flatMap(({ code: program, icd10, icd11 }) => [
  ...icd10.flatMap((range) => {
    const [first = '', last = first] = range.split('-')
    return ['icd10', 'icd10cm'].map((system) => ({ program, system, first, last }))
  }),
  ...icd11.map((code) => ({ program, system: 'icd11', first: code, last: code })),
])
export const snomedCodes = PROGRAMS.flatMap(({ code: program, snomed }) =>
  snomed.map((code) => ({ program, code })),
)
