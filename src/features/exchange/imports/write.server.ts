import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { explainDatabaseError } from '~/server/constraints'
import { refuseOnFullDisk } from '~/server/disk.server'
import { type OpenContext, signAudit } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { type Fate, imported, left, rejected, repeated } from './tally'

/**
 * The values of a record. Its `id` is derived from the source, so that a repeated row is the same
 * record.
 */
export type ImportedRecord = { id: string } & Record<string, unknown>

/**
 * A target table: the type of each column, and the columns that do not identify a changed record.
 */
export type TargetTable = {
  table: keyof DB
  columns: Readonly<Record<string, string>>
  /** Columns that are ignored when a record is compared with the stored one. */
  incomparable?: readonly string[]
}

/**
 * Runs steps of an import: each in a transaction of its own, or all of them in one that is rolled
 * back at the end.
 */
export type Steps = <T>(step: (db: Kysely<DB>) => Promise<T>) => Promise<T>

/** Commits each step. After a crash, the next run continues. */
export const committing =
  (ctx: OpenContext, action: string): Steps =>
  async (step) => {
    if (ctx.db.isTransaction) return signAudit(ctx.db, action, ctx).then(() => step(ctx.db))
    await refuseOnFullDisk()
    return ctx.db.transaction().execute(async (db) => {
      await signAudit(db, action, ctx)
      return step(db)
    })
  }

/**
 * Runs everything with all rules of the database, then rolls it back: the dry run finds what the
 * import would.
 */
export async function rehearse(
  ctx: OpenContext,
  action: string,
  work: (steps: Steps) => Promise<void>,
): Promise<void> {
  const rehearsal = (db: Kysely<DB>) =>
    takenBack(db, async () => {
      await signAudit(db, action, ctx)
      await work((step) => step(db))
    })
  await (ctx.db.isTransaction ? rehearsal(ctx.db) : ctx.db.transaction().execute(rehearsal))
}

/** Does the work in the transaction, and leaves nothing of it. */
export async function takenBack(db: Kysely<DB>, work: () => Promise<unknown>): Promise<void> {
  await sql`savepoint rehearsal`.execute(db)
  try {
    await work()
  } finally {
    await sql`rollback to savepoint rehearsal`.execute(db)
  }
}

/**
 * Inserts the records that do not exist yet, in one statement, and returns the fate of each. Stored
 * records never change, neither by a repeated import nor by a file with other values.
 */
export async function insertNew(
  db: Kysely<DB>,
  target: TargetTable,
  records: readonly ImportedRecord[],
): Promise<Fate[]> {
  const first = new Map<string, ImportedRecord>()
  for (const record of records) if (!first.has(record.id)) first.set(record.id, record)
  const fates = await insertOrSplit(db, target, [...first.values()])
  return records.map((record) => {
    const one = first.get(record.id)!
    if (one === record) return fates.get(record.id)!
    return isEqual(target, one, record) ? repeated : left('imports.reasons.sameId')
  })
}

/** A refused record does not prevent the others. */
async function insertOrSplit(
  db: Kysely<DB>,
  target: TargetTable,
  records: readonly ImportedRecord[],
) {
  const fates = new Map<string, Fate>()
  const insert = async (some: readonly ImportedRecord[]) => {
    for (const [id, fate] of await insertAll(db, target, some)) fates.set(id, fate)
  }
  const failures = await bisect(db, records, insert, (error) => {
    if (!isAboutValues(error)) throw error
    return rejected(importRefusal(error))
  })
  for (const { item, failure } of failures) fates.set(item.id, failure)
  return fates
}

/**
 * PostgreSQL's classes "data exception" and "integrity constraint violation"; other errors are not
 * caused by the row.
 */
export const isAboutValues = (error: unknown) =>
  error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')

export function importRefusal(error: unknown) {
  const explained = explainDatabaseError(error)
  return explained instanceof AppError
    ? explained.text
    : { key: 'imports.reasons.database' as const }
}

async function insertAll(
  db: Kysely<DB>,
  { table, columns, incomparable = [] }: TargetTable,
  records: readonly ImportedRecord[],
) {
  const names = Object.keys(columns)
  const all = sql.join(['id', ...names].map((name) => sql.id(name)))
  const compared = names.filter((name) => !incomparable.includes(name))
  const side = (alias: string) => sql.join(compared.map((name) => sql.id(alias, name)))
  const { rows } = await sql<{ id: string; fate: 'new' | 'same' | 'other' | 'deleted' }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
        as given(id uuid, ${sql.join(names.map((name) => sql`${sql.id(name)} ${sql.raw(columns[name]!)}`))})
    ), written as (
      insert into ${sql.table(table)} (${all}) select ${all} from given on conflict (id) do nothing returning id
    )
    select given.id, case when written.id is not null then 'new' when there.is_deleted then 'deleted'
      when (${side('given')}) is not distinct from (${side('there')}) then 'same' else 'other' end as fate
    from given left join written using (id) left join ${sql.table(table)} there on there.id = given.id`.execute(
    db,
  )
  return new Map(rows.map(({ id, fate }) => [id, fates[fate]]))
}

const fates = {
  new: imported,
  same: repeated,
  other: left('imports.reasons.changedSince'),
  deleted: left('imports.reasons.deletedHere'),
}

const isEqual = (
  { columns, incomparable = [] }: TargetTable,
  a: ImportedRecord,
  b: ImportedRecord,
) =>
  Object.keys(columns).every(
    (name) => incomparable.includes(name) || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
