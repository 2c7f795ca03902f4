import { type Incoming, readChangeSet } from '~/sync/push/incoming'
import { baseOf, baseOfWaiting, newPushState, type PushState } from './push-state'
import { deleteAll, saveAll } from './save'
import type { Author, Server } from './server'
import { patientIdOf } from './scope'
import { keyOf, type Name, type QuarantinedRow } from './state'
import type { Sender } from './pull'
import {
  dropOlderValues,
  queueReleased,
  queueResend,
  rememberPush,
  storeConflicts,
  storeRefusals,
} from './store'

export function push(
  server: Server,
  by: Author,
  sender: Sender,
  pullId: number,
  body: unknown,
  { isUpload = false } = {},
) {
  const { userId, appPassword, way } = sender
  const sent = structuredClone(body) as Record<string, { created: []; updated: []; deleted: [] }>
  const changes = readChangeSet(body)
  for (const { table, id, values } of changes.rows)
    server.waitFor(table === 'patients' ? id : String(values['patient_id']))
  for (const { table, id } of changes.deleted) {
    const row = server.row({ table: table as Name, id })
    if (row) server.waitFor(patientIdOf(row))
  }
  const tx = server.begin(by, userId)
  const base = baseOf(server, sender, pullId, [...changes.rows, ...changes.deleted])
  const state = newPushState(server, tx, base)
  state.refused.push(...changes.refused)

  const rows = base.isAfterRestore ? changes.rows.map(server.rules.asCopy) : changes.rows
  const delivered = server.rules.deliveredBy(rows, changes.deleted)
  saveAll(state, rows)
  if (server.rules.model.marksUnwritten) for (const row of rows) delivered.markUnwritten(row)
  const released = saveReleased(state)
  deleteAll(state, changes.deleted, [...rows, ...released])
  dropOlderValues(state)
  storeConflicts(state)
  storeRefusals(state)
  queueResend(state, rows, changes.deleted)
  queueReleased(state, released)
  rememberPush(state, delivered, isUpload)
  server.trace?.push({
    kind: 'push',
    userId,
    pullId,
    body: sent,
    isUpload,
    appPassword,
    way,
    conflicts: state.conflicts.length,
    refused: state.refused.length,
  })
  return state
}

/** A row refused for one of these waits for the record that it names. */
export const WAITING = [
  'sync.reason_unknownPatient',
  'sync.reason_unknownVisit',
  'sync.reason_unknownReference',
  'sync.reason_deletedPatient',
  'sync.reason_deletedVisit',
]

/** Rows of the same user that waited for what this push has inserted, and those that waited for them. */
function saveReleased(state: PushState): Released[] {
  const { server, tx, inserted } = state
  const all: Released[] = []
  for (let seen = 0; seen < inserted.length;) {
    const arrived = new Set(inserted.slice(seen).map(({ id }) => id))
    seen = inserted.length
    const waiting = server.state.quarantine.filter(
      (entry) =>
        !entry.isSettled &&
        entry.userId === tx.userId &&
        entry.operation === 'save' &&
        WAITING.includes(entry.reason) &&
        arrived.has(entry.detail ?? '') &&
        // a newer version has just been stored
        !inserted.some((row) => keyOf(row) === keyOf(entry)),
    )
    const rows = [...new Map(waiting.flatMap(readWaiting).map((row) => [keyOf(row), row])).values()]
    // each is an edit of the time at which its phone sent it
    for (const row of rows) {
      const isOwn = state.base.chains.some(({ id }) => id === row.chainId)
      saveAll({ ...state, base: baseOfWaiting(server, row, isOwn ? tx : undefined) }, [row])
    }
    all.push(...rows)
  }
  return all
}

type Released = Incoming & Pick<QuarantinedRow, 'chainId' | 'sentXid'>
const readWaiting = ({ table, raw, chainId, sentXid }: QuarantinedRow): Released[] =>
  readChangeSet({ [table]: { updated: [raw] } }).rows.map((row) => ({
    ...row,
    chainId,
    sentXid,
    waited: { chainId },
  }))

/** Applies a row that waited, as the work of its author. Answers whether it was accepted. */
export function applyWaiting(server: Server, entry: QuarantinedRow): boolean {
  const rows = readWaiting(entry)
  for (const { id, table, values } of rows)
    server.waitFor(table === 'patients' ? id : String(values['patient_id']))
  const tx = server.begin('settling', entry.userId)
  const state = newPushState(server, tx, baseOfWaiting(server, entry))
  saveAll(state, rows)
  deleteAll(state, [], rows)
  storeConflicts(state)
  queueReleased(state, rows)
  const [refusal] = state.refused
  if (refusal) Object.assign(entry, { reason: refusal.reason, detail: refusal.detail })
  else Object.assign(entry, { isSettled: true, appliedXid: tx.xid })
  return !refusal
}
