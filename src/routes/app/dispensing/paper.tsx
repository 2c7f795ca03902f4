import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { PaperEntry } from '~/features/medicines/dispensing/PaperEntry'
import { ClinicSelect } from '~/features/medicines/inventory/ClinicSelect'
import { clinicSearch, clinicShown } from '~/features/medicines/inventory/stock-search'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/dispensing/paper')({
  validateSearch: clinicSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_dispense_medications')),
  loader: async ({ context: { actor } }) => ({
    clinics: (await api.clinics.names({})).filter(({ id }) =>
      mayIn(actor, 'can_dispense_medications', id),
    ),
  }),
  pendingComponent: PageSkeleton,
  component: PaperPage,
})

function PaperPage() {
  const { clinics } = Route.useLoaderData()
  const { clinic: chosen } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  const shown = clinicShown(actor, clinics, chosen)
  const clinic = clinics.find(({ id }) => id === shown)
  return (
    <Page
      narrow
      title="dispensing.paper"
      lead={say('dispensing.paperText')}
      crumbs={[{ label: 'dispensing.title', to: '/app/dispensing' }]}
    >
      {clinic ? (
        <>
          {clinics.length > 1 && <ClinicSelect clinics={clinics} value={clinic.id} />}
          <PaperEntry key={clinic.id} clinic={clinic} />
        </>
      ) : (
        <EmptyState title="inventory.noClinic" />
      )}
    </Page>
  )
}
