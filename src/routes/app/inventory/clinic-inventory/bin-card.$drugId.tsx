import { Button } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { drugName } from '~/features/medicines/drugs/drug'
import { BinCard } from '~/features/medicines/inventory/ledger/BinCard'
import {
  clinicSearch,
  clinicShown,
  clinicsInSight,
} from '~/features/medicines/inventory/stock-search'
import { notFound } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { Paging } from '~/ui/Paging'

/** As many as the server gives at once; older ones are on further pages. */
const LINES = 200

export const Route = createFileRoute('/app/inventory/clinic-inventory/bin-card/$drugId')({
  validateSearch: clinicSearch,
  loaderDeps: ({ search: { clinic, page } }) => ({ clinic, page }),
  loader: async ({ params: { drugId }, deps: { clinic, page = 1 }, context: { actor } }) => {
    const clinics = clinicsInSight(actor, await api.clinics.names({}))
    const clinicId = clinicShown(actor, clinics, clinic)
    const shown = clinics.find(({ id }) => id === clinicId)
    if (!shown) throw notFound('clinics.notFound')
    const [drug, ledger] = await Promise.all([
      api.drugs.get({ id: drugId }),
      api.ledger.list({ drugId, clinicId: shown.id, page, pageSize: LINES }),
    ])
    const { rows, pagination, shortfall } = ledger
    return { clinic: shown, drug, rows: rows.toReversed(), pagination, shortfall }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: BinCardPage,
})

function BinCardPage() {
  const { clinic, drug, rows, pagination, shortfall } = Route.useLoaderData()
  const say = useSay()
  return (
    <Page
      title="inventory.binCard"
      crumbs={[
        { label: 'inventory.title', to: `/app/inventory/clinic-inventory?clinic=${clinic.id}` },
        {
          label: { text: drugName(drug) },
          to: `/app/inventory/clinic-inventory/drug/edit/${drug.id}?clinic=${clinic.id}`,
        },
      ]}
      actions={
        <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
          {say('inventory.print')}
        </Button>
      }
    >
      <BinCard {...{ drug, clinic, rows, shortfall }} />
      {pagination.total > LINES && <Paging {...pagination} />}
    </Page>
  )
}
