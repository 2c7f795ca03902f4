import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { DrugStock } from '~/features/medicines/inventory/DrugStock'
import { ReceiveAny } from '~/features/medicines/inventory/changes/ReceiveAny'
import {
  clinicParams,
  clinicShown,
  clinicsInSight,
} from '~/features/medicines/inventory/stock-search'
import { permitsSomewhere } from '~/policy/facts'
import { manageStock } from '~/policy/rules'
import { forbidden } from '~/shared/errors'
import { day, flag, defineSearch, textParam } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { PageSkeleton } from '~/ui/PageSkeleton'

const readSearch = defineSearch({
  ...clinicParams,
  receive: flag,
  batch: textParam(60),
  expiry: day,
})

export const Route = createFileRoute('/app/inventory/clinic-inventory/drug/edit/{-$drugId}')({
  // `receive`: open the form at once, with what a scan said
  validateSearch: readSearch,
  beforeLoad: ({ context: { actor }, params: { drugId = 'new' } }) => {
    if (drugId === 'new' && !permitsSomewhere(manageStock, actor)) throw forbidden()
  },
  loaderDeps: ({ search: { clinic, page } }) => ({ clinic, page }),
  loader: async ({
    params: { drugId = 'new' },
    deps: { clinic, page = 1 },
    context: { actor },
  }) => {
    const clinics = clinicsInSight(actor, await api.clinics.names({}))
    const clinicId = clinicShown(actor, clinics, clinic)
    if (drugId === 'new' || !clinicId) return { clinics, clinicId, stock: null }
    const [drug, batches, ledger, everywhere] = await Promise.all([
      api.drugs.get({ id: drugId }),
      api.batches.byDrug({ drugId, onlyAvailable: false, clinicId }),
      api.ledger.list({ drugId, clinicId, page }),
      api.batches.byDrug({ drugId, onlyAvailable: false }),
    ])
    return { clinics, clinicId, stock: { drug, batches, ledger, everywhere } }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: DrugStockPage,
})

function DrugStockPage() {
  const { clinics, clinicId, stock } = Route.useLoaderData()
  const { receive, batch, expiry } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  useLive('clinics.names', 'drugs.get', 'batches.byDrug', 'ledger.list')
  const clinic = clinics.find(({ id }) => id === clinicId)
  if (!stock || !clinic) return <ReceiveAny actor={actor} clinics={clinics} clinic={clinic} />
  return (
    <DrugStock
      key={`${stock.drug.id} ${clinic.id}`}
      actor={actor}
      {...stock}
      clinics={clinics}
      clinic={clinic}
      opening={receive ? { batch_number: batch, expiry_date: expiry } : undefined}
    />
  )
}
