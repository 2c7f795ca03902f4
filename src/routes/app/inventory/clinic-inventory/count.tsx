import { Alert, Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { StockTake } from '~/features/medicines/inventory/changes/StockTake'
import { ReceiveLink } from '~/features/medicines/inventory/StockActions'
import {
  clinicParams,
  clinicShown,
  clinicsInSight,
} from '~/features/medicines/inventory/stock-search'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { countStockAt, manageStock } from '~/policy/rules'
import { useSay } from '~/shared/say'
import { day as dayParam, defineSearch } from '~/shared/search-params'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'
import { onlyFor } from '~/ui/onlyFor'

const crumbs = [{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }] as const

const countSearch = defineSearch({ ...clinicParams, day: dayParam })

export const Route = createFileRoute('/app/inventory/clinic-inventory/count')({
  validateSearch: countSearch,
  beforeLoad: onlyFor((actor) => permitsSomewhere(countStockAt, actor)),
  loaderDeps: ({ search: { clinic, search, day } }) => ({ clinic, search, day }),
  loader: async ({ deps: { clinic, search, day }, context: { actor } }) => {
    const clinics = clinicsInSight(actor, await api.clinics.names({})).filter(({ id }) =>
      permitsIn(countStockAt, actor, id),
    )
    const shown = clinicShown(actor, clinics, clinic)
    if (!shown) return null
    const found = await api.batches.inClinic({
      clinicId: shown,
      searchQuery: search,
      withEmpty: true,
      day,
    })
    return { clinics, clinic: clinics.find(({ id }) => id === shown)!, ...found }
  },
  // no skeleton meanwhile: a slow search would take away what was typed
  component: CountPage,
})

function CountPage() {
  const data = Route.useLoaderData()
  const { search, day } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  if (!data) {
    return (
      <Page title="inventory.stockTake" crumbs={[...crumbs]}>
        <EmptyState title="inventory.noClinicToCount" />
      </Page>
    )
  }
  const { clinics, clinic, batches, total } = data
  const isEmpty = total === 0 && !search
  return (
    <Page title="inventory.stockTake" crumbs={[...crumbs]} lead={say('inventory.stockTakeText')}>
      <Group gap="xs">
        <ClinicSelect clinics={clinics} value={clinic.id} />
        {!isEmpty && <SearchBox label="drugs.search" />}
      </Group>
      {total > batches.length && (
        <Alert color="yellow" variant="light">
          {say({ key: 'inventory.countPart', values: { shown: batches.length, total } })}
        </Alert>
      )}
      {isEmpty ? (
        <EmptyState
          title="inventory.empty"
          action={permitsIn(manageStock, actor, clinic.id) && <ReceiveLink clinicId={clinic.id} />}
        />
      ) : (
        <StockTake key={clinic.id} clinic={clinic} batches={batches} day={day ?? null} />
      )}
    </Page>
  )
}
