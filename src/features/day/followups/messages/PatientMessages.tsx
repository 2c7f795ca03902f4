import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { api } from '~/client/api'
import { textDirection } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Moment } from '~/ui/Moment'
import { MessageStateText } from './MessageStateText'
import type { PatientMessage } from './messages.server'

/** The messages to a patient, the newest first, with what became of each. */
export function PatientMessages({ messages }: { messages: readonly PatientMessage[] }) {
  const say = useSay()
  const { run, pending } = useAction()
  if (messages.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={say('messages.title')}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say('messages.title')}
        </Title>
        <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {messages.map(({ id, body, language, created_at, created_by, mayCancel, ...state }) => (
            <Group key={id} component="li" justify="space-between" align="flex-start" gap="sm">
              <Stack gap={2} maw="38rem" miw={0}>
                <Text
                  size="sm"
                  lang={language}
                  dir={textDirection(language)}
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {body}
                </Text>
                <Text size="xs" c="dimmed">
                  <Moment at={created_at} />
                  {created_by && (
                    <>
                      {' · '}
                      <bdi>{created_by}</bdi>
                    </>
                  )}
                </Text>
              </Stack>
              <Stack gap="xs" align="flex-start">
                <MessageStateText message={state} />
                {mayCancel && (
                  <Button
                    size="xs"
                    variant="default"
                    disabled={pending}
                    onClick={() =>
                      void run(() => api.messages.cancel({ id }), {
                        success: 'messages.cancelledDone',
                      })
                    }
                  >
                    {say('messages.cancel')}
                  </Button>
                )}
              </Stack>
            </Group>
          ))}
        </Stack>
      </Stack>
    </Paper>
  )
}
