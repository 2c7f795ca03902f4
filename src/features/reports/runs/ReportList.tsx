import { Group } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { usePeriodName } from './sheet/period-name'
import type { ListedReports } from './reports.server'
import { RunBadge, statusToShow } from './RunPanel'

type Row = ListedReports['rows'][number]
type Props = {
  rows: readonly Row[]
  language: Language
  /** The chosen clinics, for the addresses of the sheets. */
  clinics: string[] | undefined
}

/** Which report, which period is due, and whether it is closed: one press opens this period or the last. */
export function ReportList({ rows, language, clinics }: Props) {
  const say = useSay()
  const nameOf = usePeriodName()
  const sheet = (code: string, period: string) => (
    <LinkAnchor to="/app/reports/$code" params={{ code }} search={{ period, clinics }} inherit>
      {nameOf(period)}
    </LinkAnchor>
  )
  const columns: Column<Row>[] = [
    {
      key: 'name',
      label: 'reports.one',
      cell: ({ code, names, is_due, previous, current }) => (
        <LinkAnchor
          to="/app/reports/$code"
          params={{ code }}
          search={{ period: is_due ? previous : current, clinics }}
          fw={500}
          inherit
        >
          <bdi>{translated(names, language)}</bdi>
        </LinkAnchor>
      ),
    },
    { key: 'kind', label: 'reports.frequency', cell: ({ kind }) => say(`reports.kind_${kind}`) },
    {
      key: 'previous',
      label: 'reports.last',
      cell: (row) => (
        <Group gap="xs">
          {sheet(row.code, row.previous)}
          <RunBadge status={statusToShow(row)} />
        </Group>
      ),
    },
    { key: 'current', label: 'reports.current', cell: ({ code, current }) => sheet(code, current) },
  ]
  const sorted = rows.toSorted((one, other) =>
    translated(one.names, language).localeCompare(translated(other.names, language), language),
  )
  return <DataTable label="reports.title" columns={columns} rows={sorted} empty="reports.empty" />
}
