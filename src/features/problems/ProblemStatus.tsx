import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Problem } from './problems.server'

const tones = { active: 'warning', remission: 'plain', resolved: 'quiet' } as const

export function ProblemStatus({ problem: { clinical_status } }: { problem: Problem }) {
  const say = useSay()
  return (
    <StatusBadge tone={tones[clinical_status]}>{say(`problems.${clinical_status}`)}</StatusBadge>
  )
}

/** In the user's language if the label is from the code list; else as it was written. */
export function problemName({ problem_label, labels }: Problem, language: Language): string {
  const isFromList = Object.values(labels).includes(problem_label)
  return isFromList ? translated(labels, language) : problem_label
}
