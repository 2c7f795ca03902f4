import { Group } from '@mantine/core'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Problem } from './problems.server'

const tones = { active: 'warning', remission: 'plain', resolved: 'quiet' } as const

/** Its status, and its side where one is recorded. */
export function ProblemStatus({ problem: { clinical_status, laterality } }: { problem: Problem }) {
  const say = useSay()
  return (
    <Group gap={6} component="span" display="inline-flex">
      <StatusBadge tone={tones[clinical_status]}>{say(`problems.${clinical_status}`)}</StatusBadge>
      {laterality && <StatusBadge tone="plain">{say(`problems.side_${laterality}`)}</StatusBadge>}
    </Group>
  )
}

/** In the user's language if the label is from the code list; else as it was written. */
export function problemName({ problem_label, labels }: Problem, language: Language): string {
  const isFromList = Object.values(labels).includes(problem_label)
  return isFromList ? translated(labels, language) : problem_label
}
