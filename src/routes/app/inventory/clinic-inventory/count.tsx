import { Alert, Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { StockTake } from '~/features/medicines/inventory/changes/StockTake'
import { ReceiveLink } from '~/features/medicines/inventory/StockActions'
import {
  clinicSearch,
  clinicShown,
  clinicsInSight,
} from '~/features/medicines/inventory/stock-search'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { countStockAt, manageStock } from '~/policy/rules'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'

const crumbs = [{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }] as const

export const Route = createFileRoute('/app/inventory/clinic-inventory/count')({
  validateSearch: clinicSearch,
  beforeLoad: ({ context: { actor } }) => {
    if (!permitsSomewhere(countStockAt, actor)) throw forbidden()
  },
  loaderDeps: ({ search: { clinic, search } }) => ({ clinic, search }),
  loader: async ({ deps: { clinic, search }, context: { actor } }) => {
    const clinics = clinicsInSight(actor, await api.clinics.names({})).filter(({ id }) =>
      permitsIn(countStockAt, actor, id),
    )
    const shown = clinicShown(actor, clinics, clinic)
    if (!shown) return null
    const found = await api.batches.inClinic({
      clinicId: shown,
      searchQuery: search,
      withEmpty: true,
    })
    return { clinics, clinic: clinics.find(({ id }) => id === shown)!, ...found }
  },
  // no skeleton meanwhile: a slow search would take away what was typed
  component: CountPage,
})

function CountPage() {
  const data = Route.useLoaderData()
  const { search } = Route.useSearch()
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
        <StockTake key={clinic.id} clinic={clinic} batches={batches} />
      )}
    </Page>
  )
}
