import type { Context } from '~/server/operation'
import type { PushedName } from '../schema/tables'
import type { Base } from './cursor.server'
import type { Incoming, Refusal } from './incoming'
import type { Conflict } from './merge'

export type KeptConflict = Conflict & { incoming: Incoming; isDeleted: boolean }

/** One push on its way through the tables. */
export type PushState = {
  ctx: Context
  base: Base
  /** Rows inserted by this push. */
  made: { table: PushedName; id: string }[]
  /** Rows inserted verbatim: the device has what the database stores. */
  exact: Set<Incoming>
  refused: Refusal[]
  conflicts: KeptConflict[]
  /** Rows that the device must delete, because another row took their place. */
  replaced: { table: PushedName; id: string }[]
}

export const newPushState = (
  ctx: Context,
  base: Base,
  refused: readonly Refusal[] = [],
): PushState => ({
  ctx,
  base,
  made: [],
  exact: new Set(),
  refused: [...refused],
  conflicts: [],
  replaced: [],
})
