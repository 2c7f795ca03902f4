import { Text } from '@mantine/core'
import { createFileRoute, defaultStringifySearch } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { openReport } from '~/features/reports/runs/open-report'
import { usePeriodName } from '~/features/reports/runs/sheet/period-name'
import { ReportPending } from '~/features/reports/runs/ReportPending'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { reportParams } from '~/features/reports/runs/report-search'
import { useSheetNames } from '~/features/reports/runs/sheet/sheet-names'
import { Died } from '~/features/people/patients/Died'
import { patientName } from '~/features/people/patients/patient'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { parseSex } from '~/fields/sex'
import { useSay } from '~/shared/say'
import { flag, page, defineSearch, textParam } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

const peopleSearch = defineSearch({ ...reportParams, late: flag, page })
const name = textParam(120, 1)

/** An address without its cell is an error: there is no default one. */
function parseCellName(given: Record<string, unknown>) {
  const [section, row, column] = [name(given['section']), name(given['row']), name(given['column'])]
  if (!section || !row || !column) throw new Error('The address names no cell of the report')
  return { section, row, column }
}

export const Route = createFileRoute('/app/reports/people/$code')({
  validateSearch: (given: Record<string, unknown>) => ({
    ...peopleSearch(given),
    ...parseCellName(given),
  }),
  beforeLoad: onlyFor(mayCountSomewhere),
  loaderDeps: ({ search }) => search,
  loader: async ({
    params: { code },
    deps: { section, row, column, late, page: pageNumber, ...deps },
  }) => {
    const { input, number } = await openReport(code, deps)
    const cell = { section, row, column }
    return {
      input,
      found: await api.reports.drill({ ...input, ...cell, number, late, page: pageNumber ?? 1 }),
    }
  },
  onError: asNotFound,
  pendingComponent: ReportPending,
  component: PeoplePage,
})

type Row = OperationResult<'reports.drill'>['rows'][number]

function PeoplePage() {
  const say = useSay()
  const periodName = usePeriodName()
  const { input, found } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const { code } = Route.useParams()
  const { section, row, column, late, page: _, ...search } = Route.useSearch()
  const names = useSheetNames(found.definition, viewer.language)
  const cell = names.cellNames({ section, row, column })
  const columns: Column<Row>[] = [
    {
      key: 'name',
      label: 'patientSearch.name',
      cell: (person) => (
        <>
          <LinkAnchor
            to="/app/patients/$patientId"
            params={{ patientId: person.patient_id }}
            fw={500}
            inherit
          >
            <bdi>{patientName(person) || say('patientSearch.unnamed')}</bdi>
          </LinkAnchor>
          {person.died_on && (
            <>
              {' '}
              <Died on={person.died_on} />
            </>
          )}
        </>
      ),
    },
    {
      key: 'sex',
      label: 'patientSearch.sex',
      cell: ({ sex }) => {
        const known = parseSex(sex)
        return known ? say(`patientPage.${known}`) : <Nothing />
      },
    },
    {
      key: 'age',
      label: 'patientSearch.age',
      cell: (person) => (person.date_of_birth ? <PatientAge patient={person} /> : <Nothing />),
    },
    { key: 'day', label: 'reports.day', cell: ({ day }) => <Day value={day} /> },
    { key: 'kind', label: 'reports.record', cell: ({ kind }) => say(`reports.counted_${kind}`) },
  ]
  // a patient can be counted more than once, also with one row
  const rows = found.rows.map((person, at) => ({
    ...person,
    rowId: person.id,
    id: `${at} ${person.id}`,
  }))
  return (
    <Page
      title={late ? 'reports.late' : 'reports.people'}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        {
          label: { text: names.report },
          to: `/app/reports/${code}${defaultStringifySearch(search)}`,
        },
      ]}
      lead={
        <>
          {[cell.section, cell.row, cell.column].join(' · ')}
          <br />
          {[
            ...found.clinics.map(({ name: clinicName }) => clinicName),
            periodName(input.period),
          ].join(' · ')}
        </>
      }
    >
      {found.not_shown > 0 && (
        <Text size="sm">
          {say({ key: 'reports.notShown', values: { count: found.not_shown } })}
        </Text>
      )}
      <DataTable
        label={late ? 'reports.late' : 'reports.people'}
        columns={columns}
        rows={rows}
        pagination={found.pagination}
        empty={found.isKept ? 'reports.peopleEmpty' : 'reports.peopleNotKept'}
      />
    </Page>
  )
}
