import { Alert, Paper, Progress, Stack, Text } from '@mantine/core'
import type { OperationResult } from '~/client/api'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { BackupState as Status } from './backup'
import type { ListedBackup } from './backups.server'

const tones: Record<Status, Tone> = {
  waiting: 'plain',
  running: 'plain',
  finished: 'good',
  failed: 'bad',
}

/** How it went; of a failed one also why. */
export function BackupStatus({ backup: { status, failure } }: { backup: ListedBackup }) {
  const say = useSay()
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={tones[status]}>{say(`backups.statuses.${status}`)}</StatusBadge>
      {failure && (
        <Text size="sm" c="dimmed">
          {say(failure)}
        </Text>
      )}
    </Stack>
  )
}

/** Until it is done. */
export function BackupProgress({ percent }: { percent: number }) {
  const text = useSay()({ key: 'backups.progress', values: { percent } })
  return (
    <Paper withBorder p="md">
      <Text size="sm" mb="xs" aria-live="polite">
        {text}
      </Text>
      <Progress value={percent} animated aria-label={text} />
    </Paper>
  )
}

/** Whether there is a good backup, and from when. */
export function LastBackup({ last, failed }: OperationResult<'backups.last'>) {
  const say = useSay()
  if (failed)
    return (
      <Alert color="red" variant="light" role="alert" title={say('backups.lastFailed')}>
        {say(failed.failure ?? 'backups.failed')}
      </Alert>
    )
  if (!last) return null
  return (
    <Text>
      {say('backups.lastGood')} <Moment at={last.finishedAt} />
    </Text>
  )
}
