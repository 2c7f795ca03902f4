import { conflict, forbidden, invalid } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { isParams, type Params, unknownCall } from './call'
import { type Incoming, readRow } from '../push/incoming'
import { type PushedName, tableNamed, writable } from '../schema/tables'

/** The row as an edit of each of its columns, without `created_at`. */
export const asEdit = (row: Incoming): Incoming => ({
  ...row,
  state: 'edited',
  changed: writable(tableNamed(row.table)).filter(
    (column) => column in row.values && column !== 'created_at',
  ),
})

export const isEmptyObject = (value: unknown) => isParams(value) && Object.keys(value).length === 0

/** Drops empty values, which means the default. */
export const given = (params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  )

/** Columns that the server stamps, and the phone's local sync columns. */
const NOT_STORED = [
  'last_modified',
  'server_created_at',
  'is_deleted',
  'deleted_at',
  '_status',
  '_changed',
]

/** Reads a row. An unknown column is an unknown call, a value of the wrong kind is `invalid`. */
export function rowFrom(name: PushedName, raw: { id: string } & Params): Incoming {
  const known = writable(tableNamed(name))
  const stray = Object.entries(raw).some(
    ([column, value]) =>
      column !== 'id' &&
      !known.includes(column) &&
      !NOT_STORED.includes(column) &&
      value !== null &&
      value !== '',
  )
  if (stray) throw unknownCall()
  // these calls only save: deletions have their own call
  if (raw['is_deleted']) throw invalid({ is_deleted: { key: 'validation.wrongType' } })
  const row = readRow(name, raw, 'created')
  if ('reason' in row) throw invalid({ [row.detail ?? '']: { key: row.reason } })
  return row
}

/** The refusal is final, because no one resolves it later. */
export const finalRefusal = (reason: MessageKey) =>
  reason === 'sync.reason_notPermitted' ? forbidden() : conflict(reason)
