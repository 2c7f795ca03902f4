import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { listClinicNames } from '~/features/clinics/clinics.functions'
import { ClinicSelect } from '~/features/inventory/ClinicSelect'
import { listClinicBatches } from '~/features/inventory/inventory.functions'
import { ReceiveLink } from '~/features/inventory/StockActions'
import { clinicSearch, clinicShown } from '~/features/inventory/stock-search'
import { TransferSheet } from '~/features/inventory/TransferSheet'
import { mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'

const crumbs = [{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }] as const

export const Route = createFileRoute('/app/inventory/clinic-inventory/transfer')({
  validateSearch: clinicSearch,
  loaderDeps: ({ search: { clinic, search } }) => ({ clinic, search }),
  loader: async ({ deps: { clinic, search }, context: { actor } }) => {
    const all = await listClinicNames({ data: {} })
    const clinics = all.filter(({ id }) => mayIn(actor, 'is_clinic_admin', id))
    const shown = clinicShown(actor, clinics, clinic)
    if (!shown || clinics.length < 2) return null
    const { batches } = await listClinicBatches({ data: { clinicId: shown, searchQuery: search } })
    return { clinics, from: clinics.find(({ id }) => id === shown)!, batches }
  },
  // no skeleton meanwhile: a slow search would take away what was typed
  component: TransferPage,
})

function TransferPage() {
  const data = Route.useLoaderData()
  const { search } = Route.useSearch()
  const say = useSay()
  if (!data) {
    return (
      <Page title="inventory.transfer" crumbs={[...crumbs]}>
        <EmptyState title="inventory.noTransfer" />
      </Page>
    )
  }
  const { clinics, from, batches } = data
  const isEmpty = batches.length === 0 && !search
  return (
    <Page title="inventory.transfer" crumbs={[...crumbs]} lead={say('inventory.transferText')}>
      <Group gap="xs">
        <ClinicSelect clinics={clinics} value={from.id} label="inventory.fromClinic" />
        {!isEmpty && <SearchBox label="drugs.search" />}
      </Group>
      {isEmpty ? (
        <EmptyState title="inventory.empty" action={<ReceiveLink clinicId={from.id} />} />
      ) : (
        <TransferSheet
          key={from.id}
          from={from}
          others={clinics.filter(({ id }) => id !== from.id)}
          batches={batches}
        />
      )}
    </Page>
  )
}
