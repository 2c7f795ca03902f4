import { Group, SimpleGrid, Text } from '@mantine/core'
import { createFileRoute, defaultStringifySearch } from '@tanstack/react-router'
import { api } from '~/client/api'
import { Indicator } from '~/features/reports/runs/sheet/Indicator'
import { openReport } from '~/features/reports/runs/open-report'
import { ReportPending } from '~/features/reports/runs/ReportPending'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { clinicsAndPeriod } from '~/features/reports/runs/report-search'
import { TREND_PERIODS } from '~/features/reports/runs/runs'
import { useSheetNames } from '~/features/reports/runs/sheet/sheet-names'
import { useComputedTrend } from '~/features/reports/runs/sheet/computed-trend'
import { TrendProgress } from '~/features/reports/runs/sheet/TrendProgress'
import { ClinicsPicker, PeriodPicker } from '~/features/reports/runs/sheet/SheetFilters'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { defineSearch, textParam } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useFilter } from '~/ui/filters'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ ...clinicsAndPeriod, section: textParam(120, 1) })

export const Route = createFileRoute('/app/reports/charts/$code')({
  validateSearch: readSearch,
  beforeLoad: onlyFor(mayCountSomewhere),
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { code }, deps: { section, ...deps } }) => {
    const { clinics, input } = await openReport(code, { ...deps, run: undefined })
    const known = await api.reports.trend({ ...input, section, only: 'closed' })
    return { clinics, input, known }
  },
  onError: asNotFound,
  pendingComponent: ReportPending,
  component: ChartsPage,
})

function ChartsPage() {
  const say = useSay()
  const { clinics, input, known } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const { code } = Route.useParams()
  const { section: _, ...search } = Route.useSearch()
  const choose = useFilter<{ section?: string }>()
  const { trend, ...progress } = useComputedTrend(known, input)
  const { definition, periods, rows, section } = trend
  const names = useSheetNames(definition, viewer.language)
  const sheetLink = (period: string) => ({
    to: `/app/reports/${code}`,
    search: { clinics: search.clinics, period },
  })
  return (
    <Page
      title="reports.charts"
      lead={say({ key: 'reports.chartsLead', values: { count: TREND_PERIODS } })}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        {
          label: { text: names.report },
          to: `/app/reports/${code}${defaultStringifySearch(search)}`,
        },
      ]}
    >
      <Group gap="md" align="flex-end">
        <PeriodPicker kind={definition.period} value={input.period} />
        <ClinicsPicker clinics={clinics} value={input.clinic_ids} />
        {definition.sections.length > 1 && (
          <PickList
            label={say('reports.section')}
            value={section}
            data={definition.sections.map((each) => ({
              value: each.id,
              label: names.nameOf(each),
            }))}
            onChange={(id) => id && choose({ section: id })}
            allowDeselect={false}
            searchable={definition.sections.length > 7}
            w={{ base: '100%', xs: '18rem' }}
          />
        )}
      </Group>
      <TrendProgress {...progress} />
      {rows.length === 0 ? (
        <Text c="dimmed">{say('reports.noValues')}</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          {rows.map((row) => {
            const words = names.cellNames({ section, ...row })
            const isWhole = row.column === 'total' || row.column === 'value'
            return (
              <Indicator
                key={`${row.row} ${row.column}`}
                definition={definition}
                section={section}
                row={row}
                periods={periods}
                title={isWhole ? words.row : `${words.row}, ${words.column}`}
                sheetOf={sheetLink}
              />
            )
          })}
        </SimpleGrid>
      )}
    </Page>
  )
}
