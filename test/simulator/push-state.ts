import type { Actor } from '~/shared/actor'
import { type Incoming, type RowRefusal, type RowId } from '~/sync/push/incoming'
import { LastPush } from '~/sync/push/delivered'
import type { Conflict } from '~/sync/push/merge'
import { otherWays, type Sender } from './pull'
import type { Server, Transaction } from './server'
import type { Chain, PullRecord, QuarantinedRow } from './state'

type Base = {
  chain: Chain | null
  /** That chain, and the one of the same phone on its other way. */
  chains: readonly Chain[]
  pullId: number | null
  snapshot: string | null
  ofDeletions?: { snapshot: string | null }
  olderSnapshot: string | null
  repeatedSnapshot: string | null
  withheldSnapshot: string | null
  restoreSnapshot: string | null
  own: ReadonlySet<number>
  newer: ReadonlySet<number>
  delivered: LastPush
  basePull: number | null
  isAfterRestore: boolean
  form: FormBase
}
/** As in `cursor.server.ts`. */
type FormBase = { snapshot: string } | { chainId: string } | 'unknown' | 'none'

/** A push as `src/sync/push` applies it, with its decisions, over the tables in memory. */
export type PushState = {
  server: Server
  tx: Transaction
  ctx: { actor: Actor }
  base: Base
  inserted: RowId[]
  refused: RowRefusal[]
  conflicts: (Conflict & { incoming: Incoming; isDeleted: boolean })[]
}

export const newPushState = (server: Server, tx: Transaction, base: Base): PushState => ({
  server,
  tx,
  ctx: { actor: server.actorOf(tx.userId) },
  base,
  inserted: [],
  refused: [],
  conflicts: [],
})

/** The base of a user who sees the stored row while deciding. */
export const currentBase = (server: Server, tx: Transaction): Base => ({
  chain: null,
  chains: [],
  pullId: null,
  snapshot: server.snapshot(tx.xid),
  olderSnapshot: null,
  repeatedSnapshot: null,
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: new Set([tx.xid]),
  newer: new Set(),
  delivered: new LastPush(),
  basePull: null,
  isAfterRestore: false,
  form: 'none',
})

export function baseOf(
  server: Server,
  sender: Sender,
  pullId: number,
  rows: readonly RowId[],
): Base {
  const { userId } = sender
  const { pulls, chains, pushes } = server.state
  const pull = pulls.get(pullId)
  const chain = pull?.userId === userId ? chains.get(pull.chainId) : undefined
  if (!chain && pullId === 0) return baseOfUpload(server, sender)
  if (!chain) return { ...unknownDevice(), isAfterRestore: true }
  const ofPhone = [chain, ...otherWays(server, sender)]
  const lastPush = ({ id }: Chain) => pushes.findLastIndex(({ chainId }) => chainId === id)
  const [last] = ofPhone.toSorted((a, b) => lastPush(b) - lastPush(a) || a.number - b.number)
  const delivered = LastPush.read(last!.delivered)
  const followed = { base_pull: last!.basePull, base_before: last!.baseBefore }
  const before = server.rules.basePullOf(followed, delivered, rows, pullId)
  const named = sender.way === 'hub' ? pulls.get(pull!.madeFrom) : namedOnHub(server, ofPhone)
  const [seen] = [
    before === null ? undefined : pulls.get(before),
    named?.withheld === null && server.rules.model.countsNamed ? named : undefined,
  ]
    .filter((each) => each !== undefined)
    .filter(({ chainId }) => ofPhone.some(({ id }) => id === chainId))
    .toSorted((a, b) => b.ordinal - a.ordinal)
  const basePull = seen?.id ?? before
  const older = pulls.get(last!.baseBefore ?? 0)
  const own = ownPushes(server, ofPhone)
  const isKnown = seen !== undefined
  const isSent = isKnown && seen.withheld === null
  const snapshot = isSent ? seen.snapshot : null
  const { comparesInserts, comparesUndone } = server.rules.model
  const withheldSnapshot = isKnown && !isSent && comparesInserts ? seen.snapshot : null
  const isOnlyWay = sender.way === 'hub' || last === chain
  const ofDeletions = isOnlyWay ? undefined : baseOfDeletions(server, chain, pullId, rows)
  const restore = server.state.epochs.at(-1)?.snapshot ?? null
  const restoreSnapshot = isSent && comparesUndone ? restore : null
  const isAfterRestore = pull!.withheld !== null && basePull === null
  return {
    chain,
    chains: ofPhone,
    pullId,
    snapshot,
    ofDeletions,
    repeatedSnapshot: isSent ? repeatedSnapshot(server, last!, ofPhone, seen) : null,
    olderSnapshot: older && ofPhone.some(({ id }) => id === older.chainId) ? older.snapshot : null,
    withheldSnapshot,
    restoreSnapshot,
    own,
    newer: new Set(),
    delivered,
    basePull,
    isAfterRestore,
    form: snapshot === null ? 'unknown' : { snapshot },
  }
}

/** The newest pull through the hub that a later one has named: its sync was over. */
const namedOnHub = ({ state: { pulls } }: Server, chains: readonly Chain[]) =>
  [...pulls.values()]
    .flatMap((later) => {
      const pull = pulls.get(later.madeFrom)
      const isOnHub = chains.some(({ id, way }) => id === later.chainId && way === 'hub')
      return isOnHub && pull?.chainId === later.chainId && pull.ordinal < later.ordinal
        ? [pull]
        : []
    })
    .toSorted((a, b) => b.ordinal - a.ordinal)[0]

/** Of a push that comes again: what it did not contain was typed after the pull that it had followed. */
function repeatedSnapshot(
  { state: { pulls } }: Server,
  { basePull }: Chain,
  chains: readonly Chain[],
  { ordinal }: PullRecord,
) {
  const pull = pulls.get(basePull ?? 0)
  return pull &&
    pull.ordinal > ordinal &&
    pull.withheld === null &&
    chains.some(({ id }) => id === pull.chainId)
    ? pull.snapshot
    : null
}

/** The base of a chain alone: what its phone pushed on its other way contained no deletions. */
function baseOfDeletions(
  { rules, state }: Server,
  chain: Chain,
  pullId: number,
  rows: readonly RowId[],
) {
  if (!rules.model.comparesDeletionsByWay) return undefined
  const own = { base_pull: chain.basePull, base_before: chain.baseBefore }
  const base = rules.basePullOf(own, LastPush.read(chain.delivered), rows, pullId)
  const pulled = base === null ? undefined : state.pulls.get(base)
  const isSent = pulled?.chainId === chain.id && pulled.withheld === null
  return { snapshot: isSent ? pulled.snapshot : null }
}

/** The app password identifies a phone that uploads with the number 0. */
function baseOfUpload(server: Server, sender: Sender): Base {
  const { userId, appPassword, way } = sender
  const chains = [...server.state.chains.values()].filter(
    (each) => each.userId === userId && each.appPassword === appPassword && each.way === way,
  )
  const [chain] = chains
  if (!chain || chains.length > 1 || !server.rules.model.knowsUploads) return unknownDevice()
  const delivered = LastPush.read(chain.delivered)
  const ofPhone = [chain, ...otherWays(server, sender)]
  return {
    ...unknownDevice(),
    chain,
    chains: ofPhone,
    own: ownPushes(server, ofPhone),
    delivered,
    form: { chainId: chain.id },
  }
}

const unknownDevice = (): Base => ({
  chain: null,
  chains: [],
  pullId: null,
  snapshot: null,
  olderSnapshot: null,
  repeatedSnapshot: null,
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: new Set<number>(),
  newer: new Set<number>(),
  delivered: new LastPush(),
  basePull: null,
  isAfterRestore: false,
  form: 'unknown',
})

/** `baseOfWaiting()`. `tx`: the push of the phone that is under way. */
export function baseOfWaiting(
  server: Server,
  { chainId, sentXid }: Pick<QuarantinedRow, 'chainId' | 'sentXid'>,
  tx?: Transaction,
): Base {
  const chain = server.state.chains.get(chainId ?? '')
  if (!chain) return unknownDevice()
  const chains = [chain, ...otherWays(server, chain)]
  const known = sentXid === null ? [] : [...ownPushes(server, chains)]
  const isNewer = (xid: number) => xid > sentXid!
  const newer = known.filter(isNewer)
  return {
    ...unknownDevice(),
    chain,
    chains,
    own: new Set(known.filter((xid) => !isNewer(xid))),
    newer: new Set(tx ? [...newer, tx.xid] : newer),
    form: { chainId: chain.id },
  }
}

/** The transactions of its pushes, and of the job that applied its rows from quarantine. */
const ownPushes = ({ state }: Server, chains: readonly Chain[]) => {
  const isOwn = (chainId: string | null) => chains.some(({ id }) => id === chainId)
  const applied = state.quarantine.flatMap(({ chainId, appliedXid }) =>
    appliedXid !== null && isOwn(chainId) ? [appliedXid] : [],
  )
  return new Set([
    ...state.pushes.flatMap(({ chainId, xid }) => (xid && isOwn(chainId) ? [xid] : [])),
    ...applied,
  ])
}
