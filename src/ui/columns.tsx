import type { ReactNode } from 'react'
import type { Fields, Option } from '~/fields/field'
import { isEmpty } from '~/fields/kind'
import { fieldKinds } from '~/fields/kinds'
import type { Sayable } from '~/shared/say'

/**
 * Where a narrow screen, which shows each row as a card, puts a column: in the card's heading, in the line below it
 * without a label (status, time), as a labelled value, as the button at the end, or nowhere.
 */
export type CardRole = 'title' | 'badge' | 'value' | 'action' | 'hidden'

export type Column<Row> = {
  key: string
  label: Sayable
  cell: (row: Row) => ReactNode
  /** Its heading writes `sort` and `direction` into the address; the loader orders by them. */
  sortable?: boolean
  /** Numbers stand at the end, so that their digits line up. */
  align?: 'end'
  /** By default the first column is the title and the others are values. */
  card?: CardRole
  /** The clinic of the row: left out where there is no other. */
  isOfClinic?: true
}

/** The card role of every column: what the columns say, or the default. */
export function cardRoles(columns: readonly Pick<Column<never>, 'card'>[]): CardRole[] {
  const titled = columns.some(({ card }) => card === 'title')
  return columns.map(({ card }, index) => card ?? (index === 0 && !titled ? 'title' : 'value'))
}

type Choice = { sortable?: readonly string[]; options?: Record<string, readonly Option[]> }

/** Columns that read like the fields: their labels as headings, each value as its kind shows it. */
export function fieldColumns<F extends Fields, Row extends Partial<Record<keyof F, unknown>>>(
  fields: F,
  names: readonly (keyof F & string)[] = Object.keys(fields),
  { sortable = [], options = {} }: Choice = {},
): Column<Row>[] {
  return names.flatMap((name) => {
    const field = fields[name]
    if (!field) return []
    const { Cell } = fieldKinds[field.kind]
    return {
      key: name,
      label: field.label,
      sortable: sortable.includes(name),
      align: field.kind === 'number' ? 'end' : undefined,
      cell: (row) =>
        isEmpty(row[name]) ? (
          <Nothing />
        ) : (
          <Cell field={field} value={row[name]} options={options[name]} />
        ),
    } satisfies Column<Row>
  })
}

/** No answer, shown as such: a blank could be a mistake. A card leaves out the line that holds only this. */
export const Nothing = () => (
  <span data-nothing style={{ color: 'var(--mantine-color-dimmed)' }}>
    —
  </span>
)
