import { Button, Group, Text } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { api, type OperationResult } from '~/client/api'
import { BackupProgress, BackupStatus, LastBackup } from '~/features/office/backups/BackupStatus'
import { NewestSeal } from '~/features/office/audit/NewestSeal'
import { Copies } from '~/features/office/backups/Copies'
import { DownloadBackup } from '~/features/office/backups/DownloadBackup'
import { isAdmin } from '~/shared/actor'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { page, defineSearch } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ page })

export const Route = createFileRoute('/app/settings/backups')({
  validateSearch: readSearch,
  beforeLoad: onlyFor(isAdmin),
  loaderDeps: ({ search: { page: pageNumber } }) => ({ page: pageNumber }),
  loader: async ({ deps }) => {
    const [list, last, copies, seal] = await Promise.all([
      api.backups.list(deps),
      api.backups.last(),
      api.copies.get(),
      api.audit.newestSeal(),
    ])
    return { ...list, ...last, copies, seal }
  },
  component: BackupsPage,
})

type Backup = OperationResult<'backups.list'>['rows'][number]

function BackupsPage() {
  const { rows, pagination, place, download, last, failed, copies, seal } = Route.useLoaderData()
  const say = useSay()
  const { run, pending } = useAction()
  useLive('backups.list', 'backups.last', 'copies.get', 'audit.newestSeal')
  const underWay = rows.find(({ status }) => status === 'waiting' || status === 'running')
  const start = (
    <Button
      leftSection={<IconDatabaseExport size={16} aria-hidden />}
      loading={pending}
      disabled={underWay !== undefined}
      onClick={() =>
        void run(() => api.backups.start({ id: newId() }), { success: 'backups.started' })
      }
    >
      {say('backups.start')}
    </Button>
  )
  const columns: Column<Backup>[] = [
    {
      key: 'created_at',
      label: 'backups.when',
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
    {
      key: 'status',
      card: 'badge',
      label: 'backups.status',
      cell: (row) => <BackupStatus backup={row} />,
    },
    {
      key: 'file',
      card: 'action',
      label: 'backups.file',
      cell: (row) => <File backup={row} download={download} />,
    },
    { key: 'kind', label: 'backups.kind', cell: (row) => <Kind backup={row} /> },
    { key: 'bytes', label: 'backups.size', cell: ({ bytes }) => <Size bytes={bytes} /> },
    {
      key: 'is_encrypted',
      label: 'backups.encrypted',
      cell: ({ status, is_encrypted }) =>
        status === 'finished' ? say(is_encrypted ? 'common.yes' : 'common.no') : <Nothing />,
    },
  ]
  return (
    <Page
      title="backups.title"
      lead={say({ key: 'backups.lead', values: { count: place.kept } })}
      actions={rows.length > 0 && start}
    >
      <LastBackup last={last} failed={failed} />
      {underWay && <BackupProgress percent={underWay.percent} />}
      <DataTable
        label="backups.title"
        columns={columns}
        rows={rows}
        pagination={pagination}
        empty="backups.empty"
        emptyAction={start}
      />
      <Text size="sm" c="dimmed">
        {say('backups.place')} <bdi>{place.folder}</bdi>
        <br />
        {say(place.isEncrypted ? 'backups.isEncrypted' : 'backups.notEncrypted')}
        <br />
        {say('backups.signed')} <bdi>{place.key}</bdi>
      </Text>
      <Copies copies={copies} confirm={download} />
      <NewestSeal seal={seal} />
    </Page>
  )
}

function Kind({ backup: { kind, requested_by } }: { backup: Backup }) {
  const say = useSay()
  return (
    <Group gap={6}>
      {say(`backups.kinds.${kind}`)}
      {requested_by && (
        <Text span size="sm" c="dimmed">
          <bdi>{requested_by}</bdi>
        </Text>
      )}
    </Group>
  )
}

function Size({ bytes }: { bytes: number | null }) {
  const format = useFormatter()
  if (bytes === null) return <Nothing />
  const value = Math.max(bytes / 1_048_576, 0.1)
  return format.number(value, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: value < 10 ? 1 : 0,
  })
}

type FileProps = { backup: Backup; download: OperationResult<'backups.list'>['download'] }

function File({ backup: { id, isHere, kind, file_name }, download }: FileProps) {
  if (!isHere) return kind === 'command' && file_name ? <bdi>{file_name}</bdi> : <Nothing />
  if (!download) return <bdi>{file_name}</bdi>
  const button = <DownloadBackup id={id} name={file_name ?? ''} needsCode={download.needsCode} />
  if (kind !== 'upgrade') return button
  // the command that goes back to the version before asks for it
  return (
    <Group gap="xs">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{file_name}</bdi>
      </Text>
      {button}
    </Group>
  )
}
