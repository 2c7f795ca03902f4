import { Button, Stack, Text } from '@mantine/core'
import { IconDownload, IconPlus, IconTableImport } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { DRUG_PAGE_SIZE, drugName } from '~/features/medicines/drugs/drug'
import { CATALOGUE_FILTERS, DrugFilters } from '~/features/medicines/drugs/DrugFilters'
import { DrugMarks } from '~/features/medicines/drugs/DrugMarks'
import { DrugMenu } from '~/features/medicines/drugs/DrugMenu'
import { drugSearch } from '~/features/medicines/drugs/drug-search'
import type { Drug } from '~/features/medicines/drugs/drugs.server'
import { DrugStats } from '~/features/medicines/drugs/DrugStats'
import { saveCsv } from '~/features/medicines/drugs/save-file'
import { drugRecord } from '~/records/drug'
import { strength } from '~/records/strength'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { narrowing } from '~/ui/filters'

export const Route = createFileRoute('/app/inventory/drug-catalogue/')({
  validateSearch: drugSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { page = 1, ...filter } }) => {
    const [list, stats] = await Promise.all([
      api.drugs.list({ ...filter, limit: DRUG_PAGE_SIZE, offset: (page - 1) * DRUG_PAGE_SIZE }),
      api.drugs.stats(),
    ])
    return { ...list, stats }
  },
  pendingComponent: PageSkeleton,
  component: CataloguePage,
})

function CataloguePage() {
  const { rows, pagination, stats } = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  useLive('drugs.list', 'drugs.stats')
  const keeps = isAdmin(actor)
  const columns: Column<Drug>[] = [
    {
      key: 'generic_name',
      label: 'drugs.name',
      sortable: true,
      cell: (drug) => <Names drug={drug} />,
    },
    ...fieldColumns(drugRecord.fields, ['ingredients', 'form'], { sortable: ['form'] }),
    {
      key: 'strength',
      label: 'drugs.strengthShort',
      align: 'end',
      cell: (drug) => <bdi>{strength(drug, say)}</bdi>,
    },
    ...fieldColumns(drugRecord.fields, ['route', 'min_stock_level'], {
      sortable: ['min_stock_level'],
    }),
    {
      key: 'marks',
      card: 'badge',
      label: 'drugs.marks',
      cell: (drug) => <DrugMarks drug={drug} />,
    },
  ]
  const isNarrowed = narrowing(search, CATALOGUE_FILTERS) > 0
  return (
    <Page
      title="drugs.title"
      actions={
        <>
          {mayAnywhere(actor, 'can_download_patient_reports') && <ExportCatalogue />}
          {keeps && <ImportCatalogue />}
          {keeps && <AddDrug />}
        </>
      }
    >
      <DrugStats stats={stats} />
      <DrugFilters search={search} />
      <DataTable
        label="drugs.title"
        columns={columns}
        rows={rows}
        pagination={pagination}
        rowLink={({ id }) =>
          keeps
            ? `/app/inventory/drug-catalogue/edit/${id}`
            : `/app/inventory/clinic-inventory/drug/edit/${id}`
        }
        nameOf={drugName}
        actions={keeps ? (drug) => <DrugMenu drug={drug} /> : undefined}
        empty={isNarrowed ? 'table.noMatch' : 'drugs.empty'}
        emptyAction={keeps && !isNarrowed && <AddDrug />}
      />
    </Page>
  )
}

function Names({ drug }: { drug: Drug }) {
  return (
    <Stack gap={0} component="span">
      <span>
        <bdi>{drug.generic_name}</bdi>
      </span>
      {drug.brand_name && (
        <Text size="xs" c="dimmed" component="span" fw={400}>
          <bdi>{drug.brand_name}</bdi>
        </Text>
      )}
    </Stack>
  )
}

function AddDrug() {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconPlus size={16} aria-hidden />}
      to="/app/inventory/drug-catalogue/edit/{-$drugId}"
      params={{ drugId: 'new' }}
    >
      {say('drugs.add')}
    </LinkButton>
  )
}

function ImportCatalogue() {
  const say = useSay()
  return (
    <LinkButton
      variant="default"
      leftSection={<IconTableImport size={16} aria-hidden />}
      to="/app/settings/imports"
      search={{ list: 'medicines' }}
    >
      {say('drugs.import')}
    </LinkButton>
  )
}

function ExportCatalogue() {
  const say = useSay()
  const { page: _page, sort: _sort, direction: _direction, ...filter } = Route.useSearch()
  const { run, pending } = useAction()
  const save = () =>
    void run(async () => {
      const { columns, rows } = await api.drugs.export(filter)
      saveCsv(say('drugs.title'), columns, rows)
    })
  return (
    <Button
      variant="default"
      loading={pending}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={save}
    >
      {say('drugs.export')}
    </Button>
  )
}
