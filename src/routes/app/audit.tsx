import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AUDIT_FILTERS, auditSearch } from '~/features/office/audit/audit'
import { AuditFilters } from '~/features/office/audit/AuditFilters'
import { AuditTable } from '~/features/office/audit/AuditTable'
import { TrailTabs } from '~/features/office/audit/TrailTabs'
import { isAdmin } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { ClearFilters, narrowing } from '~/ui/filters'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/audit')({
  validateSearch: auditSearch,
  beforeLoad: ({ context }) => {
    if (!isAdmin(context.actor)) throw forbidden()
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => {
    const [trail, users, clinics] = await Promise.all([
      api.audit.list(deps),
      api.audit.users({}),
      api.clinics.names({}),
    ])
    return { trail, users, clinics }
  },
  pendingComponent: PageSkeleton,
  component: AuditPage,
})

function AuditPage() {
  const say = useSay()
  const search = Route.useSearch()
  const { trail, users, clinics } = Route.useLoaderData()
  const { patientId } = search
  const isNarrowed = narrowing(search, AUDIT_FILTERS) > 0
  return (
    <Page title="audit.title" lead={say('audit.lead')}>
      <TrailTabs shown="changes">
        <AuditFilters
          search={search}
          users={users}
          clinics={clinics}
          patient={
            patientId
              ? { id: patientId, name: trail.names[patientId] || say('patientSearch.unnamed') }
              : null
          }
        />
        <AuditTable
          {...trail}
          empty={isNarrowed ? 'audit.noMatch' : 'audit.empty'}
          emptyAction={isNarrowed && <ClearFilters filters={AUDIT_FILTERS} />}
        />
      </TrailTabs>
    </Page>
  )
}
