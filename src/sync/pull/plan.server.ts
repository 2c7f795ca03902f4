import type pg from 'pg'
import type { Actor } from '~/shared/actor'
import { isSameScope, type PersonScope, scopeOf, union } from '../schema/scope'

export type PullInput = {
  /** The `timestamp` of the phone's last pull; 0 for none. */
  lastPulledAt: number
  schemaVersion: number | null
  /** Tables that the phone's app knows only since its last upgrade, or of which it knows more: sent in full once. */
  upgraded: readonly string[]
}

/** What a pull sends to a device. */
export type Plan = {
  /** Null for an unknown device. */
  chainId: string | null
  cursor: number | null
  /** The snapshot of its last pull. */
  acknowledged: string | null
  /** Rows that changed after this snapshot; null: everything in scope. */
  since: string | null
  scope: PersonScope
  /** What else the device may hold, from another user or earlier rights. */
  held: PersonScope
  /**
   * What the device must delete: everything out of scope (`all`), or what was deleted or withdrawn in a window that ends
   * with its last push, so that earlier edits have arrived; null for nothing yet.
   */
  gone: 'all' | Window | null
  /** For the next pull. */
  goneUntil: string | null
  heldAfter: PersonScope
  snapshot: string
  upgraded: readonly string[]
}
export type Window = { from: string; to: string; push: string | null }

type Cursor = {
  chain_id: string
  user_id: string
  snapshot: string
  gone_snapshot: string | null
  scope: PersonScope
  held: PersonScope
  pushed_snapshot: string | null
  base_pull: number | null
  last_push: string | null
}

/** Inside the snapshot that the pull reads. */
export async function planPull(
  client: pg.ClientBase,
  actor: Actor,
  input: PullInput,
): Promise<Plan> {
  const scope = scopeOf(actor)
  const found = await client.query<{ now: string; cursor: Cursor | null }>(
    `select pg_current_snapshot()::text as now, (select row_to_json(c) from (
       select p.chain_id, p.user_id, p.snapshot::text as snapshot, p.gone_snapshot::text as gone_snapshot, p.scope, p.held,
         c.pushed_snapshot::text as pushed_snapshot, c.base_pull,
         (select q.xid::text from sync_pushes q where q.chain_id = c.id order by q.id desc limit 1) as last_push
       from sync_pulls p join sync_chains c on c.id = p.chain_id where p.id = $1) c) as cursor`,
    [input.lastPulledAt],
  )
  const { now, cursor } = found.rows[0]!
  const common = { scope, snapshot: now, upgraded: input.upgraded }
  if (!cursor) return { ...common, ...firstMeeting(input, scope, now) }

  const held = union(cursor.held, scope)
  const cursorOf = {
    chainId: cursor.chain_id,
    cursor: input.lastPulledAt,
    acknowledged: cursor.snapshot,
    held,
  }
  // another user or other rights: send everything once, then delete what the device should not hold
  if (cursor.user_id !== actor.userId || !isSameScope(cursor.scope, scope)) {
    return { ...common, ...cursorOf, since: null, gone: null, goneUntil: null, heldAfter: held }
  }
  return {
    ...common,
    ...cursorOf,
    since: cursor.snapshot,
    ...whatIsGone(cursor, input.lastPulledAt, scope, held),
  }
}

const EVERYTHING: PersonScope = { everything: true, known: [], history: [], any: [] }

/** An empty device, or one with a pull number that this server never gave or lost by a restore. */
function firstMeeting({ lastPulledAt }: PullInput, scope: PersonScope, now: string) {
  const isEmpty = lastPulledAt === 0
  const held = isEmpty ? scope : EVERYTHING
  return {
    chainId: null,
    cursor: null,
    acknowledged: null,
    since: null,
    held,
    gone: null,
    goneUntil: isEmpty ? now : null,
    heldAfter: held,
  }
}

function whatIsGone(cursor: Cursor, lastPulledAt: number, scope: PersonScope, held: PersonScope) {
  const { gone_snapshot: from, pushed_snapshot: to, base_pull: followed, last_push: push } = cursor
  if (from === null) {
    // a push has followed that pull: what the phone should not have holds nothing unsent any more
    const isSent = to !== null && followed !== null && followed >= lastPulledAt
    return isSent
      ? { gone: 'all' as const, goneUntil: to, heldAfter: scope }
      : { gone: null, goneUntil: null, heldAfter: held }
  }
  if (to === null) return { gone: null, goneUntil: from, heldAfter: held }
  return { gone: { from, to, push }, goneUntil: to, heldAfter: held }
}
