import type { Cursor, Epoch, Plan, SecondCode, PullWindow } from '~/sync/pull/plan'
import { deletedBy, inScope, isDeletedInScope, isLive, isRecordOpen, linked } from './scope'
import type { Server } from './server'
import { isVisible } from './snapshots'
import {
  keyOf,
  type Name,
  type PatientLink,
  type Pulled,
  type RowRef,
  type StoredRow,
  type Way,
} from './state'

export type Sender = { userId: string; appPassword: string; way: Way }

/** `isOtherWay`: the chains of the sender's phone on its other way. */
export const otherWays = ({ state, rules }: Server, { userId, appPassword, way }: Sender) =>
  rules.model.joinsWays
    ? [...state.chains.values()].filter(
        (chain) =>
          chain.userId === userId && chain.appPassword === appPassword && chain.way !== way,
      )
    : []

function otherWayOf(server: Server, sender: Sender): SecondCode | null {
  const chains = otherWays(server, sender).map(({ id }) => id)
  const pulls = [...server.state.pulls.values()].filter(({ chainId }) => chains.includes(chainId))
  if (pulls.some(({ withheld }) => withheld === null)) return 'current'
  return chains.length > 0 ? 'waits' : null
}

/** A pull: the product plans it, and what `pull-sql.ts` writes as SQL is looked up in memory. */
export function pull(server: Server, sender: Sender, lastPulledAt: number): Pulled {
  const { userId, appPassword, way } = sender
  const secondCode = lastPulledAt === 0 ? otherWayOf(server, sender) : null
  const plan = server.rules.planOf(
    server.actorOf(userId),
    { lastPulledAt, schemaVersion: 9, upgraded: [], secondCode, namesFollowed: way === 'hub' },
    {
      snapshot: server.snapshot(),
      epoch: epochOf(server, lastPulledAt),
      cursor: cursorOf(server, lastPulledAt),
      isFormer: false,
    },
  )
  const reading = readingOf(server, plan)
  const stored = plan.sendsNothing ? [] : [...server.state.rows.values()]
  const sent = (row: StoredRow) => isSent(reading, row)
  const rows = stored
    .filter(sent)
    .map(({ table, id, values, isDeleted }) => ({ table, id, values: { ...values }, isDeleted }))
  const deleted = stored
    .filter((row) => isIdSent(reading, row))
    .map(({ table, id }) => ({ table, id }))
  const list = way === 'hub' || (lastPulledAt === 0 && !secondCode) ? 'created' : 'updated'
  const pulled: Pulled = {
    rows,
    deleted: plan.sendsNothing ? [] : [...deleted, ...unknownResent(reading)],
    list,
    timestamp: rememberPull(server, plan, sender, { lastPulledAt, secondCode }),
    hidden: hiddenIn(server, plan),
  }
  server.trace?.push(
    structuredClone({ kind: 'pull', userId, appPassword, way, lastPulledAt, pulled }),
  )
  return pulled
}

/** The form, if the pull sends it: it is a row like others. */
function hiddenIn({ state }: Server, { sendsNothing, since }: Plan): readonly string[] | null {
  const form = state.forms.at(-1)!
  const isSent = !sendsNothing && (since === null || !isVisible(form.xid, since))
  return isSent ? form.hidden : null
}

function epochOf({ state }: Server, number: number): Epoch | null {
  const newest = state.epochs.at(-1)
  if (!newest) return null
  const { snapshot } = newest
  const isLost = state.epochs.some(
    (each) => number >= each.first && (each === newest || number < each.next),
  )
  return { snapshot, isLost }
}

function cursorOf({ state }: Server, id: number): Cursor | null {
  const pull = state.pulls.get(id)
  const chain = pull && state.chains.get(pull.chainId)
  if (!pull || !chain) return null
  const settled = chain.baseBefore === null ? undefined : state.pulls.get(chain.baseBefore)
  const base = chain.basePull === null ? undefined : state.pulls.get(chain.basePull)
  const isUploaded = state.pushes.some(
    (push) =>
      push.uploadedIn === state.epochs.length &&
      push.userId === pull.userId &&
      (push.chainId ?? chain.id) === chain.id,
  )
  const push = state.pushes.findLast(({ chainId }) => chainId === chain.id)
  const followed = chain.basePull === null ? undefined : state.pulls.get(chain.basePull)
  const isFollowed =
    followed?.chainId === chain.id && push?.xid != null && !isVisible(push.xid, pull.snapshot)
  return {
    chain_id: chain.id,
    user_id: pull.userId,
    snapshot: pull.snapshot,
    gone_snapshot: pull.departed,
    removed_snapshot: pull.removed,
    scope: pull.scope,
    held: pull.held,
    pushed_snapshot: chain.pushedSnapshot,
    settled_snapshot: settled?.snapshot ?? null,
    followed_snapshot: isFollowed ? followed.snapshot : null,
    base_pull: chain.basePull,
    is_followed: base?.chainId === chain.id && base.ordinal >= pull.ordinal,
    last_push: push?.xid ? String(push.xid) : null,
    withheld: pull.withheld,
    is_uploaded: pull.withheld !== null && (isUploaded || chain.isGiven),
  }
}

// --- What is sent ------------------------------------------------------------------------------------

type Reading = {
  server: Server
  plan: Plan
  echoes: ReadonlySet<string>
  resend: ReadonlyMap<string, number>
}

function readingOf(server: Server, plan: Plan): Reading {
  const { state, rules } = server
  const chain = plan.chainId ?? ''
  const held = [...(state.echoes.get(chain) ?? [])].filter(
    ([key, xid]) =>
      plan.acknowledged !== null &&
      !isVisible(xid, plan.acknowledged) &&
      (state.stamps.get(key)?.xid === xid || !rules.model.comparesEchoes),
  )
  return {
    server,
    plan,
    echoes: new Set(held.map(([key]) => key)),
    resend: state.resend.get(chain) ?? new Map(),
  }
}

const changedSince = (xid: number, snapshot: string) => !isVisible(xid, snapshot)
const isWithin = (xid: number, { from, to, push }: PullWindow) =>
  changedSince(xid, from) && (isVisible(xid, to) || String(xid) === push)

/** `rowsSql` and `deletedRowsSql` */
function isSent({ server, plan, echoes, resend }: Reading, row: StoredRow): boolean {
  const key = keyOf(row)
  if (row.isDeleted) return !echoes.has(key) && isSentHidden({ server, plan }, row)
  if (echoes.has(key) || !inScope(server, row, plan.scope)) return false
  const { since } = plan
  if (since === null) return true
  const queued = resend.get(key)
  return (
    changedSince(server.state.stamps.get(key)!.xid, since) ||
    (queued !== undefined && changedSince(queued, since)) ||
    hasEntered({ server, plan }, row, since)
  )
}

/** `deletedRowsSql`: rows deleted since the last pull that the device can hold. */
function isSentHidden({ server, plan }: Pick<Reading, 'server' | 'plan'>, row: StoredRow): boolean {
  const { acknowledged, chainId, holdsUnknown, scope } = plan
  if (acknowledged === null) return false
  const { xid, born } = server.state.stamps.get(keyOf(row))!
  const isOwn = server.state.pushes.some((push) => push.chainId === chainId && push.xid === born)
  const isHeld = holdsUnknown || born === null || isVisible(born, acknowledged) || isOwn
  return (
    isHeld &&
    changedSince(xid, acknowledged) &&
    changedSince(deletedBy(server, row), acknowledged) &&
    isDeletedInScope(server, row, scope)
  )
}

/** `idsEntered`: the patient of the row came into scope since the last pull. */
function hasEntered(
  { server, plan }: Pick<Reading, 'server' | 'plan'>,
  row: StoredRow,
  since: string,
) {
  const { scope } = plan
  if (scope.everything || !server.rules.model.sendsEntered) return false
  const isNew = (link: PatientLink) => link.isOpen && changedSince(link.xid, since)
  const isOld = (link: PatientLink) => link.isOpen && !changedSince(link.xid, since)
  return linked(server, row, scope, isNew) && !inScope(server, row, scope, isOld)
}

// --- Which ids are sent as deleted ---------------------------------------------------------------------

function isIdSent(reading: Reading, row: StoredRow): boolean {
  const { server, plan } = reading
  const { departures, removals, scope } = plan
  const isRowLive = isLive(server, row, scope)
  const { xid, born, moved } = server.state.stamps.get(keyOf(row))!
  const isKeptHidden = () => {
    const settled = plan.settled ?? plan.acknowledged
    return (
      settled !== null &&
      changedSince(deletedBy(server, row), settled) &&
      isDeletedInScope(server, row, scope)
    )
  }
  const isNew =
    reading.resend.has(keyOf(row)) &&
    plan.departuresUntil !== null &&
    born !== null &&
    changedSince(born, plan.departuresUntil)
  const leavesLater = () =>
    hasLeft(
      { ...reading, plan: { ...plan, held: scope } },
      row,
      { from: plan.departuresUntil!, to: plan.snapshot, push: null },
      { xid, moved, isRowLive },
      scope.everything || !server.rules.model.checksWhoRecorded || isRecordOpen(row, scope),
    )
  if (
    departures === 'all' &&
    !isRowLive &&
    (wasHeld(reading, row) || moved) &&
    !isKeptHidden() &&
    !isNew &&
    !leavesLater()
  )
    return true
  if (
    departures !== null &&
    departures !== 'all' &&
    hasLeft(reading, row, departures, { xid, moved, isRowLive })
  )
    return true
  if (
    removals &&
    row.isDeleted &&
    changedSince(xid, removals.from) &&
    isWithin(deletedBy(server, row), removals) &&
    (moved || wasHeld(reading, row))
  )
    return true
  return isQueued(reading, keyOf(row)) && !isRowLive && !isKeptHidden()
}

/** `idsWithin`: the row left the scope in the window. */
function hasLeft(
  reading: Reading,
  row: StoredRow,
  window: PullWindow,
  { xid, moved, isRowLive }: { xid: number; moved: boolean; isRowLive: boolean },
  wasOpen = true,
): boolean {
  const { server, plan } = reading
  if (isRowLive) return false
  const staysHidden = isDeletedInScope(server, row, plan.scope)
  const wasDeleted = 'is_deleted' in server.state.stamps.get(keyOf(row))!.columns
  if (
    isWithin(xid, window) &&
    !staysHidden &&
    (moved || ((row.isDeleted || wasDeleted) && wasHeld(reading, row)))
  )
    return true
  const isUnlinked = (link: PatientLink) => !link.isOpen && isWithin(link.xid, window)
  return !row.isDeleted && wasOpen && linked(server, row, plan.held, isUnlinked)
}

/** `wasHeld`: the device can ever have held the row. */
const wasHeld = ({ server, plan }: Reading, row: StoredRow) =>
  plan.held.everything || linked(server, row, plan.held, () => true)

/** A pull and a push have followed the entry on the resend list. */
const isQueued = ({ plan, resend }: Reading, key: string) => {
  const xid = resend.get(key)
  return xid !== undefined && plan.resendsUntil !== null && isVisible(xid, plan.resendsUntil)
}

const isWaiting = ({ server, plan }: Reading, key: string) =>
  server.state.quarantine.some(
    (entry) =>
      !entry.isSettled &&
      entry.operation === 'save' &&
      entry.chainId === plan.chainId &&
      keyOf(entry) === key,
  )

/** Refused new rows that a user rejected: the server never stored them. */
const unknownResent = (reading: Reading): RowRef[] =>
  [...reading.resend.keys()]
    .filter(
      (key) =>
        !reading.server.state.rows.has(key) && isQueued(reading, key) && !isWaiting(reading, key),
    )
    .map((key) => {
      const [table, id] = key.split(' ') as [Name, string]
      return { table, id }
    })

// --- The record of the pull ------------------------------------------------------------------------------

function rememberPull(
  server: Server,
  plan: Plan,
  { userId, appPassword, way }: Sender,
  { lastPulledAt, secondCode }: { lastPulledAt: number; secondCode: SecondCode | null },
): number {
  const { state } = server
  const id = server.pullNumber()
  const base = lastPulledAt === 0 && !secondCode && way === 'public' ? id : null
  const chain = (plan.chainId && state.chains.get(plan.chainId)) || {
    id: server.chainId(),
    userId,
    appPassword,
    way,
    number: state.chains.size,
    basePull: base,
    baseBefore: base,
    delivered: '{}',
    pushedSnapshot: null,
    isGiven: false,
  }
  Object.assign(chain, { userId, appPassword })
  state.chains.set(chain.id, chain)
  const { cursor } = plan
  if (cursor !== null) {
    const kept = [...state.pulls.values()].filter(
      (each) =>
        each.chainId === chain.id && [cursor, chain.basePull, chain.baseBefore].includes(each.id),
    )
    const oldest = Math.min(...kept.map(({ ordinal }) => ordinal))
    for (const [number, pulled] of state.pulls)
      if (pulled.chainId === chain.id && pulled.userId === userId && pulled.ordinal < oldest)
        state.pulls.delete(number)
  }
  state.pulls.set(id, {
    id,
    ordinal: (state.pullCount += 1),
    madeFrom: lastPulledAt,
    chainId: chain.id,
    userId,
    snapshot: plan.snapshot,
    departed: plan.departuresUntil,
    removed: plan.removalsUntil,
    scope: plan.scope,
    held: plan.heldAfter,
    withheld: plan.withheld,
  })
  return id
}
