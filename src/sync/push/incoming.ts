import { DEEPEST_STORED } from '~/db/stored-json'
import { findInputFlaw } from '~/server/flaw'
import { invalid } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type Wire, Wrong } from '../schema/kinds'
import {
  allTables,
  BESIDE,
  unknownColumns,
  pushed,
  type PushedName,
  pushedTables,
  type TableName,
  tableNamed,
  writable,
} from '../schema/tables'
import { isId } from '~/shared/id'
import { isObject } from '~/shared/object'

export type RowId = { table: PushedName; id: string }

/** A row that a device sends, with valid values in their normal form. */
export type Incoming = RowId & {
  /** The row's id on the device, if the row was redirected to another one. */
  sentAs?: string
  /** Another answer to the same question takes its value. */
  isFolded?: true
  /** The stored row has no answer yet: the sent one is written. */
  isFilling?: true
  /** The patient id that the device sent, if that record was merged into another. */
  sentFor?: string
  values: Record<string, Wire>
  /**
   * new: created on the device; edited: `changed` lists the columns; copy: sent without either (by
   * the app's forced upload), which does not say what the user changed.
   */
  state: 'new' | 'edited' | 'copy'
  changed: string[]
  /** The columns that nobody else had changed, if the row was refused all the same or had been deleted. */
  unwritten?: readonly string[]
  /** The row waited in quarantine: the device that sent it. */
  waited?: { chainId: string | null }
  /** Columns that a user entered while resolving the row. */
  typed?: readonly string[]
  /** As sent, for the quarantine. */
  raw: object
  /**
   * The server reads it differently from what was sent; the stored values are sent back to the
   * device.
   */
  isAltered?: true
}

/** The rows of each table, in the order of their references. */
export const byTable = <R extends { table: PushedName }>(rows: readonly R[]): [PushedName, R[]][] =>
  pushedTables
    .map(([name]): [PushedName, R[]] => [name, rows.filter(({ table }) => table === name)])
    .filter(([, ofTable]) => ofTable.length > 0)

export type RefusalReason = Extract<MessageKey, `sync.reason_${string}`>

/** A row that cannot be applied; it goes to quarantine. */
export type RowRefusal = {
  table: string
  id: string | null
  operation: 'save' | 'delete'
  raw: unknown
  reason: RefusalReason
  /** The column, the violated constraint, or the id of the missing record. */
  detail?: string
  patientId?: string | null
  clinicId?: string | null
}

export type ChangeSet = {
  rows: Incoming[]
  deleted: RowId[]
  refused: RowRefusal[]
  /** The device's own audit trail. */
  logs: { id: string; row: string }[]
  /** Number of rows by table that devices do not write. */
  ignored: Record<string, number>
  /** Those among them that the device changed: it is sent the stored rows again. */
  readOnly: { table: TableName; id: string }[]
}

type List = 'created' | 'updated'
type RawRow = { id: string } & Record<string, unknown>

/**
 * Reads a request body. Throws `invalid` if it is no change set; refuses single rows that are
 * malformed.
 */
export function readChangeSet(body: unknown): ChangeSet {
  // {table: {list: [row]}}, and JSON columns, which the app sends as text, as they may be stored
  if (!isObject(body) || findInputFlaw(body, DEEPEST_STORED + 4) === 'size')
    throw invalid({ '': { key: 'sync.notAChangeSet' } })
  const set: ChangeSet = { rows: [], deleted: [], refused: [], logs: [], ignored: {}, readOnly: [] }
  for (const [table] of pushedTables) readTable(table, body[table], set)
  readLogs(body['event_logs'], set)
  countIgnored(body, set)
  set.readOnly = readOnlyTables.flatMap((table) => changedRows(table, body[table]))
  return set
}

function readTable(table: PushedName, changes: unknown, set: ChangeSet) {
  if (changes === undefined || changes === null) return
  const refuse = (
    raw: unknown,
    reason: RefusalReason,
    operation: RowRefusal['operation'] = 'save',
  ) => set.refused.push({ table, id: null, operation, raw, reason })
  if (!isObject(changes)) {
    refuse(changes, 'sync.reason_noRow')
    return
  }
  const rows = new Map<string, Incoming>()
  for (const list of ['created', 'updated'] as const) {
    for (const raw of changeList(changes, list)) {
      if (!isObject(raw)) refuse(raw, 'sync.reason_noRow')
      else if (!isId(raw['id'])) refuse(raw, 'sync.reason_noId')
      else {
        const row = readRow(table, raw as RawRow, list)
        if ('reason' in row) set.refused.push(row)
        // the same row twice in one push: the later one is current
        else rows.set(row.id, row)
      }
    }
  }
  for (const row of rows.values()) set.rows.push(row)
  for (const deleted of changeList(changes, 'deleted')) {
    const id = isObject(deleted) ? deleted['id'] : deleted
    if (isId(id)) set.deleted.push({ table, id: id.toLowerCase() })
    else refuse(deleted, 'sync.reason_noId', 'delete')
  }
}

/** Returns the row with its values in their normal form, or the first value that is not valid. */
export function readRow(table: PushedName, raw: RawRow, list: List): Incoming | RowRefusal {
  const { columns } = tableNamed(table)
  const id = raw.id.toLowerCase()
  const values: Record<string, Wire> = {}
  const besides = unknownColumns(table, raw)
  for (const column of Object.keys(columns)) {
    const isSent = Object.hasOwn(raw, column)
    if (!isSent && column !== BESIDE) continue
    const value = columns[column]!.check(isSent ? raw[column] : besides)
    if (value instanceof Wrong) return refusalOfValue(table, { ...raw, id }, raw, column, value)
    values[column] = value
  }
  const mayWrite = writable(tableNamed(table))
  const sent = typeof raw['_changed'] === 'string' ? raw['_changed'].split(',').filter(Boolean) : []
  const changed = [
    ...sent.filter(
      (column) => column === 'is_deleted' || (mayWrite.includes(column) && column in values),
    ),
    ...(sent.some((column) => Object.hasOwn(besides, column)) ? [BESIDE] : []),
  ]
  return { table, id, values, changed, state: incomingState(raw['_status'], list, sent), raw }
}

function refusalOfValue(
  table: PushedName,
  row: RawRow,
  raw: RawRow,
  column: string,
  { reason }: Wrong,
): RowRefusal {
  const patientId = table === 'patients' ? row.id : row['patient_id']
  const clinicId = incomingClinicId(row)
  return {
    table,
    id: row.id,
    operation: 'save',
    raw,
    reason,
    detail: column,
    patientId: isId(patientId) ? patientId : null,
    clinicId: isId(clinicId) ? clinicId : null,
  }
}

/**
 * The list alone does not tell: the app's forced upload puts a row into `created` if it was created
 * after the time that the user chose, whatever its `_status`.
 */
function incomingState(status: unknown, list: List, changed: readonly string[]): Incoming['state'] {
  if (status === 'synced') return 'copy'
  if (status === 'created' || (list === 'created' && status !== 'updated')) return 'new'
  return changed.length > 0 ? 'edited' : 'copy'
}

/**
 * As the app's forced upload sends a row: a value that differs from the stored one becomes a
 * conflict, an unknown row is created.
 */
export const asCopy = (row: Incoming): Incoming => ({
  ...row,
  state: 'copy',
  changed: row.changed.filter((column) => column === 'is_deleted'),
})

function readLogs(changes: unknown, set: ChangeSet) {
  for (const row of [...changeList(changes, 'created'), ...changeList(changes, 'updated')]) {
    if (isObject(row) && isId(row['id']))
      set.logs.push({ id: row['id'].toLowerCase(), row: JSON.stringify(row) })
    else
      set.refused.push({
        table: 'event_logs',
        id: null,
        operation: 'save',
        raw: row,
        reason: 'sync.reason_noId',
      })
  }
}

function countIgnored(body: Record<string, unknown>, set: ChangeSet) {
  const known = new Set<string>([...pushedTables.map(([name]) => name), 'event_logs'])
  for (const [table, changes] of Object.entries(body)) {
    if (known.has(table)) continue
    const lists = isObject(changes) ? Object.values(changes).filter(Array.isArray) : []
    const count = lists.reduce((sum, list) => sum + list.length, 0)
    if (count > 0) set.ignored[table.slice(0, 100)] = count
  }
}

/** More than a phone changes by itself. */
const MOST_READ_ONLY = 5_000

/** Tables that devices only read. Permissions of administrators are computed, so they have no stored rows. */
const readOnlyTables = allTables
  .map(([name]) => name)
  .filter((name) => !(name in pushed) && name !== 'user_clinic_permissions')

function changedRows(table: TableName, changes: unknown) {
  const rows = [...changeList(changes, 'created'), ...changeList(changes, 'updated')]
  const changed = rows.filter((row) => isObject(row) && row['_status'] !== 'synced')
  return [...changed, ...changeList(changes, 'deleted')]
    .map((row) => (isObject(row) ? row['id'] : row))
    .filter(isId)
    .slice(0, MOST_READ_ONLY)
    .map((id) => ({ table, id: id.toLowerCase() }))
}

const changeList = (changes: unknown, name: string): unknown[] => {
  const list = isObject(changes) ? changes[name] : undefined
  return Array.isArray(list) ? list : []
}

/** The patient of a row. */
export const incomingPatientId = ({
  table,
  id,
  values,
}: Pick<Incoming, 'table' | 'id' | 'values'>) =>
  table === 'patients' ? id : (values['patient_id'] as string | null | undefined)

/**
 * The clinic that a row names: of care, of registration or of pickup. A table has one of them at
 * most.
 */
export const incomingClinicId = <V>(values: Readonly<Record<string, V>>): V | undefined =>
  values['clinic_id'] ?? values['primary_clinic_id'] ?? values['pickup_clinic_id']

/** Refuses a row; the quarantine shows it to users of its clinic. */
export const toRowRefusal = (
  row: Pick<Incoming, 'table' | 'id' | 'values' | 'raw'>,
  operation: RowRefusal['operation'],
  { reason, detail }: Pick<RowRefusal, 'reason' | 'detail'>,
): RowRefusal => ({
  table: row.table,
  id: row.id,
  operation,
  raw: row.raw,
  reason,
  detail,
  patientId: incomingPatientId(row) ?? null,
  clinicId: (incomingClinicId(row.values) as string) || null,
})
