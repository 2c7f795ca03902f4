import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ACCESS_FILTERS, accessSearch } from '~/features/office/audit/access-search'
import { AccessFilters } from '~/features/office/audit/AccessFilters'
import { AccessTable } from '~/features/office/audit/AccessTable'
import { TrailTabs } from '~/features/office/audit/TrailTabs'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { ClearFilters, narrowing } from '~/ui/filters'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SaveAsFile } from '~/ui/SaveAsFile'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/audit_/accesses')({
  validateSearch: accessSearch,
  beforeLoad: onlyFor(isAdmin),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => {
    const [accesses, users, clinics] = await Promise.all([
      api.audit.accesses(deps),
      api.audit.users({}),
      api.clinics.names({}),
    ])
    return { accesses, users, clinics }
  },
  pendingComponent: PageSkeleton,
  component: AccessesPage,
})

function AccessesPage() {
  const say = useSay()
  const search = Route.useSearch()
  const { viewer } = Route.useRouteContext()
  const { accesses, users, clinics } = Route.useLoaderData()
  const { patientId, page: _page, ...filter } = search
  const isNarrowed = narrowing(search, ACCESS_FILTERS) > 0
  return (
    <Page
      title="audit.title"
      lead={say('accesses.lead')}
      actions={
        <SaveAsFile
          from="/api/accesses/export"
          filter={{ patientId, ...filter }}
          language={viewer.language}
          name={say('accesses.title')}
        />
      }
    >
      <TrailTabs shown="accesses">
        <AccessFilters
          search={search}
          users={users}
          clinics={clinics}
          patient={
            patientId
              ? { id: patientId, name: accesses.names[patientId] || say('patientSearch.unnamed') }
              : null
          }
        />
        <AccessTable
          {...accesses}
          empty={isNarrowed ? 'accesses.noMatch' : 'accesses.empty'}
          emptyAction={isNarrowed && <ClearFilters filters={ACCESS_FILTERS} />}
        />
      </TrailTabs>
    </Page>
  )
}
