import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash, IconUpload } from '@tabler/icons-react'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { DoubtfulTable } from '~/features/exchange/imports/DoubtfulTable'
import { FileProblem } from '~/features/exchange/imports/FileProblem'
import { ImportMapping } from '~/features/exchange/imports/ImportMapping'
import { ImportProgress } from '~/features/exchange/imports/ImportProgress'
import { LISTS } from '~/features/exchange/imports/lists'
import { ImportStatus } from '~/features/exchange/imports/ImportStatus'
import { NewImport } from '~/features/exchange/imports/NewImport'
import { NewPasswords } from '~/features/exchange/imports/record-files/NewPasswords'
import { sumReasonCounts } from '~/features/exchange/imports/tally'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { id, oneOfOptions, page, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

// `list` opens the dialog for a new import of that list
const readSearch = defineSearch({ page, id, list: oneOfOptions(LISTS) })

export const Route = createFileRoute('/app/settings/imports')({
  // one import at a time is looked at: its id is in the address
  validateSearch: readSearch,
  beforeLoad: onlyFor(isAdmin),
  loaderDeps: ({ search: { page: pageNumber, id: openId } }) => ({ page: pageNumber, id: openId }),
  loader: async ({ deps: { page: pageNumber, id: openId } }) => {
    if (openId) {
      const [one, doubtful] = await Promise.all([
        api.imports.get({ id: openId }),
        api.imports.doubtful({ id: openId }),
      ])
      return { one, doubtful, list: null, clinics: [] }
    }
    const [list, clinics] = await Promise.all([
      api.imports.list({ page: pageNumber }),
      api.clinics.names(),
    ])
    return { one: null, doubtful: [], list, clinics }
  },
  onError: asNotFound,
  component: ImportsPage,
})

type Row = OperationResult<'imports.list'>['rows'][number]

function ImportsPage() {
  const { one, doubtful, list, clinics } = Route.useLoaderData()
  useLive('imports.get', 'imports.doubtful', 'imports.list', 'clinics.names')
  if (one) return <OneImportPage key={one.import.id} one={one} doubtful={doubtful} />
  return <ListPage list={list!} clinics={clinics} />
}

function ListPage({
  list,
  clinics,
}: {
  list: OperationResult<'imports.list'>
  clinics: { id: string; name: string }[]
}) {
  const say = useSay()
  const { list: asked } = Route.useSearch()
  const [isOpen, { open, close }] = useDisclosure(asked !== undefined)
  const start = (
    <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={open}>
      {say('imports.new')}
    </Button>
  )
  const columns: Column<Row>[] = [
    { key: 'file_name', label: 'imports.file', cell: ({ file_name }) => <bdi>{file_name}</bdi> },
    { key: 'clinic', label: 'imports.clinic', cell: ({ clinic }) => <Clinic name={clinic} /> },
    {
      key: 'list',
      card: 'badge',
      label: 'imports.list',
      cell: ({ list: kind }) => say(`imports.lists.${kind}`),
    },
    {
      key: 'status',
      card: 'badge',
      label: 'imports.status',
      cell: (row) => <ImportStatus import={row} />,
    },
    { key: 'result', label: 'imports.result', cell: (row) => <Result row={row} /> },
    {
      key: 'by',
      label: 'imports.by',
      cell: ({ requested_by }) => (requested_by ? <bdi>{requested_by}</bdi> : <Nothing />),
    },
    {
      key: 'when',
      card: 'badge',
      label: 'imports.when',
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
  ]
  return (
    <Page title="imports.title" lead={say('imports.lead')} actions={list.rows.length > 0 && start}>
      <DataTable
        label="imports.title"
        columns={columns}
        rows={list.rows}
        pagination={list.pagination}
        rowLink={({ id: importId }) => `/app/settings/imports?id=${importId}`}
        empty="imports.empty"
        emptyAction={start}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        title={say('imports.new')}
        closeButtonProps={{ 'aria-label': say('common.close') }}
      >
        <NewImport clinics={clinics} list={asked} onDone={close} />
      </Modal>
    </Page>
  )
}

function Clinic({ name }: { name: string | null }) {
  const say = useSay()
  return name ? <bdi>{name}</bdi> : say('imports.noClinic')
}

function Result({ row: { tally, task } }: { row: Row }) {
  const say = useSay()
  if (!tally) return <Nothing />
  if (task === 'undo') return `${say('imports.undone')}: ${tally.undone ?? 0}`
  const done = say(task === 'check' ? 'imports.wouldImport' : 'imports.imported')
  const rejected = `${say('imports.rejected')}: ${sumReasonCounts(tally.rejected)}`
  return `${done}: ${tally.imported + (tally.changed ?? 0)} · ${rejected}`
}

type One = {
  one: OperationResult<'imports.get'>
  doubtful: OperationResult<'imports.doubtful'>
}

function OneImportPage({ one, doubtful }: One) {
  const say = useSay()
  const navigate = useNavigate()
  const { run } = useAction()
  const { viewer } = Route.useRouteContext()
  const { import: row, file, problem, encoding } = one
  const isRunning = row.status === 'waiting' || row.status === 'running'
  const remove = async () => {
    const isSure = await confirm({
      text: 'imports.deleteAsks',
      action: 'imports.delete',
      destructive: true,
    })
    if (!isSure) return
    await run(
      async () => {
        await api.imports.delete({ id: row.id })
        await navigate({ to: '/app/settings/imports', search: {} })
      },
      { success: 'imports.deleted' },
    )
  }
  return (
    <Page
      title={{ text: row.file_name }}
      crumbs={[{ label: 'imports.title', to: '/app/settings/imports' }]}
      lead={
        <>
          <ImportStatus import={row} /> {say(`imports.lists.${row.list}`)} ·{' '}
          <Clinic name={row.clinic} />
        </>
      }
      actions={
        !isRunning && (
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => void remove()}
          >
            {say('imports.delete')}
          </Button>
        )
      }
    >
      {problem && <FileProblem id={row.id} problem={problem} encoding={encoding} />}
      <ImportProgress one={one} />
      {row.list === 'users' && !isRunning && <NewPasswords importId={row.id} viewer={viewer} />}
      <DoubtfulTable rows={doubtful} />
      {/* other delimiter, other columns: what was chosen for the old ones is left behind */}
      {file && !isRunning && (
        <ImportMapping
          key={`${file.delimiter} ${encoding} ${file.sheet} ${file.heading_line}`}
          one={one}
          file={file}
        />
      )}
    </Page>
  )
}
