import { Button, Paper, ScrollArea, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useFormatter } from 'use-intl'
import { onlySearch } from '~/ui/search'
import { LinkAnchor } from '~/client/links'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { isolated } from '~/shared/isolated'
import { useSay } from '~/shared/say'
import { usePeriodName } from './period-name'
import type { Trend } from '../trend.server'
import { CellValue, useCellNumber } from './SheetSection'

const TrendChart = lazy(() => import('./TrendChart'))

type Props = {
  definition: ReportDefinition
  section: string
  row: Trend['rows'][number]
  periods: readonly string[]
  /** The row, and the column if the section has no total. */
  title: string
  sheetOf: (period: string) => { to: string; search: object }
}

/** How one number of the report went over the periods: as a chart, or as the table behind it. */
export function Indicator({ definition, section, row, periods, title, sheetOf }: Props) {
  const say = useSay()
  const format = useFormatter()
  const nameOf = usePeriodName()
  const isAlive = useMounted()
  const [isTable, setTable] = useState(false)
  const at = { section, row: row.row, column: row.column }
  const number = useCellNumber(definition, at, row.unit ?? undefined)
  const known = row.points.flatMap(({ value }) => (value === null ? [] : [value]))
  const isShare = row.points.some(({ denominator }) => denominator !== null)
  const isHidden = row.points.some(({ mask }) => mask)
  const shortName = (period: string) =>
    /^\d{4}-\d{2}$/.test(period)
      ? format.dateTime(new Date(`${period}-15T12:00:00Z`), {
          month: 'short',
          year: 'numeric',
          timeZone: 'UTC',
        })
      : period
  const room = <Skeleton height={200} />
  return (
    <Paper withBorder p="md" component="figure" m={0}>
      <Text component="figcaption" size="sm" fw={600} mb="xs">
        <bdi>{title}</bdi>
      </Text>
      {known.length === 0 && !isHidden ? (
        <Text size="sm" c="dimmed">
          {say('reports.noValues')}
        </Text>
      ) : (
        <>
          <VisuallyHidden>
            {say({
              key: 'reports.chartOf',
              values: { name: title, count: known.length, last: number(known.at(-1) ?? 0) },
            })}
          </VisuallyHidden>
          {isTable && (
            <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
              <Table>
                <caption>
                  <VisuallyHidden>{title}</VisuallyHidden>
                </caption>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{say('reports.period')}</Table.Th>
                    <Table.Th scope="col" ta="end">
                      {say('reports.value')}
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {periods
                    .map((period, index) => ({ period, cell: row.points[index] }))
                    .toReversed()
                    .map(({ period, cell }) => (
                      <Table.Tr key={period}>
                        <Table.Th scope="row" fw={400}>
                          <LinkAnchor
                            to={sheetOf(period).to}
                            search={onlySearch(sheetOf(period).search)}
                            size="sm"
                          >
                            {nameOf(period)}
                          </LinkAnchor>
                        </Table.Th>
                        <Table.Td ta="end">
                          <CellValue
                            cell={cell}
                            definition={definition}
                            at={at}
                            unit={row.unit ?? undefined}
                          />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                </Table.Tbody>
              </Table>
            </ScrollArea.Autosize>
          )}
          {!isTable && isAlive && (
            <Suspense fallback={room}>
              <TrendChart
                points={periods.map((period, index) => ({
                  // isolated: in the chart, which runs from the left, an Arabic date would fall apart
                  name: isolated(shortName(period)),
                  value: row.points[index]?.value ?? null,
                }))}
                goal={row.goal}
                label={title}
                isWhole={known.every(Number.isInteger) && !isShare}
                format={number}
              />
            </Suspense>
          )}
          {!isTable && !isAlive && room}
          <Button size="xs" variant="subtle" mt="xs" onClick={() => setTable(!isTable)}>
            {say(isTable ? 'reports.showChart' : 'reports.showTable')}
          </Button>
        </>
      )}
    </Paper>
  )
}
