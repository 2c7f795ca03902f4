import { createFileRoute } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { page, defineSearch } from '~/shared/search-params'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { listParams } from '~/ui/listSearch'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SearchBox } from '~/ui/SearchBox'
import { useFormatter } from 'use-intl'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ search: listParams.search, page })

export const Route = createFileRoute('/app/data/events/')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_view_history')),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => api.eventForms.list(deps),
  pendingComponent: PageSkeleton,
  component: FormsToExplore,
})

type Form = OperationResult<'eventForms.list'>['rows'][number]

function FormsToExplore() {
  const { rows, pagination } = Route.useLoaderData()
  const say = useSay()
  const format = useFormatter()
  useLive('eventForms.list')
  const columns: Column<Form>[] = [
    { key: 'name', label: 'explore.form', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: 'answers',
      label: 'explore.numberOfAnswers',
      align: 'end',
      cell: ({ answers }) => <bdi>{format.number(answers)}</bdi>,
    },
    {
      key: 'is_snapshot_form',
      label: 'eventForms.is_snapshot_form',
      cell: ({ is_snapshot_form }) =>
        is_snapshot_form && <StatusBadge>{say('common.yes')}</StatusBadge>,
    },
  ]
  return (
    <Page title="nav.eventData" lead={say('explore.lead')} actions={<SearchBox />}>
      <DataTable
        label="explore.forms"
        columns={columns}
        rows={rows}
        pagination={pagination}
        rowLink={({ id }) => `/app/data/events/${id}`}
        empty="explore.emptyForms"
      />
    </Page>
  )
}
