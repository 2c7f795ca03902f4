import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { MOVEMENT_TYPES } from '~/features/medicines/inventory/stock-search'
import { LedgerFilter } from '~/features/medicines/inventory/ledger/LedgerFilter'
import { LedgerTable } from '~/features/medicines/inventory/ledger/LedgerTable'
import {
  clinicParams,
  clinicShown,
  clinicsInSight,
} from '~/features/medicines/inventory/stock-search'
import { useSay } from '~/shared/say'
import { id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

const crumbs = [{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }] as const

const readSearch = defineSearch({
  ...clinicParams,
  batch: id,
  type: oneOfOptions(MOVEMENT_TYPES),
})

export const Route = createFileRoute('/app/inventory/clinic-inventory/ledger')({
  validateSearch: readSearch,
  loaderDeps: ({ search: { clinic, page, batch, type } }) => ({ clinic, page, batch, type }),
  loader: async ({ deps: { clinic, page = 1, batch, type }, context: { actor } }) => {
    const clinics = clinicsInSight(actor, await api.clinics.names({}))
    const clinicId = clinicShown(actor, clinics, clinic)
    if (!clinicId) return null
    return {
      clinics,
      clinicId,
      ledger: await api.ledger.list({ clinicId, batchId: batch, type, page }),
    }
  },
  pendingComponent: PageSkeleton,
  component: LedgerPage,
})

function LedgerPage() {
  const data = Route.useLoaderData()
  const { batch, type } = Route.useSearch()
  const say = useSay()
  useLive('clinics.names', 'ledger.list')
  if (!data) {
    return (
      <Page title="inventory.ledger" crumbs={[...crumbs]}>
        <EmptyState title="inventory.noClinic" />
      </Page>
    )
  }
  const { clinics, clinicId, ledger } = data
  return (
    <Page title="inventory.ledger" crumbs={[...crumbs]}>
      <Group gap="xs">
        <ClinicSelect clinics={clinics} value={clinicId} />
        <LedgerFilter type={type} />
        {batch && (
          <LinkButton
            variant="subtle"
            to="/app/inventory/clinic-inventory/ledger"
            search={{ clinic: clinicId }}
          >
            {say('inventory.allBatches')}
          </LinkButton>
        )}
      </Group>
      <LedgerTable {...ledger} withDrug isNarrowed={batch !== undefined || type !== undefined} />
    </Page>
  )
}
