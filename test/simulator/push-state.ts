import type { Actor } from '~/shared/actor'
import { type Incoming, type Refusal, type RowId } from '~/sync/push/incoming'
import { LastPush } from '~/sync/push/delivered'
import type { Conflict } from '~/sync/push/merge'
import type { Server, Transaction } from './server'
import type { Chain } from './state'

type Base = {
  chain: Chain | null
  pullId: number | null
  snapshot: string | null
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
  userId: string,
  pullId: number,
  appPassword: string,
  rows: readonly RowId[],
): Base {
  const { pulls, chains } = server.state
  const pull = pulls.get(pullId)
  const chain = pull?.userId === userId ? chains.get(pull.chainId) : undefined
  if (!chain && pullId === 0) return baseOfUpload(server, userId, appPassword)
  if (!chain) return { ...unknownDevice(), isAfterRestore: true }
  const delivered = LastPush.read(chain.delivered)
  const followed = { base_pull: chain.basePull, base_before: chain.baseBefore }
  const basePull = server.rules.basePullOf(followed, delivered, rows, pullId)
  const seen = basePull === null ? undefined : pulls.get(basePull)
  const own = ownPushes(server, chain)
  const isKnown = seen?.chainId === chain.id
  const isSent = isKnown && seen.withheld === null
  const snapshot = isSent ? seen.snapshot : null
  const { comparesInserts, comparesUndone } = server.rules.model
  const withheldSnapshot = isKnown && !isSent && comparesInserts ? seen.snapshot : null
  const restore = server.state.epochs.at(-1)?.snapshot ?? null
  const restoreSnapshot = isSent && comparesUndone ? restore : null
  const isAfterRestore = pull!.withheld !== null && basePull === null
  return {
    chain,
    pullId,
    snapshot,
    withheldSnapshot,
    restoreSnapshot,
    own,
    delivered,
    basePull,
    isAfterRestore,
    form: snapshot === null ? 'unknown' : { snapshot },
  }
}

/** The app password identifies a phone that uploads with the number 0. */
function baseOfUpload(server: Server, userId: string, appPassword: string): Base {
  const chains = [...server.state.chains.values()].filter(
    (each) => each.userId === userId && each.appPassword === appPassword,
  )
  const [chain] = chains
  if (!chain || chains.length > 1 || !server.rules.model.knowsUploads) return unknownDevice()
  const delivered = LastPush.read(chain.delivered)
  return {
    ...unknownDevice(),
    chain,
    own: ownPushes(server, chain),
    delivered,
    form: { chainId: chain.id },
  }
}

export const unknownDevice = (): Base => ({
  chain: null,
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

export const ownPushes = ({ state }: Server, chain: Chain | null) =>
  new Set(
    state.pushes.flatMap(({ chainId, xid }) => (chain && chainId === chain.id && xid ? [xid] : [])),
  )
