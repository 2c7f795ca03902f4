import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { onlySearch } from '~/ui/search'
import { useQuery } from '~/client/query'
import { LinkAnchor } from '~/client/links'
import type { CellName } from '~/features/reports/cells/definition'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { ErrorView } from '~/ui/ErrorView'
import type { LateRowsResult as Late } from './closing.server'
import { useSheetNames } from './sheet/sheet-names'
import { CellValue } from './sheet/SheetSection'

type Props = {
  input: { code: string; clinic_ids: string[]; period: string }
  language: Language
  /** The address of the rows that were added to a cell. */
  peopleOf: (cell: CellName) => { to: string; search: object }
  version: unknown
}

/** What has changed since the newest closing; computed when the user asks for it. */
export function LateRows({ input, language, peopleOf, version }: Props) {
  const say = useSay()
  const [isAsked, setAsked] = useState(false)
  const { data, error } = useQuery('reports.late', isAsked ? input : null, { version })
  return (
    <Stack gap="sm" component="section" data-print="no">
      <div>
        <Title order={2} size="h4">
          {say('reports.late')}
        </Title>
        <Text size="sm" c="dimmed">
          {say('reports.lateLead')}
        </Text>
      </div>
      {!isAsked && (
        <div>
          <Button variant="default" onClick={() => setAsked(true)}>
            {say('reports.showLate')}
          </Button>
        </div>
      )}
      {isAsked && Boolean(error) && <ErrorView error={error as Error} />}
      {isAsked && !error && data && (
        <LateTable late={data} language={language} peopleOf={peopleOf} />
      )}
      {isAsked && !error && !data && <Skeleton height={160} aria-busy />}
    </Stack>
  )
}

type TableProps = Pick<Props, 'language' | 'peopleOf'> & { late: Late }

function LateTable({ late: { definition, cells, may }, language, peopleOf }: TableProps) {
  const format = useFormatter()
  const names = useSheetNames(definition, language)
  const rows = cells.map((cell) => ({ id: `${cell.section}/${cell.row}/${cell.column}`, ...cell }))
  type Row = (typeof rows)[number]
  const value = (row: Row, which: 'stored' | 'today') => (
    <CellValue
      definition={definition}
      at={row}
      cell={{ value: row[which], mask: row[`${which}_mask`], numerator: null, denominator: null }}
    />
  )
  const columns: Column<Row>[] = [
    { key: 'row', label: 'reports.row', cell: (row) => <bdi>{names.cellNames(row).row}</bdi> },
    {
      key: 'column',
      label: 'reports.column',
      cell: (row) => <bdi>{names.cellNames(row).column}</bdi>,
    },
    {
      key: 'section',
      label: 'reports.section',
      cell: (row) => <bdi>{names.cellNames(row).section}</bdi>,
    },
    { key: 'stored', label: 'reports.stored', align: 'end', cell: (row) => value(row, 'stored') },
    { key: 'today', label: 'reports.today', align: 'end', cell: (row) => value(row, 'today') },
    {
      key: 'difference',
      label: 'reports.difference',
      align: 'end',
      cell: ({ difference }) =>
        difference === null ? (
          <Nothing />
        ) : (
          <bdi>
            {format.number(difference, { signDisplay: 'exceptZero', maximumFractionDigits: 1 })}
          </bdi>
        ),
    },
    {
      key: 'added',
      label: 'reports.added',
      align: 'end',
      cell: (row) => {
        if (row.added === null) return <Nothing />
        // not the numbers of the row: the address would keep them
        const { section, row: rowId, column } = row
        const { to, search } = peopleOf({ section, row: rowId, column })
        return may.drill && row.added > 0 ? (
          <LinkAnchor to={to} search={onlySearch(search)} inherit>
            {format.number(row.added)}
          </LinkAnchor>
        ) : (
          format.number(row.added)
        )
      },
    },
    {
      key: 'removed',
      label: 'reports.removed',
      align: 'end',
      cell: ({ removed }) => (removed === null ? <Nothing /> : format.number(removed)),
    },
  ]
  return <DataTable label="reports.late" columns={columns} rows={rows} empty="reports.lateEmpty" />
}
