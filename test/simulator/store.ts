import type { LastPush } from '~/sync/push/delivered'
import type { Incoming, RowId } from '~/sync/push/incoming'
import { isOfCopy } from '~/sync/push/conflicts.server'
import { isSame } from '~/sync/schema/kinds'
import { personScope } from '~/sync/schema/scope'
import { comparable, tableNamed } from '~/sync/schema/tables'
import type { PushState } from './push-state'
import { inScope, isLive } from './scope'
import { isVisible } from './snapshots'
import { keyOf, type Name, type RowRef, type State, type StoredRow } from './state'

/** `conflicts.server.ts` */
export function dropOlderValues(state: PushState) {
  const { server } = state
  if (!server.rules.model.dropsOlderValues) return
  state.conflicts = state.conflicts.filter((conflict) => {
    const { incoming, column, phone } = conflict
    const values = server.state.history.get(`${keyOf(incoming)} ${column}`)
    return !isOfCopy(conflict) || !values?.has(phone)
  })
}

export function storeConflicts({ server, base, tx, conflicts }: PushState) {
  if (!server.rules.model.storesConflicts) return
  for (const { column, phone, server: stored, isDeleted, incoming } of conflicts) {
    const ref = { table: incoming.table as Name, id: incoming.id }
    const isKnown = server.state.inbox.some(
      (entry) =>
        !entry.isSettled &&
        keyOf(entry) === keyOf(ref) &&
        entry.column === column &&
        entry.phone === phone &&
        entry.server === stored,
    )
    if (!isKnown)
      server.state.inbox.push({
        ...ref,
        chainId: incoming.waited ? incoming.waited.chainId : (base.chain?.id ?? null),
        userId: tx.userId,
        column,
        phone,
        server: stored,
        isDeleted,
        isSettled: false,
      })
  }
}

export function storeRefusals({ server, tx, base, inserted, refused }: PushState) {
  const { quarantine } = server.state
  for (const entry of quarantine) {
    const isClosed =
      !entry.isSettled &&
      entry.operation === 'save' &&
      inserted.some(({ table, id }) => entry.table === table && entry.id === id)
    if (!isClosed) continue
    entry.isSettled = true
    tellPhones(server, entry, tx.xid, base.chain?.id)
  }
  if (!server.rules.model.storesRefused) return
  for (const { table, id, operation, raw, reason, detail } of refused) {
    const text = JSON.stringify(raw)
    const isKnown = quarantine.some(
      (entry) =>
        entry.userId === tx.userId &&
        entry.table === table &&
        entry.operation === operation &&
        JSON.stringify(entry.raw) === text,
    )
    if (!isKnown)
      quarantine.push({
        table: table as Name,
        id: id!,
        chainId: base.chain?.id ?? null,
        userId: tx.userId,
        operation,
        raw: raw as Record<string, unknown>,
        reason,
        detail,
        sentXid: tx.xid,
        appliedXid: null,
        isSettled: false,
      })
  }
}

export function queueResend(
  state: PushState,
  rows: readonly Incoming[],
  deleted: readonly RowId[],
) {
  const { server, tx, base, ctx } = state
  if (!base.chain) return
  const chainId = base.chain.id
  const echoes = new Map<string, number>()
  server.state.echoes.set(chainId, echoes)
  const resend = server.state.resend.get(chainId) ?? new Map<string, number>()
  server.state.resend.set(chainId, resend)
  const scope = personScope(ctx.actor)
  const last = server.state.pushes.findLast((push) => push.chainId === chainId)
  const before = server.state.pulls.get(base.chain.basePull ?? 0)
  const pulled = base.pullId === null ? null : server.state.pulls.get(base.pullId)!.snapshot
  const isDone = (xid: number) =>
    last?.xid != null &&
    pulled !== null &&
    isVisible(last.xid, pulled) &&
    before?.chainId === chainId &&
    isVisible(xid, before.snapshot)
  for (const [key, xid] of resend)
    if (
      pulled !== null &&
      (!server.rules.model.keepsResend ||
        (isVisible(xid, pulled) &&
          (isDone(xid) || isLive(server, server.state.rows.get(key), scope))))
    )
      resend.delete(key)

  const tellWays = (row: StoredRow) => {
    for (const { id } of base.chains) queueFor(server.state, id, keyOf(row), tx.xid)
  }
  for (const incoming of rows) {
    const stored = server.row(incoming as RowRef)
    if (!stored) continue
    const isEqual =
      !stored.isDeleted && isSameRow(incoming, stored) && inScope(server, stored, scope)
    if (isEqual) echoes.set(keyOf(stored), server.state.stamps.get(keyOf(stored))!.xid)
    else if (server.rules.model.resendsDifferent) tellWays(stored)
  }
  for (const ref of deleted) {
    const stored = server.row(ref as RowRef)
    if (stored?.isDeleted) echoes.set(keyOf(stored), server.state.stamps.get(keyOf(stored))!.xid)
    else if (stored && server.rules.model.resendsDifferent) tellWays(stored)
  }
}

/** Rows that were released from quarantine, for the phones that sent them. */
export function queueReleased(
  { server, tx, refused }: PushState,
  released: readonly (Incoming & { chainId: string | null })[],
) {
  for (const row of released)
    if (!refused.some(({ raw }) => raw === row.raw))
      tellPhones(server, { ...row, userId: tx.userId }, tx.xid)
}

type Sent = { chainId: string | null; userId: string; table: string; id: string }

/** `queueForSenders`: all phones of the user who sent the row. */
export function tellPhones(
  { state, rules }: PushState['server'],
  row: Sent,
  xid: number,
  except?: string,
) {
  if (!rules.model.tellsReleased) return
  for (const { id, userId } of state.chains.values())
    if (
      id !== except &&
      (id === row.chainId || (rules.model.tellsAllPhones && userId === row.userId))
    )
      queueFor(state, id, keyOf(row), xid)
}

export function queueFor({ resend }: State, chainId: string, key: string, xid: number) {
  const ofPhone = resend.get(chainId) ?? new Map<string, number>()
  resend.set(chainId, ofPhone)
  ofPhone.set(key, xid)
}

const isSameRow = ({ table, values, isAltered }: Incoming, stored: StoredRow) =>
  !isAltered &&
  values['is_deleted'] !== true &&
  Object.entries(values).every(([column, value]) => {
    const kind = tableNamed(table).columns[column]
    return (
      !kind ||
      !comparable(tableNamed(table)).includes(column) ||
      isSame(kind, value, stored.values[column] ?? (kind.isBeside ? '{}' : null))
    )
  })

export function rememberPush(
  { server, tx, base }: PushState,
  delivered: LastPush,
  isUpload: boolean,
) {
  const { chain, pullId, basePull } = base
  const { pushes, epochs } = server.state
  const uploadedIn = isUpload ? epochs.length : null
  pushes.push({ chainId: chain?.id ?? null, userId: tx.userId, xid: tx.xid, uploadedIn })
  if (!chain) return
  chain.delivered = delivered.toText()
  if (pullId !== null)
    Object.assign(chain, {
      pushedSnapshot: server.snapshot(tx.xid),
      basePull: pullId,
      baseBefore: basePull,
    })
}
