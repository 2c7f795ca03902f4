import { Group, Stack, Text } from '@mantine/core'
import { IconChartLine, IconPencil, IconPrinter } from '@tabler/icons-react'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { api } from '~/client/api'
import { LinkButton } from '~/client/links'
import { cellKey, type CellName } from '~/features/reports/cells/definition'
import { LateRows } from '~/features/reports/runs/LateRows'
import type { SavesManual } from '~/features/reports/runs/sheet/ManualValue'
import { manualKind } from '~/features/reports/runs/measure-kind'
import { openReport } from '~/features/reports/runs/open-report'
import { ReportPending } from '~/features/reports/runs/ReportPending'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { RunPanel } from '~/features/reports/runs/RunPanel'
import { reportSearch } from '~/features/reports/runs/report-search'
import { LIVE } from '~/features/reports/runs/runs'
import { useSheetNames } from '~/features/reports/runs/sheet/sheet-names'
import { ClinicsPicker, PeriodPicker } from '~/features/reports/runs/sheet/SheetFilters'
import { SheetSection } from '~/features/reports/runs/sheet/SheetSection'
import { mayExport } from '~/features/reports/exchange/rights'
import { SaveReport } from '~/features/reports/exchange/SaveReport'
import { Sendings } from '~/features/reports/exchange/Sendings'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/reports/$code')({
  validateSearch: reportSearch,
  beforeLoad: onlyFor(mayCountSomewhere),
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { code }, deps }) => {
    const { clinics, input, number } = await openReport(code, deps)
    return { clinics, input, report: await api.reports.run({ ...input, number }) }
  },
  onError: asNotFound,
  pendingComponent: ReportPending,
  component: SheetPage,
})

function SheetPage() {
  const say = useSay()
  const router = useRouter()
  const { clinics, input, report } = Route.useLoaderData()
  const { viewer, actor } = Route.useRouteContext()
  const search = Route.useSearch()
  const { code } = Route.useParams()
  const names = useSheetNames(report.definition, viewer.language)
  useLive('reports.run', 'sendings.list')
  const { definition, run, runs, may } = report
  const cells = new Map(report.cells.map((cell) => [cellKey(cell), cell]))
  const isOneClinic = input.clinic_ids.length === 1
  const isOpen = runs.length === 0
  const isExported = mayExport(actor, input.clinic_ids)
  const isMasked = report.cells.some(({ mask }) => mask)
  const hasManual = report.cells.some((cell) => manualKind(definition, cell))

  const peopleLink = (more: object) => (cell: CellName) => ({
    to: `/app/reports/people/${code}`,
    search: { ...search, ...cell, ...more },
  })
  const save: SavesManual = async (cell) => {
    const { code: reportCode, period } = input
    await api.reports.saveManual({
      code: reportCode,
      period,
      clinic_id: input.clinic_ids[0]!,
      ...cell,
    })
    await router.invalidate()
  }
  return (
    <Page
      title={{ text: names.report }}
      crumbs={[{ label: 'reports.title', to: '/app/reports' }]}
      lead={report.clinics.map(({ name }) => name).join(' · ')}
      actions={
        <>
          <LinkButton
            variant="default"
            leftSection={<IconChartLine size={16} aria-hidden />}
            to="/app/reports/charts/$code"
            params={{ code }}
            search={{ clinics: search.clinics, period: search.period }}
          >
            {say('reports.charts')}
          </LinkButton>
          <LinkButton
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            to="/app/reports/print/$code"
            params={{ code }}
            search={search}
          >
            {say('reports.print')}
          </LinkButton>
          {isExported && (
            <SaveReport
              which={{ ...input, number: run?.number ?? LIVE }}
              name={names.report}
              language={viewer.language}
            />
          )}
          {isAdmin(actor) && (
            <LinkButton
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              to="/app/reports/definitions/edit/{-$definitionId}"
              params={{ definitionId: report.id }}
            >
              {say('reportDefinitions.edit')}
            </LinkButton>
          )}
        </>
      }
    >
      <Group gap="md" align="flex-end">
        <PeriodPicker kind={definition.period} value={report.period.text} />
        <ClinicsPicker clinics={clinics} value={input.clinic_ids} />
      </Group>
      <RunPanel report={report} actor={actor} />
      {hasManual && isOpen && may.prepare && !isOneClinic && (
        <Text size="sm">{say('reports.oneClinicToEdit')}</Text>
      )}
      <Stack gap="lg" key={`${report.period.text} ${input.clinic_ids.join()} ${run?.number ?? 0}`}>
        {definition.sections.map((section) => (
          <SheetSection
            key={section.id}
            definition={definition}
            section={section}
            names={names}
            cells={cells}
            notPlaced={report.not_placed[section.id]}
            peopleOf={may.drill ? peopleLink({}) : undefined}
            onSave={isOpen && isOneClinic && may.prepare ? save : undefined}
          />
        ))}
      </Stack>
      {isMasked && (
        <Text size="sm" c="dimmed">
          {say('reports.maskLegend')}
        </Text>
      )}
      {run && isOneClinic && isExported && <Sendings runId={run.id} version={report} />}
      {runs.length > 0 && (
        <LateRows
          input={input}
          language={viewer.language}
          peopleOf={peopleLink({ late: true, run: undefined })}
          version={report}
        />
      )}
    </Page>
  )
}
