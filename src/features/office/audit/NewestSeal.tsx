import { Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { OperationResult } from '~/client/api'
import { useSay } from '~/shared/say'
import { CopyText } from '~/ui/CopyText'
import { Moment } from '~/ui/Moment'

/** The newest seal. A copy outside the server shows later whether the audit trail was rewritten. */
export function NewestSeal({ seal }: { seal: OperationResult<'audit.newestSeal'> }) {
  const say = useSay()
  return (
    <Paper withBorder p="md" component="section" aria-label={say('backups.sealTitle')}>
      <Stack gap="sm">
        <Title order={2}>{say('backups.sealTitle')}</Title>
        {seal ? <Seal {...seal} /> : <Text c="dimmed">{say('backups.sealNone')}</Text>}
      </Stack>
    </Paper>
  )
}

function Seal({ seal, sealedAt }: NonNullable<OperationResult<'audit.newestSeal'>>) {
  const say = useSay()
  return (
    <>
      <Text size="sm" c="dimmed">
        {say('backups.sealLead')}
      </Text>
      <Group gap="sm">
        <Code fz="sm" p="xs" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
          {seal}
        </Code>
        <CopyText value={seal} label="backups.sealCopy" />
      </Group>
      <Text size="sm" c="dimmed">
        {say('backups.sealAt')} <Moment at={sealedAt} />
      </Text>
    </>
  )
}
