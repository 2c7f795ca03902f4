import { Group } from '@mantine/core'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Problem } from './problems.server'

const tones = {
  active: 'warning',
  unknown: 'warning',
  remission: 'plain',
  inactive: 'quiet',
  resolved: 'quiet',
} as const

/** Its status, in the words of a former system too, and its side where one is recorded. */
export function ProblemStatus({ problem }: { problem: Problem }) {
  const { clinical_status, laterality } = problem
  const say = useSay()
  return (
    <Group gap={6} component="span" display="inline-flex">
      <StatusBadge tone={tones[clinical_status]}>{say(`problems.${clinical_status}`)}</StatusBadge>
      <FormerWords problem={problem} />
      {laterality && <StatusBadge tone="plain">{say(`problems.side_${laterality}`)}</StatusBadge>}
    </Group>
  )
}

/** How a former system called the status, where Sanad does not know the word. */
export function FormerWords({ problem: { former_words } }: { problem: Problem }) {
  const say = useSay()
  if (!former_words) return null
  return (
    <span>
      {say('problems.formerWords')}: <bdi>{former_words}</bdi>
    </span>
  )
}

/** In the user's language if the label is from the code list; else as it was written. */
export function problemName(
  { problem_label, labels }: Pick<Problem, 'problem_label' | 'labels'>,
  language: Language,
): string {
  const isFromList = Object.values(labels).includes(problem_label)
  return isFromList ? translated(labels, language) : problem_label
}
