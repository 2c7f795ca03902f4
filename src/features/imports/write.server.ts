import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { explain } from '~/server/constraints'
import { type OpenContext, signAudit } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { type Fate, imported, left, rejected, repeated } from './tally'

/** A record's values by column. `id` comes from the source, so that the same row is the same record next time. */
export type ImportedRecord = { id: string } & Record<string, unknown>

/** A table as an import fills it: the type of each column, and what else to compare with what is there. */
export type Target = {
  table:
    | 'patients'
    | 'patient_additional_attributes'
    | 'visits'
    | 'patient_vitals'
    | 'patient_problems'
    | 'patient_allergies'
    | 'drug_catalogue'
    | 'prescriptions'
    | 'prescription_items'
  columns: Readonly<Record<string, string>>
  /** Columns that do not count when a record is compared with what is there already. */
  incomparable?: readonly string[]
}

/** Runs steps of an import: each in a transaction of its own, or all of them in one that is rolled back at the end. */
export type Steps = <T>(step: (db: Kysely<DB>) => Promise<T>) => Promise<T>

/** What was committed stays when the process dies: the next run finds it and goes on. */
export const committing =
  (ctx: OpenContext, action: string): Steps =>
  (step) =>
    ctx.db.isTransaction
      ? signAudit(ctx.db, action, ctx).then(() => step(ctx.db))
      : ctx.db.transaction().execute(async (db) => {
          await signAudit(db, action, ctx)
          return step(db)
        })

/** Does everything, with every rule of the database, and takes it back: a dry run finds exactly what the real one will. */
export async function rehearse(
  ctx: OpenContext,
  action: string,
  work: (steps: Steps) => Promise<void>,
): Promise<void> {
  const takenBack = async (db: Kysely<DB>) => {
    await sql`savepoint rehearsal`.execute(db)
    try {
      await signAudit(db, action, ctx)
      await work((step) => step(db))
    } finally {
      await sql`rollback to savepoint rehearsal`.execute(db)
    }
  }
  await (ctx.db.isTransaction ? takenBack(ctx.db) : ctx.db.transaction().execute(takenBack))
}

/**
 * Inserts the records that are not there yet, in one statement, and says what became of each. What is there is never
 * changed: neither by a second run, nor by a file that says something else than people wrote here since.
 */
export async function insertNew(
  db: Kysely<DB>,
  target: Target,
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

/** A record that the database refuses does not take the others along. */
async function insertOrSplit(db: Kysely<DB>, target: Target, records: readonly ImportedRecord[]) {
  const fates = new Map<string, Fate>()
  const insert = async (some: readonly ImportedRecord[]) => {
    for (const [id, fate] of await insertAll(db, target, some)) fates.set(id, fate)
  }
  const failures = await bisect(db, records, insert, (error) => {
    if (!isAboutValues(error)) throw error
    return rejected(refusalOf(error))
  })
  for (const { item, failure } of failures) fates.set(item.id, failure)
  return fates
}

/** PostgreSQL's classes "data exception" and "integrity constraint violation"; the rest is not the row's fault. */
const isAboutValues = (error: unknown) =>
  error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')

function refusalOf(error: unknown) {
  const explained = explain(error)
  return explained instanceof AppError
    ? explained.text
    : { key: 'imports.reasons.database' as const }
}

async function insertAll(
  db: Kysely<DB>,
  { table, columns, incomparable = [] }: Target,
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

const isEqual = ({ columns, incomparable = [] }: Target, a: ImportedRecord, b: ImportedRecord) =>
  Object.keys(columns).every(
    (name) => incomparable.includes(name) || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
