import { type Kysely, sql } from 'kysely'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import type { DB } from '~/db/types'
import { sealTrails } from '~/server/trail/seal.server'
import { verifyTrails } from '~/server/trail/verify.server'
import { progress } from '../progress'

const DAYS = 365
const TABLES = ['audit_log', 'access_log', 'audit_blocks'] as const

export type Year = {
  /** Of the whole tables. `rows`: bytes without indexes. */
  sizes: { name: string; entries: number; rows: number; indexes: number }[]
  blocks: number
  sealed: number
  verified: number
}
type Day = { dataDir: string; since: Date; visits: number; patients: number; signal: AbortSignal }

/**
 * Copies the entries of a day until each of the patients has a visit within the year before it, seals the copies by the
 * job and verifies both trails. The server that made the day has ended: its own job would seal in other pieces.
 */
export async function simulateTrailYear({
  dataDir,
  since,
  visits,
  patients,
  signal,
}: Day): Promise<Year> {
  const postgres = await startEmbedded(openDataDirectory(dataDir))
  const owner = connect(postgres.ownerUrl, { max: 1, statementTimeout: 0 })
  const app = connect(postgres.appUrl, { max: 1, statementTimeout: 0 })
  const bar = progress()
  try {
    await keepDay(owner, since)
    await makePartitions(owner)
    const copies = Math.ceil(patients / visits) - 1
    for (let copy = 1; copy <= copies; copy += 1) {
      signal.throwIfAborted()
      await copyDay(owner, copy, DAYS - Math.floor((copy * DAYS) / (copies + 1)))
      bar.show('copies', copy, copies, `${copy} days of ${visits} visits`)
    }
    bar.end()
    const sealed = await timeInSeconds(async () => {
      await sealTrails(app, { signal })
    })
    signal.throwIfAborted()
    let blocks = 0
    const verified = await timeInSeconds(async () => {
      const found = await verifyTrails(app)
      if (found.fault) throw new Error(`The trail does not verify: ${found.fault.is}`)
      const { audit_log: changes, access_log: accesses } = found.unsealed
      if (changes.count + accesses.count > 0) throw new Error('Entries were not sealed')
      blocks = found.blocks
    })
    return { sizes: await readTrailSizes(app), blocks, sealed, verified }
  } finally {
    bar.end()
    await app.destroy()
    await owner.destroy()
    await postgres.stop()
  }
}

async function timeInSeconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** The day's entries, and how the id of a copy follows from the id of the day. */
async function keepDay(owner: Kysely<DB>, since: Date) {
  for (const [day, trail] of [
    ['day_changes', 'audit_log'],
    ['day_accesses', 'access_log'],
  ] as const) {
    await sql`create temp table ${sql.table(day)} (like ${sql.table(trail)})`.execute(owner)
    await sql`insert into ${sql.table(day)} select * from ${sql.table(trail)} where at > ${since}`.execute(
      owner,
    )
  }
  await sql`create temp table day (since timestamptz)`.execute(owner)
  await sql`insert into day values (${since})`.execute(owner)
  // an id of the day keeps its place in time, as a UUID v7 has it; that of an older record is at random
  await sql`
    create function pg_temp.copied(id uuid, copy integer, days integer, since timestamptz) returns uuid
    language sql immutable as $$
      select case when since_1970 >= extract(epoch from since) * 1000
        then (lpad(to_hex(since_1970 - days * 86400000::bigint), 12, '0') || '7' || substr(hash, 2, 3)
          || '8' || substr(hash, 5, 15))::uuid
        else hash::uuid end
      from (select ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint as since_1970,
        md5(id::text || copy) as hash) parts
    $$`.execute(owner)
}

/** Partitions of the access log for the months of the year, as the job makes them for those to come. */
const makePartitions = (owner: Kysely<DB>) =>
  sql`do $$
    declare
      month timestamp;
      name text;
    begin
      for month in
        select date_trunc('month', now() at time zone 'UTC') - make_interval(months => back)
        from generate_series(1, 13) back
      loop
        name := 'access_log_' || to_char(month, 'YYYY_MM');
        continue when to_regclass(quote_ident(name)) is not null;
        execute format('create table %I partition of access_log for values from (%L) to (%L)',
          name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
      end loop;
    end $$`.execute(owner)

/** One transaction: other times, patients and records; the same users, clinics and stock. */
const copyDay = (owner: Kysely<DB>, copy: number, days: number) =>
  owner.transaction().execute(async (trx) => {
    const copied = (id: string) =>
      sql`pg_temp.copied(${sql.raw(id)}, ${copy}::integer, ${days}::integer, since)`
    const at = sql`at - make_interval(days => ${days}::integer)`
    await sql`
      insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id,
        changes)
      select ${at}, user_id, action, via, request_id, table_name,
        case when record_id = patient_id or created >= since then ${copied('record_id')} else record_id end,
        ${copied('patient_id')}, clinic_id,
        case when patient_id is null then changes
          else replace(changes::text, patient_id::text, ${copied('patient_id')}::text)::jsonb end
      from day, day_changes, lateral (select to_timestamp(
        ('x' || substr(replace(record_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) as created) record
      order by id`.execute(trx)
    await sql`
      insert into access_log (id, at, user_id, via, operation, patient_ids, clinic_id, outcome, count, request_id)
      select ${copied('id')}, ${at}, user_id, via, operation,
        array(select ${copied('patient')} from unnest(patient_ids) patient), clinic_id, outcome, count, request_id
      from day, day_accesses order by at, id`.execute(trx)
  })

async function readTrailSizes(db: Kysely<DB>): Promise<Year['sizes']> {
  const sizes = []
  for (const name of TABLES) {
    const { rows } = await sql<{ entries: number; rows: number; indexes: number }>`
      select (select count(*) from ${sql.table(name)})::float8 as entries,
        sum(pg_table_size(relid))::float8 as rows, sum(pg_indexes_size(relid))::float8 as indexes
      from (select relid from pg_partition_tree(${name})
        union select ${name}::regclass) tables`.execute(db)
    sizes.push({ name, ...rows[0]! })
  }
  return sizes
}
