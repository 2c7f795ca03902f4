import { createContext, use } from 'react'
import type { FieldErrors } from '~/ui/form'

export type Path = readonly (string | number)[]

/** What is wrong with the definition, by the path in `body`. */
export const DefinitionProblemsContext = createContext<FieldErrors>({})

/** The first problem at this place or within it. */
export function useProblem(path: Path) {
  const problems = use(DefinitionProblemsContext)
  const place = ['body', ...path].join('.')
  return Object.entries(problems).find(([at]) => at === place || at.startsWith(`${place}.`))?.[1]
}
