import { hash } from 'node:crypto'
import type { Incoming } from './incoming'
import type { Wire } from '../schema/kinds'
import { type PushedName, tableNamed, writable } from '../schema/tables'

/** {column: value} of what came of one row; of a long text only its digest. */
export type Delivered = Readonly<Record<string, Wire>>

/** What came of a table: whole rows as their values in the order of `columns`, and of others {id: {column: value}}. */
type OfTable = {
  columns: readonly string[]
  whole: Record<string, readonly Wire[]>
  parts: Record<string, Delivered>
}

/** What a phone delivered with its last push, to know the same values when they come again. */
export class LastPush {
  readonly #tables = new Map<string, OfTable>()

  /** As `toText` wrote it; what was written otherwise before is as if nothing had come. */
  static read(text: string): LastPush {
    const last = new LastPush()
    for (const [table, rows] of Object.entries(
      JSON.parse(text) as Record<string, Partial<OfTable>>,
    )) {
      if (rows.columns) last.#tables.set(table, rows as OfTable)
    }
    return last
  }

  toText = (): string => JSON.stringify(Object.fromEntries(this.#tables))

  save({ table, id, sentAs, state, changed, values }: Incoming) {
    const columns = writable(tableNamed(table))
    const rows = this.#of(table)
    if (state === 'edited') rows.parts[sentAs ?? id] = partOf(values, changed)
    else if (columns.some((column) => values[column] === undefined))
      rows.parts[sentAs ?? id] = partOf(values, columns)
    else rows.whole[sentAs ?? id] = columns.map((column) => shortened(values[column]!))
  }

  delete(table: PushedName, id: string) {
    this.#of(table).parts[id] = { is_deleted: true }
  }

  row(table: PushedName, id: string): Delivered {
    const rows = this.#tables.get(table)
    const whole = rows?.whole[id]
    if (rows && whole)
      return Object.fromEntries(rows.columns.map((column, at) => [column, whole[at]!]))
    return rows?.parts[id] ?? {}
  }

  /** Whether all of it, and something, is among these. */
  isWithin(sent: readonly { table: string; id: string }[]): boolean {
    const here = new Set(sent.map(({ table, id }) => `${table} ${id}`))
    const ids = [...this.#tables].flatMap(([table, { whole, parts }]) =>
      [...Object.keys(whole), ...Object.keys(parts)].map((id) => `${table} ${id}`),
    )
    return ids.length > 0 && ids.every((row) => here.has(row))
  }

  #of(table: PushedName): OfTable {
    const rows = this.#tables.get(table) ?? {
      columns: writable(tableNamed(table)),
      whole: {},
      parts: {},
    }
    this.#tables.set(table, rows)
    return rows
  }
}

const partOf = (values: Incoming['values'], columns: readonly string[]): Delivered =>
  Object.fromEntries(
    columns
      .filter((column) => values[column] !== undefined)
      .map((column) => [column, shortened(values[column]!)]),
  )

const LONGEST = 100
const shortened = (value: Wire): Wire =>
  typeof value === 'string' && value.length > LONGEST ? hash('sha256', value, 'base64') : value

/** Whether that very value came. */
export const isDelivered = (delivered: Wire | undefined, value: Wire) =>
  delivered === value || delivered === shortened(value)
