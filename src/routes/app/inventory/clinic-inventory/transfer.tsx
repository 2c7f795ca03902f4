import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { ReceiveLink } from '~/features/medicines/inventory/StockActions'
import { clinicSearch, clinicShown } from '~/features/medicines/inventory/stock-search'
import { TransferSheet } from '~/features/medicines/inventory/changes/TransferSheet'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { manageStock } from '~/policy/rules'
import { can } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { SearchBox } from '~/ui/SearchBox'
import { onlyFor } from '~/ui/onlyFor'

const crumbs = [{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }] as const

export const Route = createFileRoute('/app/inventory/clinic-inventory/transfer')({
  validateSearch: clinicSearch,
  beforeLoad: onlyFor((actor) => permitsSomewhere(manageStock, actor)),
  loaderDeps: ({ search: { clinic, search } }) => ({ clinic, search }),
  loader: async ({ deps: { clinic, search }, context: { actor } }) => {
    const all = await api.clinics.names({})
    const clinics = all.filter(({ id }) => permitsIn(manageStock, actor, id))
    const shown = clinicShown(actor, clinics, clinic)
    if (!shown || clinics.length < 2) return null
    const { batches } = await api.batches.inClinic({ clinicId: shown, searchQuery: search })
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
        <EmptyState
          title="inventory.noTransfer"
          text="inventory.noTransferText"
          action={<WayOn />}
        />
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

/** A user with the right adds the missing clinic; others go back to the stock of their clinic. */
function WayOn() {
  const say = useSay()
  const { actor } = Route.useRouteContext()
  if (can(actor, 'create_clinic')) {
    return (
      <LinkButton mt="sm" to="/app/clinics/edit/{-$clinicId}" params={{ clinicId: 'new' }}>
        {say('clinics.add')}
      </LinkButton>
    )
  }
  return (
    <LinkButton mt="sm" variant="default" to="/app/inventory/clinic-inventory">
      {say('inventory.title')}
    </LinkButton>
  )
}
