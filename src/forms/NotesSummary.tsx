import { Text, Title } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import type { NoteUrgency } from './definition-rules'
import classes from './FormAnswers.module.css'
import type { NoteField } from './notes'

export const URGENCY_LOOK = {
  emergency: { color: 'red', tone: 'bad', Icon: IconAlertOctagon },
  urgent: { color: 'yellow', tone: 'warning', Icon: IconAlertTriangle },
  advice: { color: 'gray', tone: 'plain', Icon: IconInfoCircle },
} as const satisfies Record<NoteUrgency, unknown>

type Props = {
  notes: readonly NoteField[]
  /** Among the answers of a saved form: the title is no heading of the page. */
  isSaved?: boolean
}

/** The notes that the answers brought up, most urgent first: none is lost in a long form, or when it is read later. */
export function NotesSummary({ notes, isSaved = false }: Props) {
  const say = useSay()
  if (notes.length === 0) return null
  return (
    <section
      className={classes.summary}
      // a page can show several saved forms: landmarks of the same name would be ambiguous
      role={isSaved ? 'group' : undefined}
      aria-label={say('answers.notes')}
    >
      {isSaved ? (
        <Text size="sm" fw={600}>
          {say('answers.notes')}
        </Text>
      ) : (
        <Title order={2} size="h3">
          {say('answers.notes')}
        </Title>
      )}
      <ol>
        {notes.map(({ id, content, rules: { urgency } }) => (
          <li key={id}>
            <StatusBadge tone={URGENCY_LOOK[urgency].tone}>
              {say(`answers.urgency_${urgency}`)}
            </StatusBadge>
            <Text size="sm" dir="auto">
              {content}
            </Text>
          </li>
        ))}
      </ol>
    </section>
  )
}
