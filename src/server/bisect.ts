import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'

/**
 * Applies all items at once. If the database refuses, halves them until the bad ones are alone: the good ones are
 * written, and the bad ones come back with what `failureOf` says. It rethrows an error that is no item's fault.
 */
export async function bisect<Item, Failure>(
  db: Kysely<DB>,
  items: readonly Item[],
  apply: (items: readonly Item[]) => Promise<unknown>,
  failureOf: (error: unknown) => Failure,
): Promise<{ item: Item; failure: Failure }[]> {
  if (items.length === 0) return []
  await sql`savepoint bisect`.execute(db)
  try {
    await apply(items)
    await sql`release savepoint bisect`.execute(db)
    return []
  } catch (error) {
    await sql`rollback to savepoint bisect`.execute(db)
    const failure = failureOf(error)
    if (items.length === 1) return [{ item: items[0]!, failure }]
    const middle = Math.ceil(items.length / 2)
    const first = await bisect(db, items.slice(0, middle), apply, failureOf)
    return [...first, ...(await bisect(db, items.slice(middle), apply, failureOf))]
  }
}
