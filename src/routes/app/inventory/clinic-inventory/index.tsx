import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { InventoryList } from '~/features/medicines/inventory/InventoryList'
import { ReceiveLink, StockActions } from '~/features/medicines/inventory/StockActions'
import {
  clinicShown,
  clinicsInSight,
  stockSearch,
} from '~/features/medicines/inventory/stock-search'
import { permitsIn } from '~/policy/facts'
import { manageStock } from '~/policy/rules'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/inventory/clinic-inventory/')({
  validateSearch: stockSearch,
  loader: async ({ context: { actor } }) => ({
    clinics: clinicsInSight(actor, await api.clinics.names({})),
  }),
  // a new search reads the stock, not the clinics again
  shouldReload: ({ cause }) => cause === 'enter',
  pendingComponent: PageSkeleton,
  component: ClinicInventoryPage,
})

function ClinicInventoryPage() {
  const data = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor } = Route.useRouteContext()
  // a movement by another user reloads the screen
  useLive('clinics.names', 'inventory.list')
  const { clinics } = data
  const shown = clinicShown(actor, clinics, search.clinic)
  const clinic = clinics.find(({ id }) => id === shown)
  if (!clinic) {
    return (
      <Page title="inventory.title">
        <EmptyState title="inventory.noClinic" />
      </Page>
    )
  }
  return (
    <Page
      title="inventory.title"
      actions={<StockActions actor={actor} clinic={clinic} hasOthers={clinics.length > 1} />}
    >
      <Group gap="xs">
        <ClinicSelect clinics={clinics} value={clinic.id} />
      </Group>
      <InventoryList
        key={clinic.id}
        clinicId={clinic.id}
        search={search}
        version={data}
        emptyAction={
          permitsIn(manageStock, actor, clinic.id) && <ReceiveLink clinicId={clinic.id} />
        }
      />
    </Page>
  )
}
