import { Button } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { TRASH_NOUNS } from '~/features/office/trash/trash'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { saidOfRestored, useAction } from '~/ui/action'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { listSearch } from '~/ui/listSearch'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/trash')({
  validateSearch: listSearch,
  beforeLoad: onlyFor(isAdmin),
  loaderDeps: ({ search: { search, page } }) => ({ search, page }),
  loader: ({ deps }) => api.trash.list(deps),
  component: TrashPage,
})

type Deletion = OperationResult<'trash.list'>['rows'][number]

function TrashPage() {
  const { rows, pagination } = Route.useLoaderData()
  const say = useSay()
  useLive('trash.list')
  const columns: Column<Deletion>[] = [
    { key: 'label', label: 'trash.what', cell: ({ label }) => <bdi>{label}</bdi> },
    {
      key: 'table_name',
      card: 'badge',
      label: 'trash.kind',
      cell: ({ table_name }) => say(TRASH_NOUNS[table_name] ?? { text: table_name }),
    },
    {
      key: 'records',
      label: 'trash.alongWith',
      cell: ({ records }) => say({ key: 'trash.records', values: { count: records - 1 } }),
    },
    {
      key: 'deleted_by',
      label: 'trash.by',
      cell: ({ deleted_by }) => <bdi>{deleted_by ?? say('audit.notSignedIn')}</bdi>,
    },
    {
      key: 'deleted_at',
      card: 'badge',
      label: 'trash.when',
      cell: ({ deleted_at }) => <Moment at={deleted_at} />,
    },
    {
      key: 'restore',
      card: 'action',
      label: 'trash.undo',
      cell: (deletion) => <Restore deletion={deletion} />,
    },
  ]
  return (
    <Page title="trash.title" lead={say('trash.lead')}>
      <SearchBox label="trash.search" />
      <DataTable
        label="trash.title"
        columns={columns}
        rows={rows}
        pagination={pagination}
        empty="trash.empty"
      />
    </Page>
  )
}

function Restore({ deletion: { id, label } }: { deletion: Deletion }) {
  const say = useSay()
  const { run, pending } = useAction()
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={pending}
      aria-label={say({ key: 'trash.restoreOne', values: { name: label } })}
      onClick={() =>
        void run(() => api.trash.restore({ id }), {
          success: (done) => saidOfRestored(done, label),
        })
      }
    >
      {say('trash.restore')}
    </Button>
  )
}
