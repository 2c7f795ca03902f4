import { flawOf } from '~/server/flaw'
import { invalid } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { isId, type Wire, Wrong } from '../schema/kinds'
import { type PushedName, pushedTables, tableNamed, writable } from '../schema/tables'

/** A row that a phone sends, each value in its one form. */
export type Incoming = {
  table: PushedName
  id: string
  /** Its id on the phone, where it became part of another row. */
  sentAs?: string
  values: Record<string, Wire>
  /**
   * new: made on the phone, or never heard of here; edited: `changed` says which columns; copy: sent without either (the
   * app's forced upload), which says nothing about what anybody changed.
   */
  state: 'new' | 'edited' | 'copy'
  changed: string[]
  /** As it came, to be kept whole if it cannot be applied. */
  raw: object
  /** Read otherwise than sent; the stored value is sent back to the device. */
  isAltered?: true
}

export type Reason = Extract<MessageKey, `sync.reason_${string}`>
export type Refusal = {
  table: string
  id: string | null
  operation: 'save' | 'delete'
  raw: unknown
  reason: Reason
  /** The column, the rule of the database, or the record that is missing. */
  detail?: string
  patientId?: string | null
  clinicId?: string | null
}

export type ChangeSet = {
  rows: Incoming[]
  deleted: { table: PushedName; id: string }[]
  refused: Refusal[]
  /** The phone's own audit trail. */
  logs: { id: string; row: string }[]
  /** Rows of tables that are not the phone's to write, by table. */
  ignored: Record<string, number>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sorts out what a phone sent. Throws `invalid` when it is no change set at all; single rows that are no rows are refused. */
export function readChangeSet(body: unknown): ChangeSet {
  if (!isObject(body) || flawOf(body) === 'size')
    throw invalid({ '': { key: 'sync.notAChangeSet' } })
  const set: ChangeSet = { rows: [], deleted: [], refused: [], logs: [], ignored: {} }
  for (const [table] of pushedTables) readTable(table, body[table], set)
  for (const row of listOf(body['event_logs'], 'created').concat(
    listOf(body['event_logs'], 'updated'),
  )) {
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
  const known = new Set<string>([...pushedTables.map(([name]) => name), 'event_logs'])
  for (const [table, changes] of Object.entries(body)) {
    if (known.has(table)) continue
    const count = isObject(changes) ? Object.values(changes).filter(Array.isArray).flat().length : 0
    if (count > 0) set.ignored[table.slice(0, 100)] = count
  }
  return set
}

function readTable(table: PushedName, changes: unknown, set: ChangeSet) {
  if (changes === undefined || changes === null) return
  const refuse = (raw: unknown, reason: Reason, more: Partial<Refusal> = {}) =>
    set.refused.push({ table, id: null, operation: 'save', raw, reason, ...more })
  if (!isObject(changes)) {
    refuse(changes, 'sync.reason_noRow')
    return
  }
  const seen = new Map<string, Incoming>()
  for (const list of ['created', 'updated'] as const) {
    for (const raw of listOf(changes, list)) {
      if (!isObject(raw)) refuse(raw, 'sync.reason_noRow')
      else if (!isId(raw['id'])) refuse(raw, 'sync.reason_noId')
      else {
        const row = readRow(table, raw as { id: string }, list)
        if ('reason' in row) set.refused.push(row)
        // the same row twice in one push: the later says how it is now
        else seen.set(row.id, row)
      }
    }
  }
  set.rows.push(...seen.values())
  for (const gone of listOf(changes, 'deleted')) {
    const id = isObject(gone) ? gone['id'] : gone
    if (isId(id)) set.deleted.push({ table, id: id.toLowerCase() })
    else refuse(gone, 'sync.reason_noId', { operation: 'delete' })
  }
}

const listOf = (changes: unknown, name: string): unknown[] => {
  const list = isObject(changes) ? changes[name] : undefined
  return Array.isArray(list) ? list : []
}

/** A row in its one form, or why it is none. */
export function readRow(
  table: PushedName,
  raw: { id: string } & Record<string, unknown>,
  list: 'created' | 'updated',
): Incoming | Refusal {
  const { columns } = tableNamed(table)
  const id = raw.id.toLowerCase()
  const values: Record<string, Wire> = {}
  for (const column of Object.keys(columns)) {
    if (!Object.hasOwn(raw, column)) continue
    const value = columns[column]!.check(raw[column])
    if (value instanceof Wrong) {
      const patientId = table === 'patients' ? id : raw['patient_id']
      const clinicId = raw['clinic_id'] ?? raw['primary_clinic_id'] ?? raw['pickup_clinic_id']
      const about = {
        patientId: isId(patientId) ? patientId : null,
        clinicId: isId(clinicId) ? clinicId : null,
      }
      return { table, id, operation: 'save', raw, reason: value.reason, detail: column, ...about }
    }
    values[column] = value
  }
  const mayWrite = writable(tableNamed(table))
  const said = typeof raw['_changed'] === 'string' ? raw['_changed'].split(',').filter(Boolean) : []
  const changed = said.filter(
    (column) => column === 'is_deleted' || (mayWrite.includes(column) && column in values),
  )
  return { table, id, values, changed, state: stateOf(raw['_status'], list, said), raw }
}

/**
 * The list alone does not say what a row is: the app's forced upload puts a row into `created` when it was made after the
 * moment that the user chose, whatever its `_status`.
 */
function stateOf(
  status: unknown,
  list: 'created' | 'updated',
  changed: readonly string[],
): Incoming['state'] {
  if (status === 'synced') return 'copy'
  if (status === 'created' || (list === 'created' && status !== 'updated')) return 'new'
  return changed.length > 0 ? 'edited' : 'copy'
}
