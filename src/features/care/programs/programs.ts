import type { Language } from '~/shared/language'
import { type EndReason, GENERAL_REASONS } from '~/records/enrollment'
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
  /** The ends that users choose from; without them, those of any program. */
  outcomes?: readonly EndReason[]
  /** Concepts of forms that are columns of the register. */
  register?: readonly { concept: string; names: Record<Language, string> }[]
  /** What the outcomes mean, in our words. */
  meanings?: Readonly<Record<string, Record<Language, string>>>
  /** Its patients are listed only to users who read the history. */
  sensitive?: boolean
}

// the inferred type of JSON gives each program the keys of the others
export const PROGRAMS = table.programs as unknown as readonly Program[]
export const PREGNANCY = 'pregnancy'
export const SENSITIVE_CODES = PROGRAMS.flatMap(({ code, sensitive }) => (sensitive ? [code] : []))

const byCode = new Map(PROGRAMS.map((program) => [program.code, program]))
export const findProgram = (code: string) => byCode.get(code)

/** The ends of a program that users choose from. */
export const outcomesOfProgram = (code: string): readonly EndReason[] =>
  byCode.get(code)?.outcomes ?? GENERAL_REASONS

/** Programs that end with an outcome: their register keeps who ended in the last twelve months. */
export const hasOutcomes = (code: string) => byCode.get(code)?.outcomes !== undefined
/** Blood pressure says how the patients of the program are. */
export const showsPressure = (code: string) =>
  ['bp', 'bp_or_sugar', 'contact'].includes(byCode.get(code)?.counts ?? '')
/** The months of treatment in which sputum is examined (`tuberculosis-follow-up.json` names the sources). */
export const SPUTUM_MONTHS = ['0', '2', '5', '6'] as const
export const TUBERCULOSIS = 'tuberculosis'

/** What an outcome means by the source of the program; undefined where it defines none. */
export const outcomeMeaning = (code: string, outcome: string, language: Language) =>
  byCode.get(code)?.meanings?.[outcome]?.[language]

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
/**
 * What comes in episodes (ICD-10, ICD-11, SNOMED CT): acute psychoses, mania, one depressive episode, status
 * epilepticus, J46.
 */
const EPISODES = 'F23 F30 F32 G41 J46 6A23 6A70 8A66 35489007 69322001'.split(' ')
/** Diseases that stay: their programs neither last a time, nor end with an age or a cure. */
const LASTING = PROGRAMS.filter(
  ({ lasts, until_months, outcomes = [] }) =>
    !lasts && !until_months && !outcomes.includes('cured'),
)
/** Whether a coded problem is one of these; by its first characters, as `programCodes`. */
export function isOfLastingDisease(problem: {
  problem_code_system: string
  problem_code: string
}): boolean {
  const plain = problem.problem_code.toUpperCase().replaceAll(/[. ]/g, '')
  if (EPISODES.some((code) => plain.startsWith(code))) return false
  return LASTING.some(({ code: program, snomed }) =>
    problem.problem_code_system === 'snomed'
      ? snomed.includes(plain)
      : programCodes.some(
          (one) =>
            one.program === program &&
            one.system === problem.problem_code_system &&
            plain.slice(0, one.first.length) >= one.first &&
            plain.slice(0, one.last.length) <= one.last,
        ),
  )
}
export const snomedCodes = PROGRAMS.flatMap(({ code: program, snomed }) =>
  snomed.map((code) => ({ program, code })),
)
