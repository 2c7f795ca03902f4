import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { LinkButton } from '~/client/links'
import { ReportList } from '~/features/reports/runs/ReportList'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { clinicsAndPeriod } from '~/features/reports/runs/report-search'
import { ClinicsPicker } from '~/features/reports/runs/sheet/SheetFilters'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { defineSearch } from '~/shared/search-params'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ clinics: clinicsAndPeriod.clinics })

export const Route = createFileRoute('/app/reports/')({
  validateSearch: readSearch,
  beforeLoad: onlyFor(mayCountSomewhere),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { clinics } }) => api.reports.list({ clinic_ids: clinics }),
  pendingComponent: PageSkeleton,
  component: ReportsPage,
})

function ReportsPage() {
  const say = useSay()
  const { clinics, clinic_ids, rows } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  useLive('reports.list')
  return (
    <Page
      title="reports.title"
      lead={say('reports.lead')}
      actions={
        isAdmin(actor) && (
          <LinkButton variant="default" to="/app/reports/definitions">
            {say('reportDefinitions.title')}
          </LinkButton>
        )
      }
    >
      <ClinicsPicker clinics={clinics} value={clinic_ids} />
      <ReportList rows={rows} language={viewer.language} clinics={search.clinics} />
    </Page>
  )
}
