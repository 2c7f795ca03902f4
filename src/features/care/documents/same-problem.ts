import { plainWords } from '~/fields/plain-words'

type Named = { problem_code_system: string; problem_code: string; problem_label: string }

/** The same code of a system or, where one of the two has no code that Sanad knows, the same name. */
export const isSameProblem = (a: Named, b: Named) =>
  a.problem_code_system === 'uncoded' || b.problem_code_system === 'uncoded'
    ? plainWords(a.problem_label) === plainWords(b.problem_label)
    : a.problem_code_system === b.problem_code_system &&
      plainCode(a.problem_code) === plainCode(b.problem_code)

const plainCode = (code: string) => code.replaceAll(/[. ]/g, '').toUpperCase()
