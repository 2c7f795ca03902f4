import { Paper, Stack, Text, Title, useDirection } from '@mantine/core'
import type { FormAnswer } from '~/forms/answers'
import { answerTexts } from '~/forms/answers-text'
import type { EventFormField } from '~/forms/definition'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import type { EventChange } from './event-history.server'

/** Who answered what, and what it said before, newest first. */
export function EventHistory({ changes }: { changes: EventChange[] }) {
  const say = useSay()
  const { dir } = useDirection()
  const inWords = (field: EventFormField, answer: FormAnswer) => {
    if (answer === null) return '—'
    if (field.fieldType === 'file')
      return say({ key: 'events.files', values: { count: [answer].flat().length } })
    return answerTexts(field, answer, say).join('; ')
  }
  // saved without an answer: nothing was said, and nothing else since
  if (changes.length === 0) return null
  return (
    <section aria-label={say('events.history')} data-print="no">
      <Title order={2} mb="xs">
        {say('events.history')}
      </Title>
      <Paper withBorder p="md">
        <Stack gap="md">
          {changes.map(({ id, at, user, via, isFirst, changed }) => (
            <div key={id}>
              <Text size="sm" fw={600}>
                <Moment at={at} /> · <bdi>{user ?? say('events.unknownUser')}</bdi>
                {via === 'phone' && ` · ${say('audit.via_phone')}`}
              </Text>
              {isFirst ? (
                <Text size="sm" c="dimmed">
                  {say({ key: 'events.recordedFirst', values: { count: changed.length } })}
                </Text>
              ) : (
                changed.map(({ field, before, after }) => (
                  <Text key={field.id} size="sm" component="div">
                    <bdi>{field.name}</bdi>: <bdi>{inWords(field, before)}</bdi>
                    {dir === 'rtl' ? ' ← ' : ' → '}
                    <bdi>{inWords(field, after)}</bdi>
                  </Text>
                ))
              )}
            </div>
          ))}
        </Stack>
      </Paper>
    </section>
  )
}
