import type { Context } from '~/server/operation'
import type { WrittenRow } from '~/features/rules/transitions/day.server'
import type { Base } from './cursor.server'
import type { Incoming, RowRefusal, RowId } from './incoming'
import type { Conflict } from './merge'

type RowConflict = Conflict & { incoming: Incoming; isDeleted: boolean }

/** What a push has found and done so far; each step adds to it. */
export type PushState = {
  ctx: Context
  /** The user whose phone sent the rows; another than the actor if a user resolves them. */
  senderId: string
  base: Base
  /** Rows inserted by this push. */
  inserted: RowId[]
  /** Rows inserted verbatim: the device has what the database stores. */
  verbatim: Set<Incoming>
  refused: RowRefusal[]
  conflicts: RowConflict[]
  /** Appointments that this push has written or deleted, as they were before. */
  appointments: Map<string, WrittenRow['was']>
  /** Rows that the device must delete, because another row took their place. */
  replaced: RowId[]
  /**
   * The rows are written without savepoints: a row that the database refuses ends the attempt
   * (`TrialFailed`), and the push begins again with them.
   */
  isTrial: boolean
  /** Whether any row is in quarantine; undefined until it is read. */
  hasQuarantine?: boolean
}

export const newPushState = (ctx: Context, base: Base, { isTrial = false } = {}): PushState => ({
  ctx,
  senderId: ctx.actor.userId,
  base,
  inserted: [],
  verbatim: new Set(),
  refused: [],
  conflicts: [],
  appointments: new Map(),
  replaced: [],
  isTrial,
})
