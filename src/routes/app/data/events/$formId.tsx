import { SegmentedControl } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { AnswerCharts } from '~/features/forms/events/explore/AnswerCharts'
import { AnswersTable } from '~/features/forms/events/explore/AnswersTable'
import { ExploreFilters } from '~/features/forms/events/explore/ExploreFilters'
import { exploreSearch } from '~/features/forms/events/explore/explore-search'
import { can, mayAnywhere, mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SaveAsFile } from '~/ui/SaveAsFile'

export const Route = createFileRoute('/app/data/events/$formId')({
  validateSearch: exploreSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { formId }, deps, context: { actor } }) => {
    if (!z.uuid().safeParse(formId).success) throw notFound('eventForms.notFound')
    const { view, page, sort, direction, ...filter } = deps
    const seesCharts = can(actor, 'view_analytics')
    const [list, charts, clinics] = await Promise.all([
      api.events.byForm({ formId, page, sort, direction, ...filter }),
      view === 'charts' && seesCharts ? api.events.charts({ formId, ...filter }) : null,
      api.clinics.names({}),
    ])
    return {
      formId,
      list,
      charts,
      seesCharts,
      clinics: clinics.filter(({ id }) => mayIn(actor, 'can_view_history', id)),
    }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: Explorer,
})

function Explorer() {
  const { formId, list, charts, seesCharts, clinics } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('events.byForm', 'events.charts', 'clinics.names')
  const patient = search.patientId
    ? { id: search.patientId, name: list.rows[0]?.patient || say('patientSearch.unnamed') }
    : null
  return (
    <Page
      title={{ text: list.name }}
      crumbs={[{ label: 'nav.eventData', to: '/app/data/events' }]}
      actions={
        <>
          {seesCharts && (
            <SegmentedControl
              size="sm"
              aria-label={say('explore.view')}
              value={charts ? 'charts' : 'table'}
              onChange={(view) =>
                void navigate({
                  search: (all) => ({
                    ...all,
                    page: undefined,
                    view: view === 'charts' ? 'charts' : undefined,
                  }),
                })
              }
              data={[
                { value: 'table', label: say('explore.table') },
                { value: 'charts', label: say('explore.charts') },
              ]}
            />
          )}
          {mayAnywhere(actor, 'can_download_patient_reports') && (
            <SaveAsFile
              from="/api/events/export"
              filter={{ ...search, page: undefined, view: undefined, formId }}
              language={viewer.language}
              name={list.name}
              choices={WAYS_TO_EXPORT}
            />
          )}
        </>
      }
    >
      <ExploreFilters search={search} clinics={clinics} columns={list.columns} patient={patient} />
      {charts ? <AnswerCharts charts={charts} /> : <AnswersTable {...list} search={search} />}
    </Page>
  )
}

/** Options in words, or as they are kept. */
const WAYS_TO_EXPORT = (['csv', 'xlsx'] as const).flatMap((format) =>
  (['labels', 'values'] as const).map((answers) => ({
    format,
    more: { answers },
    label: {
      key: answers === 'labels' ? 'explore.exportLabels' : 'explore.exportValues',
      values: { format: format === 'csv' ? 'CSV' : 'Excel (XLSX)' },
    } as const,
  })),
)
