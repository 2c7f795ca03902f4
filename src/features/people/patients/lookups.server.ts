import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { runInTurn } from '~/server/turns'
import { newId } from '~/shared/id'

/** Of a look-up: the details of a person were opened, or a person was compared with the patients of all clinics. */
type Kind = 'details' | 'duplicates'

/** Look-ups of an hour that wait for nothing. A registrar compares one person every few minutes. */
const FREE: Record<Kind, number> = { details: 30, duplicates: 60 }
const WAIT_MS = 2000

/** How long the user waits before the next look-up: none is refused, and each is in the trail. */
export async function waitBeforeLookup(
  db: Kysely<DB>,
  userId: string,
  kind: Kind = 'details',
): Promise<number> {
  const { count } = await db
    .selectFrom('identity_lookups')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('at', '>', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .where(sql<boolean>`has_happened(at)`)
    .executeTakeFirstOrThrow()
  return count >= FREE[kind] ? WAIT_MS : 0
}

/** `before` of an operation that opens the details of a person outside the user's clinics. */
export const slowLookups = ({ db, actor: { userId } }: Context) =>
  oneByOne(userId, () => waitLong(db, userId, 'details'))

/** Look-ups of one user wait one after the other: many at once take as long as one by one. */
const oneByOne = (userId: string, work: () => Promise<void>) =>
  runInTurn(`look-ups of ${userId}`, work)

async function waitLong(db: Kysely<DB>, userId: string, kind: Kind) {
  const ms = await waitBeforeLookup(db, userId, kind)
  if (ms > 0) await wait(ms)
}

export const countLookup = ({ db, actor }: Context, kind: Kind = 'details') =>
  db.insertInto('identity_lookups').values({ id: newId(), user_id: actor.userId, kind }).execute()

/**
 * Waits before a person is compared with the patients of all clinics, and counts it, whatever is found. Values that go
 * on from those before, as while a form is filled in, are one look-up.
 */
export async function slowDuplicates(ctx: Context, values: Readonly<Record<string, unknown>>) {
  const { userId } = ctx.actor
  if (goesOn(userId, values)) return
  await oneByOne(userId, async () => {
    await waitLong(ctx.db, userId, 'duplicates')
    await countLookup(ctx, 'duplicates')
  })
}

type Typed = Readonly<Record<string, string>>
/** Users whose last values this process remembers. Of a forgotten user, a look-up counts anew. */
const REMEMBERED = 1_000

function goesOn(userId: string, values: Readonly<Record<string, unknown>>): boolean {
  const known = perProcess('typed values', () => new Map<string, Typed>())
  const before = known.get(userId)
  const now = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim().toLowerCase()]] : [],
    ),
  )
  known.delete(userId)
  known.set(userId, now)
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!)
  return (
    before !== undefined &&
    Object.entries(before).every(([name, value]) => now[name]?.startsWith(value))
  )
}

/** Only the last hour counts; the audit trail keeps what was looked up. */
export const forgetLookups = (db: Kysely<DB>) =>
  db
    .deleteFrom('identity_lookups')
    .where('at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
