import type { Actor } from '~/shared/actor'
import { type Incoming, type Refusal, type RowId } from '~/sync/push/incoming'
import { LastPush } from '~/sync/push/delivered'
import type { Conflict } from '~/sync/push/merge'
import { otherWays, type Sender } from './pull'
import type { Server, Transaction } from './server'
import type { Chain } from './state'

type Base = {
  chain: Chain | null
  /** That chain, and the one of the same phone on its other way. */
  chains: readonly Chain[]
  pullId: number | null
  snapshot: string | null
  ofDeletions?: { snapshot: string | null }
  withheldSnapshot: string | null
  restoreSnapshot: string | null
  own: ReadonlySet<number>
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
  refused: Refusal[]
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
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: new Set([tx.xid]),
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
  const named = sender.way === 'hub' ? pulls.get(pull!.madeFrom) : undefined
  const [seen] = [
    before === null ? undefined : pulls.get(before),
    named?.withheld === null && server.rules.model.countsNamed ? named : undefined,
  ]
    .filter((each) => each !== undefined)
    .filter(({ chainId }) => ofPhone.some(({ id }) => id === chainId))
    .toSorted((a, b) => b.ordinal - a.ordinal)
  const basePull = seen?.id ?? before
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
    withheldSnapshot,
    restoreSnapshot,
    own,
    delivered,
    basePull,
    isAfterRestore,
    form: snapshot === null ? 'unknown' : { snapshot },
  }
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

export const unknownDevice = (): Base => ({
  chain: null,
  chains: [],
  pullId: null,
  snapshot: null,
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: new Set<number>(),
  delivered: new LastPush(),
  basePull: null,
  isAfterRestore: false,
  form: 'unknown',
})

export const ownPushes = ({ state }: Server, chains: readonly Chain[]) =>
  new Set(
    state.pushes.flatMap(({ chainId, xid }) =>
      xid && chains.some(({ id }) => id === chainId) ? [xid] : [],
    ),
  )
