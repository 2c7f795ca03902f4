import { plainWords } from '~/fields/plain-words'
import { CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import type { ToTake } from './document'

export type OwnProblem = {
  problem_code_system: string
  problem_code: string
  problem_label: string
  laterality: string | null
  onset_date: string | null
}
export type SaidProblem = Extract<ToTake, { kind: 'problems' }>

const URLS: Readonly<Record<string, string>> = CODE_SYSTEM_URLS

/** Any of the codes that the document has, or the same words. */
export const isAlikeProblem = (own: OwnProblem, said: SaidProblem) =>
  sharesCode(own, said) || plainWords(own.problem_label) === plainWords(said.input.problem_label)

/**
 * One of the codes or, where no code can be compared, the words; and nothing else that the document says is another:
 * the side, and the beginning as far as it says it.
 */
export const isSameProblem = (own: OwnProblem, said: SaidProblem) =>
  (sharesCode(own, said) || (!canCompare(own, said) && isAlikeProblem(own, said))) &&
  (said.input.laterality === null || said.input.laterality === own.laterality) &&
  isSameOnset(own, said)

function isSameOnset({ onset_date }: OwnProblem, { input, onset }: SaidProblem) {
  if (input.onset_date !== null) return input.onset_date === onset_date
  return !onset || !/^\d{4}/.test(onset) || (onset_date?.startsWith(onset) ?? false)
}

const sharesCode = (own: OwnProblem, said: SaidProblem) =>
  said.codes.some(
    ({ system, code }) =>
      system === URLS[own.problem_code_system] && plainCode(code) === plainCode(own.problem_code),
  )
const canCompare = (own: OwnProblem, said: SaidProblem) =>
  said.codes.some(({ system }) => system === URLS[own.problem_code_system])

const plainCode = (code: string) => code.replaceAll(/[. ]/g, '').toUpperCase()
