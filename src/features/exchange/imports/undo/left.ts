import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import type { Message } from '~/shared/errors'
import type { ImportChange } from './changes.server'

/** What an undo did to some records; those that users have deleted since count as neither. */
export type UndoOutcome = { undone: number; left: Left[] }

/** Takes back what an import wrote to these rows of a table. */
export type UndoStep = (
  db: Kysely<DB>,
  ctx: Context,
  importId: string,
  ids: readonly string[],
) => Promise<UndoOutcome>

/** A record that an undo left as it is, with the reason. */
export type Left = { table: ImportChange['table']; id: string; name: string; reason: Message }

export const CHANGED: Message = { key: 'imports.reasons.changedAfterwards' }
export const USED: Message = { key: 'imports.reasons.usedAfterwards' }
