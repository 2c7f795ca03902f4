import { hash } from 'node:crypto'
import type { Incoming } from './incoming'
import type { Wire } from '../schema/kinds'
import { type PushedName, tableNamed, writable } from '../schema/tables'

/** The delivered values of a row by column; of a long text only the digest. */
export type Delivered = Readonly<Record<string, Wire | Unwritten>>
type Unwritten = { unwritten: Wire }

export const deliveredValue = (delivered: Wire | Unwritten): Wire =>
  isUnwritten(delivered) ? delivered.unwritten : delivered

/** The value was not stored, although nobody else had changed the column. */
export const isUnwritten = (delivered: Wire | Unwritten | undefined): delivered is Unwritten =>
  typeof delivered === 'object' && delivered !== null

/**
 * The delivered rows of a table: whole rows as a list of values in the order of `columns`, others
 * by column.
 */
type DeliveredTable = {
  columns: readonly string[]
  whole: Record<string, readonly Wire[]>
  parts: Record<string, Delivered>
}

/** The values of a device's last push, to recognize them when the device sends them again. */
export class LastPush {
  readonly #tables = new Map<string, DeliveredTable>()

  /** Reads what `toText` wrote. An earlier format counts as nothing delivered. */
  static read(text: string): LastPush {
    const last = new LastPush()
    for (const [table, rows] of Object.entries(
      JSON.parse(text) as Record<string, Partial<DeliveredTable>>,
    )) {
      if (rows.columns) last.#tables.set(table, rows as DeliveredTable)
    }
    return last
  }

  toText = (): string => JSON.stringify(Object.fromEntries(this.#tables))

  save({ table, id, sentAs, state, changed, values }: Incoming) {
    const columns = writable(tableNamed(table))
    const rows = this.#rowsOf(table)
    if (state === 'edited') rows.parts[sentAs ?? id] = pickColumns(values, changed)
    else if (columns.some((column) => values[column] === undefined))
      rows.parts[sentAs ?? id] = pickColumns(values, columns)
    else rows.whole[sentAs ?? id] = columns.map((column) => shortened(values[column]!))
  }

  /**
   * Of an edit that was refused, or whose row was deleted, what nobody else had changed: its author has seen the stored
   * values, so that a later value is an edit like any other.
   */
  markUnwritten({ table, id, sentAs, unwritten = [] }: Incoming) {
    const { parts } = this.#rowsOf(table)
    const part = parts[sentAs ?? id]
    if (!part) return
    const marked = Object.entries(part).map(([column, value]) =>
      unwritten.includes(column) ? [column, { unwritten: deliveredValue(value) }] : [column, value],
    )
    parts[sentAs ?? id] = Object.fromEntries(marked) as Delivered
  }

  delete(table: PushedName, id: string) {
    this.#rowsOf(table).parts[id] = { is_deleted: true }
  }

  row(table: PushedName, id: string): Delivered {
    const rows = this.#tables.get(table)
    const whole = rows?.whole[id]
    if (rows && whole)
      return Object.fromEntries(rows.columns.map((column, at) => [column, whole[at]!]))
    return rows?.parts[id] ?? {}
  }

  /** Whether the last push had rows and all of them are among these. */
  isWithin(sent: readonly { table: string; id: string }[]): boolean {
    const here = new Set(sent.map(({ table, id }) => `${table} ${id}`))
    const ids = [...this.#tables].flatMap(([table, { whole, parts }]) =>
      [...Object.keys(whole), ...Object.keys(parts)].map((id) => `${table} ${id}`),
    )
    return ids.length > 0 && ids.every((row) => here.has(row))
  }

  #rowsOf(table: PushedName): DeliveredTable {
    const rows = this.#tables.get(table) ?? {
      columns: writable(tableNamed(table)),
      whole: {},
      parts: {},
    }
    this.#tables.set(table, rows)
    return rows
  }
}

const pickColumns = (values: Incoming['values'], columns: readonly string[]): Delivered =>
  Object.fromEntries(
    columns
      .filter((column) => values[column] !== undefined)
      .map((column) => [column, shortened(values[column]!)]),
  )

const LONGEST = 100
const shortened = (value: Wire): Wire =>
  typeof value === 'string' && value.length > LONGEST ? hash('sha256', value, 'base64') : value

/** Whether the last push delivered exactly this value. */
export function isDelivered(delivered: Wire | Unwritten | undefined, value: Wire) {
  const sent = delivered === undefined ? undefined : deliveredValue(delivered)
  return sent === value || sent === shortened(value)
}

/** The pulls that the last push of a device and the one before it have followed. */
export type Followed = { base_pull: number | null; base_before: number | null }

/**
 * The newest pull whose rows the user of a device has certainly seen.
 * The app pulls, keeps the columns that were edited on it, and pushes a moment later. So the pull
 * before a push does not show what the user saw while editing. They have certainly seen the newest
 * pull that an earlier push followed: after that push the device held nothing unsent. If the answer
 * to that push was lost, the device sends all of it again, perhaps edited further; then the base of
 * that push still applies.
 */
export const choosePushBasePull = (
  { base_pull, base_before }: Followed,
  delivered: LastPush,
  rows: readonly { table: string; id: string }[],
): number | null => (delivered.isWithin(rows) ? base_before : base_pull)
