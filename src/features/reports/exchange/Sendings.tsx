import { Button, Group, List, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { SENT_AS, type SentAs } from './data-value-set'
import type { ListedSending } from './sendings.server'

const tones = {
  queued: 'warning',
  sent: 'good',
  rejected: 'bad',
  failed: 'bad',
  cancelled: 'quiet',
} as const

/** Sends a closed run to DHIS2, first as a trial, and lists what came of it. */
export function Sendings({ runId, version }: { runId: string; version: unknown }) {
  const say = useSay()
  const { run, pending } = useAction()
  const [format, setFormat] = useState<SentAs>('json')
  const { data = [] } = useQuery('sendings.list', { runId }, { version })
  const send = async (isDryRun: boolean) => {
    if (!isDryRun) {
      const isMeant = await confirm({
        text: 'sendings.sendAsks',
        action: 'sendings.send',
      })
      if (!isMeant) return
    }
    await run(() => api.reports.send({ id: newId(), runId, isDryRun, format }), {
      success: 'sendings.queuedDone',
    })
  }
  const cancel = async (id: string) => {
    await run(() => api.sendings.cancel({ id }), { success: 'sendings.cancelledDone' })
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={say('sendings.title')}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4">
            {say('sendings.title')}
          </Title>
          <Group gap="xs">
            <SegmentedControl
              aria-label={say('sendings.format')}
              value={format}
              onChange={(value) => setFormat(SENT_AS.find((each) => each === value) ?? 'json')}
              data={SENT_AS.map((value) => ({ value, label: value.toUpperCase() }))}
            />
            <Button variant="default" disabled={pending} onClick={() => void send(true)}>
              {say('sendings.tryOut')}
            </Button>
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              disabled={pending}
              onClick={() => void send(false)}
            >
              {say('sendings.send')}
            </Button>
          </Group>
        </Group>
        {data.length === 0 && (
          <Text size="sm" c="dimmed">
            {say('sendings.empty')}
          </Text>
        )}
        {data.map((sending) => (
          <Sending key={sending.id} sending={sending} onCancel={cancel} isBusy={pending} />
        ))}
      </Stack>
    </Paper>
  )
}

type SendingProps = { sending: ListedSending; onCancel: (id: string) => unknown; isBusy: boolean }

function Sending({ sending, onCancel, isBusy }: SendingProps) {
  const say = useSay()
  const { id, status, is_dry_run, format, requested_at, requested_by, counts, conflicts, error } =
    sending
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge tone={tones[status]}>{say(`sendings.status_${status}`)}</StatusBadge>
        <Text size="sm">
          {say(is_dry_run ? 'sendings.dryRun' : 'sendings.real')} · {format.toUpperCase()} ·{' '}
          <Moment at={requested_at} /> · <bdi>{requested_by ?? '—'}</bdi>
        </Text>
        {status === 'queued' && (
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => onCancel(id)}>
            {say('common.cancel')}
          </Button>
        )}
      </Group>
      {error && (
        <Text size="sm">
          {say(`sendings.error_${error}`)}
          {status === 'queued' && (
            <>
              {' · '}
              {say('sendings.nextAttempt')} <Moment at={sending.due_at} />
            </>
          )}
        </Text>
      )}
      {counts && <Text size="sm">{say({ key: 'sendings.counts', values: counts })}</Text>}
      {conflicts.length > 0 && (
        <List size="sm">
          {conflicts.slice(0, 20).map(({ object, value }) => (
            <List.Item key={`${object} ${value}`}>
              <bdi dir="ltr">{object}</bdi>: <bdi>{value}</bdi>
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
