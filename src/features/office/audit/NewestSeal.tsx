import { Code, Group, Stack, Text, Title } from '@mantine/core'
import type { Answer } from '~/client/api'
import { useSay } from '~/shared/say'
import { CopyText } from '~/ui/CopyText'
import { Moment } from '~/ui/Moment'

/** What shows later that the audit trail was not rewritten, if it is kept outside the server. */
export function NewestSeal({ seal }: { seal: Answer<'audit.newestSeal'> }) {
  const say = useSay()
  return (
    <Stack component="section" gap="xs" aria-label={say('backups.sealTitle')}>
      <Title order={2}>{say('backups.sealTitle')}</Title>
      {seal ? (
        <>
          <Text>{say('backups.sealLead')}</Text>
          <Group gap="xs">
            <Code fz="sm" p="xs" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
              {seal.seal}
            </Code>
            <CopyText value={seal.seal} label="backups.sealCopy" />
          </Group>
          <Text size="sm" c="dimmed">
            {say('backups.sealAt')} <Moment at={seal.sealedAt} />
          </Text>
        </>
      ) : (
        <Text c="dimmed">{say('backups.sealNone')}</Text>
      )}
    </Stack>
  )
}
