import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { IconArrowBackUp, IconDownload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Details } from '~/ui/Details'
import { downloadRejected } from './download-rejected'
import type { OneImport } from './imports.server'
import {
  type CountedReason,
  furtherValues,
  formatReason,
  type Tally,
  sumReasonCounts,
} from './tally'

/** The progress of an import and the outcome of its rows so far. */
export function ImportProgress({ one }: { one: OneImport }) {
  const say = useSay()
  const { run, pending } = useAction()
  const { import: row } = one
  const isRunning = row.status === 'waiting' || row.status === 'running'
  const percent = Math.floor((row.bytes_done / row.file_size) * 100)
  const isUndo = row.task === 'undo'
  const progress = {
    key: isUndo ? 'imports.undoProgress' : 'imports.progress',
    values: { percent },
  } as const
  const result = useRef<HTMLDivElement>(null)
  const state = `${isRunning} ${String(row.finished_at)}`
  const seen = useRef(state)
  // the button that started it is below the columns, the result above them
  useEffect(() => {
    if (seen.current !== state) result.current?.scrollIntoView({ block: 'center' })
    seen.current = state
  }, [state])
  return (
    <Stack gap="md" ref={result}>
      {row.failure && (
        <Alert color="red" variant="light" role="alert">
          {say(row.failure)}
        </Alert>
      )}
      {isRunning && (
        <Paper withBorder p="md">
          <Group justify="space-between" mb="xs">
            <Text size="sm" aria-live="polite">
              {say(progress)}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              loading={pending}
              disabled={row.is_stopping}
              onClick={() =>
                void run(() => api.imports.stop({ id: row.id }), {
                  success: isUndo ? 'imports.undoStopped' : 'imports.stopped',
                })
              }
            >
              {say(row.is_stopping ? 'imports.stopping' : 'common.stop')}
            </Button>
          </Group>
          <Progress value={percent} animated aria-label={say(progress)} />
        </Paper>
      )}
      {row.tally &&
        (isUndo ? <Undone one={one} tally={row.tally} /> : <Outcome one={one} tally={row.tally} />)}
      {one.changes > 0 && !isRunning && <UndoButton one={one} />}
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
  const rejected = sumReasonCounts(tally.rejected)
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

/** The outcome of an undo, with the records that it left. */
function Undone({ one, tally }: { one: OneImport; tally: Tally }) {
  const say = useSay()
  const rows = useQuery(
    'imports.rejected',
    { id: one.import.id },
    { version: one.import.finished_at },
  )
  const left = rows.data ?? []
  return (
    <Stack gap="sm">
      <Paper withBorder p="md">
        <Details
          row={tally}
          columns={[
            { key: 'undone', label: 'imports.undone', cell: () => tally.undone ?? 0 },
            { key: 'left', label: 'imports.left', cell: () => <Why reasons={tally.left} /> },
          ]}
        />
      </Paper>
      {left.length > 0 && (
        <DataTable
          label="imports.undoLeft"
          empty="imports.undoLeft"
          rows={left.map((row) => ({ ...row, id: String(row.line) }))}
          columns={[
            {
              key: 'name',
              card: 'title',
              label: 'imports.record',
              cell: ({ cells: [name = '', table, recordId = ''] }) =>
                table === 'patients' ? (
                  <LinkAnchor to="/app/patients/$patientId" params={{ patientId: recordId }}>
                    <bdi>{name}</bdi>
                  </LinkAnchor>
                ) : (
                  <bdi>{name}</bdi>
                ),
            },
            { key: 'reason', label: 'imports.reason', cell: ({ reason }) => say(reason) },
          ]}
        />
      )}
    </Stack>
  )
}

/** Takes back what the import wrote, after a question. */
function UndoButton({ one: { import: row, changes } }: { one: OneImport }) {
  const say = useSay()
  const { run, pending } = useAction()
  const undo = async () => {
    const isSure = await confirm({
      title: 'imports.undoTitle',
      text: { key: 'imports.undoAsks', values: { count: changes } },
      action: 'imports.undo',
      destructive: true,
    })
    if (isSure) await run(() => api.imports.undo({ id: row.id }))
  }
  return (
    <Group>
      <Button
        variant="default"
        loading={pending}
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        onClick={() => void undo()}
      >
        {say('imports.undo')}
      </Button>
    </Group>
  )
}

const SHOWN = 8
const VALUES_SHOWN = 30

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
      {hasTotal && <span>{rows(sumReasonCounts(reasons))}</span>}
      <ul style={{ margin: 0, paddingInlineStart: '1.2em' }}>
        {most.map((reason) => (
          <Text
            key={JSON.stringify([reason.key, reason.values])}
            component="li"
            size="sm"
            c="dimmed"
          >
            {formatReason(reason, say)} ({reason.count})
            <Further values={furtherValues(reason, VALUES_SHOWN)} />
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

/** What further rows of a reason hold. */
function Further({ values }: { values: readonly string[] }) {
  const say = useSay()
  if (values.length === 0) return null
  return (
    <div>
      {say('imports.further')}{' '}
      {values.map((value, at) => (
        <span key={value}>
          {at > 0 && ' · '}
          <bdi>{value}</bdi>
        </span>
      ))}
    </div>
  )
}
