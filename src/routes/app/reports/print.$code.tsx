import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute, defaultStringifySearch } from '@tanstack/react-router'
import { api } from '~/client/api'
import { openReport } from '~/features/reports/runs/open-report'
import { PrintedReport } from '~/features/reports/runs/sheet/PrintedReport'
import { ReportPending } from '~/features/reports/runs/ReportPending'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { reportParams } from '~/features/reports/runs/report-search'
import { type Language, LANGUAGES, languageNames, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { oneOfOptions, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { Page } from '~/ui/Page'
import { Spoken } from '~/ui/Spoken'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({
  ...reportParams,
  language: oneOfOptions(LANGUAGES),
})

export const Route = createFileRoute('/app/reports/print/$code')({
  validateSearch: readSearch,
  beforeLoad: onlyFor(mayCountSomewhere),
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { code }, deps: { language, ...deps } }) => {
    if (language) await loadMessages(language)
    const { input, number } = await openReport(code, deps)
    return { report: await api.reports.run({ ...input, number }) }
  },
  onError: asNotFound,
  pendingComponent: ReportPending,
  component: PrintReportPage,
})

function PrintReportPage() {
  const say = useSay()
  const { report } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const { code } = Route.useParams()
  const { language = viewer.language, ...search } = Route.useSearch()
  const navigate = Route.useNavigate()
  const title = { text: translated(report.definition.names, viewer.language) }
  return (
    <Page
      title={title}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        { label: title, to: `/app/reports/${code}${defaultStringifySearch(search)}` },
      ]}
    >
      <Group gap="sm">
        <SegmentedControl
          aria-label={say('prescriptions.printLanguage')}
          value={language}
          onChange={(chosen) =>
            void navigate({
              search: (all) => ({ ...all, language: chosen as Language }),
              replace: true,
            })
          }
          data={LANGUAGES.map((value) => ({ value, label: languageNames[value] }))}
        />
        <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
          {say('reports.print')}
        </Button>
      </Group>
      <div data-sheet>
        <Spoken language={language} timeZone={viewer.timeZone}>
          <PrintedReport report={report} organization={viewer.organization} language={language} />
        </Spoken>
      </div>
    </Page>
  )
}
