import type { Message } from '~/shared/errors'
import type { ImportChange } from './changes.server'

/** What an undo did to some records; those that users have deleted since count as neither. */
export type UndoOutcome = { undone: number; left: Left[] }

/** A record that an undo left as it is, with the reason. */
export type Left = { table: ImportChange['table']; id: string; name: string; reason: Message }

export const CHANGED: Message = { key: 'imports.reasons.changedAfterwards' }
export const USED: Message = { key: 'imports.reasons.usedAfterwards' }
