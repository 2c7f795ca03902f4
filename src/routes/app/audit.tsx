import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AUDIT_FILTERS, auditSearch } from '~/features/office/audit/audit-search'
import { AuditFilters } from '~/features/office/audit/AuditFilters'
import { AuditTable } from '~/features/office/audit/AuditTable'
import { TrailTabs } from '~/features/office/audit/TrailTabs'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { ClearFilters, narrowing } from '~/ui/filters'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SaveAsFile } from '~/ui/SaveAsFile'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/audit')({
  validateSearch: auditSearch,
  beforeLoad: onlyFor(isAdmin),
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
  const { viewer } = Route.useRouteContext()
  const { page: _page, ...filter } = search
  const { patientId } = filter
  const isNarrowed = narrowing(search, AUDIT_FILTERS) > 0
  return (
    <Page
      title="audit.title"
      lead={say('audit.lead')}
      actions={
        <SaveAsFile
          from="/api/audit/export"
          filter={filter}
          language={viewer.language}
          name={say('audit.title')}
        />
      }
    >
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
