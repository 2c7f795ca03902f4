import { createFileRoute } from '@tanstack/react-router'
import { type Sample, samplePage, sampleSearch } from '~/features/office/demo/samples'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'

export const Route = createFileRoute('/demo/table')({
  validateSearch: sampleSearch,
  component: TablePage,
})

const columns: Column<Sample>[] = [
  { key: 'name', label: 'demo.fullName', sortable: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'city', label: 'demo.city', sortable: true, cell: ({ city }) => <bdi>{city}</bdi> },
  { key: 'born', label: 'demo.born', sortable: true, align: 'end', cell: ({ born }) => born },
]

function TablePage() {
  const say = useSay()
  const { rows, pagination } = samplePage(Route.useSearch())
  return (
    <Page title="demo.table" lead={say('demo.tableText')}>
      <SearchBox label="demo.search" />
      <DataTable
        label="demo.table"
        columns={columns}
        rows={rows}
        pagination={pagination}
        empty="table.noMatch"
      />
    </Page>
  )
}
