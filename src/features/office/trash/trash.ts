import * as z from 'zod'
import type { MessageKey } from '~/shared/language'
import { NOUNS } from '~/shared/nouns'
import { ListInput } from '~/shared/record'

/** The tables whose records go to the trash, with the noun for one record. */
export const TRASH_NOUNS: Record<string, MessageKey> = Object.fromEntries(
  Object.entries(NOUNS).flatMap(([table, noun]) => ('one' in noun ? [[table, noun.one]] : [])),
)

export const ListTrash = ListInput.extend({
  table: z.string('validation.wrongType').max(100, 'validation.tooLong').optional(),
})
export const DeletionId = z.object({ id: z.uuid('validation.id') })
