import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Details } from '~/ui/Details'
import { downloadRejected } from './download-rejected'
import type { OneImport } from './imports.server'
import { type CountedReason, reasonText, totalOf } from './tally'

/** The progress of an import and the outcome of its rows so far. */
export function ImportProgress({ one }: { one: OneImport }) {
  const say = useSay()
  const { run, pending } = useAction()
  const { import: row } = one
  const isRunning = row.status === 'waiting' || row.status === 'running'
  const percent = Math.floor((row.bytes_done / row.file_size) * 100)
  return (
    <Stack gap="md">
      {row.failure && (
        <Alert color="red" variant="light" role="alert">
          {say(row.failure)}
        </Alert>
      )}
      {isRunning && (
        <Paper withBorder p="md">
          <Group justify="space-between" mb="xs">
            <Text size="sm" aria-live="polite">
              {say({ key: 'imports.progress', values: { percent } })}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              loading={pending}
              disabled={row.is_stopping}
              onClick={() =>
                void run(() => api.imports.stop({ id: row.id }), { success: 'imports.stopped' })
              }
            >
              {say(row.is_stopping ? 'imports.stopping' : 'imports.stop')}
            </Button>
          </Group>
          <Progress
            value={percent}
            animated
            aria-label={say({ key: 'imports.progress', values: { percent } })}
          />
        </Paper>
      )}
      {row.tally && <Outcome one={one} tally={row.tally} />}
    </Stack>
  )
}

function Outcome({
  one,
  tally,
}: {
  one: OneImport
  tally: NonNullable<OneImport['import']['tally']>
}) {
  const say = useSay()
  const [isLoading, setIsLoading] = useState(false)
  const { run } = useAction()
  const rejected = totalOf(tally.rejected)
  const rows = (count: number) => say({ key: 'imports.rows', values: { count } })
  const isTrial = one.import.task === 'check'
  const download = async () => {
    setIsLoading(true)
    await run(() => downloadRejected(one, say))
    setIsLoading(false)
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Details
          row={tally}
          columns={[
            { key: 'rows', label: 'imports.total', cell: () => rows(tally.rows) },
            {
              key: 'imported',
              label: isTrial ? 'imports.wouldImport' : 'imports.imported',
              cell: () => rows(tally.imported),
            },
            ...(tally.changed
              ? [
                  {
                    key: 'changed',
                    label: isTrial ? 'imports.wouldChange' : 'imports.changed',
                    cell: () => rows(tally.changed!),
                  } as const,
                ]
              : []),
            { key: 'repeated', label: 'imports.repeated', cell: () => rows(tally.repeated) },
            ...(tally.emptied
              ? [
                  {
                    key: 'emptied',
                    label: 'imports.emptied',
                    cell: () => <Why reasons={tally.emptied!} counted="imports.cells" />,
                  } as const,
                ]
              : []),
            ...(tally.assumed
              ? [
                  {
                    key: 'assumed',
                    label: 'imports.assumed',
                    cell: () => <Why reasons={tally.assumed!} hasTotal={false} />,
                  } as const,
                ]
              : []),
            { key: 'left', label: 'imports.left', cell: () => <Why reasons={tally.left} /> },
            {
              key: 'rejected',
              label: 'imports.rejected',
              cell: () => <Why reasons={tally.rejected} />,
            },
          ]}
        />
        {rejected > 0 && (
          <div>
            <Button
              variant="default"
              loading={isLoading}
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => void download()}
            >
              {say('imports.download')}
            </Button>
            <Text size="sm" c="dimmed" mt={4}>
              {say('imports.downloadHint')}
            </Text>
          </div>
        )}
      </Stack>
    </Paper>
  )
}

const SHOWN = 8

type WhyProps = {
  reasons: readonly CountedReason[]
  counted?: 'imports.rows' | 'imports.cells'
  /** False: a row may have several of the reasons. */
  hasTotal?: boolean
}

function Why({ reasons, counted = 'imports.rows', hasTotal = true }: WhyProps) {
  const say = useSay()
  const rows = (count: number) => say({ key: counted, values: { count } })
  if (reasons.length === 0) return rows(0)
  const most = reasons.toSorted((a, b) => b.count - a.count).slice(0, SHOWN)
  return (
    <Stack gap={2}>
      {hasTotal && <span>{rows(totalOf(reasons))}</span>}
      <ul style={{ margin: 0, paddingInlineStart: '1.2em' }}>
        {most.map((reason) => (
          <Text
            key={JSON.stringify([reason.key, reason.values])}
            component="li"
            size="sm"
            c="dimmed"
          >
            {reasonText(reason, say)} ({reason.count})
          </Text>
        ))}
        {reasons.length > SHOWN && (
          <Text component="li" size="sm" c="dimmed">
            …
          </Text>
        )}
      </ul>
    </Stack>
  )
}
