import type { ReactNode } from 'react'
import type { Fields, Option } from '~/fields/field'
import { isEmpty } from '~/fields/kind'
import { kinds } from '~/fields/kinds'
import type { Sayable } from '~/shared/say'

export type Column<Row> = {
  key: string
  label: Sayable
  cell: (row: Row) => ReactNode
  /** Its heading writes `sort` and `direction` into the address; the loader orders by them. */
  sortable?: boolean
  /** Numbers stand at the end, so that their digits line up. */
  align?: 'end'
}

type Choice = { sortable?: readonly string[]; options?: Record<string, readonly Option[]> }

/** Columns that read like the fields: their labels as headings, each value as its kind shows it. */
export function columnsOf<F extends Fields, Row extends Partial<Record<keyof F, unknown>>>(
  fields: F,
  names: readonly (keyof F & string)[] = Object.keys(fields),
  { sortable = [], options = {} }: Choice = {},
): Column<Row>[] {
  return names.flatMap((name) => {
    const field = fields[name]
    if (!field) return []
    const { Cell } = kinds[field.kind]
    return {
      key: name,
      label: field.label,
      sortable: sortable.includes(name),
      align: field.kind === 'number' ? 'end' : undefined,
      cell: (row) =>
        isEmpty(row[name]) ? <Nothing /> : <Cell field={field} value={row[name]} options={options[name]} />,
    } satisfies Column<Row>
  })
}

/** No answer, shown as such: a blank could be a mistake. */
export const Nothing = () => <span style={{ color: 'var(--mantine-color-dimmed)' }}>—</span>
