import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCopy, IconFolder } from '@tabler/icons-react'
import { useState } from 'react'
import { type OperationResult, api } from '~/client/api'
import { accepted, confirmFields, confirmWithCodeFields } from '~/features/office/sessions/session'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { useNow } from '~/ui/clock'
import { Moment } from '~/ui/Moment'
import { RecordDialog } from '~/ui/RecordDialog'
import { copyFields } from './copy'
import { isOldCopy } from './copy-age'

type State = OperationResult<'copies.get'>

type Props = {
  copies: State
  /** How a super administrator confirms another folder; null for users who may not choose it. */
  confirm: { needsCode: boolean } | null
}

/** The second folder for backups, and whether its newest copy is good and recent. */
export function Copies({ copies, confirm }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const [isChoosing, setChoosing] = useState(false)
  const { folder, isCopying } = copies
  return (
    <Paper withBorder p="md" component="section" aria-label={say('copies.title')}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={2}>{say('copies.title')}</Title>
          <Group gap="xs">
            {folder && (
              <Button
                variant="default"
                leftSection={<IconCopy size={16} aria-hidden />}
                loading={pending}
                disabled={isCopying}
                onClick={() => void run(() => api.copies.start(), { success: 'copies.started' })}
              >
                {say('copies.start')}
              </Button>
            )}
            {confirm && (
              <Button
                variant="default"
                leftSection={<IconFolder size={16} aria-hidden />}
                onClick={() => setChoosing(true)}
              >
                {say(folder ? 'copies.change' : 'copies.choose')}
              </Button>
            )}
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          {say('copies.lead')}
        </Text>
        {folder ? <CopyStatus copies={copies} /> : <Text size="sm">{say('copies.off')}</Text>}
      </Stack>
      {isChoosing && confirm && (
        <RecordDialog
          title="copies.title"
          size="md"
          fields={{ ...copyFields, ...(confirm.needsCode ? confirmWithCodeFields : confirmFields) }}
          record={{ ...copies, password: null }}
          onSave={async (values) =>
            accepted(await api.copies.save({ ...values, last_modified: copies.last_modified }))
          }
          saved={() => 'common.saved'}
          onClose={() => setChoosing(false)}
        />
      )}
    </Paper>
  )
}

function CopyStatus({ copies }: { copies: State }) {
  const say = useSay()
  const now = useNow()
  const { folder, last, failure, isSameDisk, isCopying, chosenAt, old_after_days } = copies
  const isOld = isOldCopy({ madeAt: last?.madeAt ?? null, chosenAt, days: old_after_days }, now)
  const values = { days: old_after_days }
  const why = failure && <Text size="sm">{say(failure)}</Text>
  return (
    <>
      {isOld && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={say({ key: last ? 'copies.old' : 'copies.never', values })}
        >
          {why}
        </Alert>
      )}
      {!isOld && failure && (
        <Alert color="yellow" variant="light" title={say('copies.lastFailed')}>
          {why}
        </Alert>
      )}
      {isSameDisk && (
        <Alert color="yellow" variant="light">
          <Text size="sm">{say('copies.sameDisk')}</Text>
        </Alert>
      )}
      <Text size="sm">
        {say('copies.folder')}: <bdi>{folder}</bdi>
        <br />
        {last ? (
          <>
            {say('copies.last')} <Moment at={last.madeAt} />
          </>
        ) : (
          say('copies.none')
        )}
      </Text>
      <Text size="sm" aria-live="polite">
        {isCopying && say('copies.copying')}
      </Text>
    </>
  )
}
