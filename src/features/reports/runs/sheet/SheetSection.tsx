import { Box, Paper, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import { useId } from 'react'
import { useFormatter } from 'use-intl'
import { onlySearch } from '~/ui/search'
import {
  type CellName,
  type ReportColumn,
  sectionColumns,
  type ReportDefinition,
  type ReportRow,
  type ReportSection,
} from '~/features/reports/cells/definition'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { ManualValue, type SavesManual } from './ManualValue'
import { manualKind, sheetAt } from '../measure-kind'
import type { SheetNames } from './sheet-names'
import classes from './SheetSection.module.css'
import type { ShownCell } from '../shown.server'

type NotPlaced = { value: number | null; mask: string | null }
type Props = {
  definition: ReportDefinition
  section: ReportSection
  names: SheetNames
  /** By `section/row/column`. */
  cells: ReadonlyMap<string, ShownCell>
  notPlaced: NotPlaced | undefined
  /** The address of the people behind a cell; absent on paper and for users who may not open them. */
  peopleOf?: (cell: CellName) => { to: string; search: object }
  /** Saves what users enter; absent where nothing can be entered. */
  onSave?: SavesManual
}

/** One section in the order of the paper: rows with their numbers, headings in levels, and what is not placed. */
export function SheetSection(props: Props) {
  const { definition, section, names, notPlaced } = props
  const say = useSay()
  const title = useId()
  const columns = sectionColumns(definition, section)
  const levels = names.headingsOf(section)
  return (
    <Stack gap={6} className={classes.section}>
      <Title order={2} size="h4" id={title}>
        {names.nameOf(section)}
      </Title>
      <Paper withBorder className={classes.frame}>
        <Box
          className={classes.scroller}
          component="section"
          aria-labelledby={title}
          tabIndex={0}
          data-scroll-restoration-id={section.id}
        >
          <Table
            className={classes.table}
            withRowBorders={false}
            style={{ '--columns': columns.length }}
          >
            <caption>
              <VisuallyHidden>{names.nameOf(section)}</VisuallyHidden>
            </caption>
            <Table.Thead>
              {levels.map((headings, level) => (
                <Table.Tr key={headings.map(({ id }) => id).join()}>
                  {level === 0 && (
                    <Table.Th scope="col" rowSpan={levels.length}>
                      <VisuallyHidden>{say('reports.row')}</VisuallyHidden>
                    </Table.Th>
                  )}
                  {headings.map(({ id, label, span, deep }) => (
                    <Table.Th
                      key={id}
                      scope={span > 1 ? 'colgroup' : 'col'}
                      colSpan={span}
                      rowSpan={deep}
                    >
                      {label}
                    </Table.Th>
                  ))}
                </Table.Tr>
              ))}
            </Table.Thead>
            <Table.Tbody>
              {section.rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Th scope="row">
                    {row.number && (
                      <>
                        <span className={classes.number}>{row.number}</span>{' '}
                      </>
                    )}
                    <bdi>{names.nameOf(row)}</bdi>
                    <Goal row={row} />
                  </Table.Th>
                  {columns.map((column) => (
                    <Table.Td key={column.id} data-total={column.id === 'total' || undefined}>
                      <Cell {...props} row={row} column={column} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      </Paper>
      {notPlaced && notPlaced.value !== 0 && (
        <Text size="sm" c="dimmed">
          {say(
            notPlaced.value === null
              ? 'reports.notPlacedFew'
              : { key: 'reports.notPlaced', values: { count: notPlaced.value } },
          )}
        </Text>
      )}
    </Stack>
  )
}

function Goal({ row: { goal } }: { row: ReportRow }) {
  const say = useSay()
  if (goal === undefined) return null
  return <span className={classes.parts}>{say({ key: 'reports.goal', values: { goal } })}</span>
}

type CellProps = Props & { row: ReportRow; column: ReportColumn }

function Cell({ definition, section, names, cells, peopleOf, onSave, row, column }: CellProps) {
  const at = { section: section.id, row: row.id, column: column.id }
  const cell = cells.get(`${section.id}/${row.id}/${column.id}`)
  const kind = manualKind(definition, at)
  if (kind && onSave)
    return (
      <ManualValue
        kind={kind}
        label={{ row: names.nameOf(row), column: names.columnName(section, column) }}
        value={cell?.value ?? null}
        onSave={(value, was) => onSave({ ...at, value, was })}
      />
    )
  const shown = <CellValue cell={cell} definition={definition} at={at} unit={row.unit} />
  const opens = peopleOf && !kind && cell?.rows ? peopleOf(at) : null
  if (!opens) return shown
  return (
    <LinkAnchor to={opens.to} search={onlySearch(opens.search)} inherit>
      {shown}
    </LinkAnchor>
  )
}

type ValueProps = {
  cell: Pick<ShownCell, 'value' | 'numerator' | 'denominator' | 'mask'> | undefined
  definition: ReportDefinition
  at: CellName
  unit?: string | undefined
}

/** A number as the paper shows it: a share as percent with its two counts, a hidden count as its sign. */
export function CellValue({ cell, definition, at, unit }: ValueProps) {
  const say = useSay()
  const number = useCellNumber(definition, at, unit)
  if (cell?.mask) return <Masked mask={cell.mask} />
  if (!cell || cell.value === null) return <span>—</span>
  const parts = sheetAt(definition, at)?.beside(cell)
  return (
    <>
      <bdi>{number(cell.value)}</bdi>
      {parts && <span className={classes.parts}>{say(parts)}</span>}
    </>
  )
}

/** The text of a cell's number, with its unit. */
export function useCellNumber(definition: ReportDefinition, at: CellName, unit?: string) {
  const say = useSay()
  const format = useFormatter()
  const isPercent = sheetAt(definition, at)?.isPercent
  const isYesNo = manualKind(definition, at) === 'yesno'
  return (value: number) => {
    if (isYesNo && (value === 0 || value === 1))
      return say(value === 1 ? 'common.yes' : 'common.no')
    if (isPercent) return format.number(value / 100, { style: 'percent', maximumFractionDigits: 1 })
    const text = format.number(value, { maximumFractionDigits: 1 })
    return unit ? `${text} ${unit}` : text
  }
}

function Masked({ mask }: { mask: 'few' | 'hidden' }) {
  const say = useSay()
  const means = say(mask === 'few' ? 'reports.fewMeans' : 'reports.hiddenMeans')
  return (
    <span title={means}>
      <span aria-hidden dir="ltr">
        {mask === 'few' ? '<5' : '*'}
      </span>
      <VisuallyHidden>{means}</VisuallyHidden>
    </span>
  )
}
