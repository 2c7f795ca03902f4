import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test as base } from 'vitest'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { type EmbeddedPostgres, startEmbedded } from '~/db/embedded.server'
import { migrate } from '~/db/migrate.server'
import { grantApplication } from '~/db/roles.server'
import type { DB } from '~/db/types'
import { faultSentence, reportLines } from './report'
import { keepAccessLog } from './retention.server'
import { newestBlock, sealTrails } from './seal.server'
import { digestSql, TRAIL_NAMES, TRAILS, sealText } from './trails'
import { verifyTrails } from './verify.server'

/*
 * A PostgreSQL of its own: seals wait for transactions of the whole server, and other tests keep theirs open.
 */
let folder: string
let server: EmbeddedPostgres
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sanad-seals-'))
  server = await startEmbedded(openDataDirectory(folder), { settings: ['fsync=off'] })
  await inMaintenance('create database sealed owner sanad')
  const ownerUrl = urlOf('sealed', server.ownerUrl)
  await migrate(ownerUrl)
  await grantApplication({ appUrl: urlOf('sealed', server.appUrl), ownerUrl })
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const urlOf = (name: string, as = server.adminUrl) =>
  Object.assign(new URL(as), { pathname: `/${name}` }).href
async function inMaintenance(statement: string) {
  const client = new pg.Client(server.adminUrl)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

let clones = 0
const test = base.extend('db', async ({}, { onCleanup }) => {
  const name = `clone_${(clones += 1)}`
  await inMaintenance(`create database ${name} template sealed owner sanad`)
  const db = connect(urlOf(name))
  onCleanup(() => db.destroy())
  return db
})

const write = (db: Kysely<DB>, number = 1) =>
  sql`insert into audit_log (action, via, request_id, table_name, record_id, changes)
    select 'patients.save', 'web', 'r', 'patients', gen_random_uuid(), '{"weight": [null, 1.50]}'
    from generate_series(1, ${number}::int)`.execute(db)
const read = (db: Kysely<DB>, number = 1, at = sql`clock_timestamp()`) =>
  sql`insert into access_log (at, via, operation, patient_ids, outcome, request_id)
    select ${at}, 'web', 'patients.get', array[gen_random_uuid()], 'shown', 'r'
    from generate_series(1, ${number}::int)`.execute(db)

/** Five blocks of three entries, alternating. */
async function sealedTrail(db: Kysely<DB>) {
  for (let block = 0; block < 5; block += 1) {
    await (block % 2 ? read(db, 3) : write(db, 3))
    expect(await sealTrails(db)).toBe(1)
  }
}

const faultOf = async (db: Kysely<DB>, expected?: Parameters<typeof verifyTrails>[1]) => {
  const { fault } = await verifyTrails(db, expected)
  return fault && faultSentence(fault)
}

/** As an owner of the database who covers their tracks: no trigger refuses. */
const asOwner = (db: Kysely<DB>, statement: ReturnType<typeof sql>) =>
  db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await statement.execute(trx)
  })

test('each column of both trails is covered by seals', async ({ db }) => {
  for (const trail of TRAIL_NAMES) {
    const { rows } = await sql<{ name: string }>`
      select attname as name from pg_attribute
      where attrelid = ${trail}::regclass and attnum > 0 and not attisdropped`.execute(db)
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      ([...TRAILS[trail]] as string[]).toSorted(),
    )
  }
})

test('entries are sealed in pieces, and a sealed trail verifies', async ({ db }) => {
  expect((await verifyTrails(db)).newest).toBeUndefined()
  await write(db, 25)
  await read(db, 1)
  expect(await verifyTrails(db)).toMatchObject({
    blocks: 0,
    unsealed: { audit_log: { count: 25 }, access_log: { count: 1 } },
  })

  expect(await sealTrails(db, { mostEntries: 10 })).toBe(4)
  expect(await sealTrails(db)).toBe(0)
  const verified = await verifyTrails(db)
  expect(verified).toMatchObject({ blocks: 4, entries: 26, unsealed: { audit_log: { count: 0 } } })
  expect(verified.fault).toBeUndefined()
  expect(reportLines(verified).at(-1)).toBe(`  ${sealText((await newestBlock(db))!)}`)
})

test('a long trail is sealed without reading all that is left of it for each block', async ({
  db,
}) => {
  const [entries, months] = [600, 2]
  for (let month = 0; month < months; month += 1)
    await read(
      db,
      entries / months,
      sql`clock_timestamp() + make_interval(months => ${month}::int)`,
    )
  await sql`analyze access_log`.execute(db)
  await db.connection().execute(async (one) => {
    const fetched = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(one)
      const { rows } = await sql<{ n: number }>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as n
        from pg_stat_user_tables where relname like 'access_log%'`.execute(one)
      return rows[0]!.n
    }
    const before = await fetched()
    expect(await sealTrails(one, { mostEntries: 20 })).toBe(30)
    // those of a month that has just begun are read once more
    expect((await fetched()) - before).toBeLessThan(3 * entries)
  })
})

test('a seal does not depend on settings of the session', async ({ db }) => {
  await sealedTrail(db)
  await db.connection().execute(async (one) => {
    for (const setting of [
      `time zone 'Asia/Kathmandu'`,
      `datestyle = 'SQL, DMY'`,
      `extra_float_digits = -15`,
      `bytea_output = 'escape'`,
      `intervalstyle = 'iso_8601'`,
      `lc_numeric = 'C'`,
    ])
      await sql.raw(`set ${setting}`).execute(one)
    expect(await faultOf(one)).toBeUndefined()
    await write(one)
    await sealTrails(one)
    await sql`discard all`.execute(one)
  })
  expect(await faultOf(db)).toBeUndefined()
})

test('the columns of a trail may be in any order', async ({ db }) => {
  await sealedTrail(db)
  await asOwner(
    db,
    sql`create table other as select changes, epoch, xid, clinic_id, patient_id, record_id, table_name,
      request_id, via, action, user_id, at, id from audit_log;
    drop table audit_log; alter table other rename to audit_log`,
  )
  expect(await faultOf(db)).toBeUndefined()
})

test('a changed, a removed and an added entry are named with their block', async ({ db }) => {
  await sealedTrail(db)
  const third = /block 3 of audit_log \(3 entries, from 20\S+Z to 20\S+Z\): /
  const restore = `update audit_log set changes = '{"weight": [null, 1.50]}' where id = 4`

  await asOwner(db, sql`update audit_log set changes = '{"weight": [null, 1.5]}' where id = 4`)
  expect(await faultOf(db)).toMatch(new RegExp(`${third.source}an entry was changed`))
  await asOwner(db, sql.raw(restore))
  expect(await faultOf(db)).toBeUndefined()

  for (const column of ['user_id', 'patient_id', 'clinic_id', 'record_id']) {
    const was = sql`(select ${sql.ref(column)} from kept)`
    await sql`create table kept as select * from audit_log where id = 5`.execute(db)
    await asOwner(db, sql`update audit_log set ${sql.ref(column)} = gen_random_uuid() where id = 5`)
    expect(await faultOf(db)).toMatch(/block 3 of audit_log .* an entry was changed/)
    await asOwner(db, sql`update audit_log set ${sql.ref(column)} = ${was} where id = 5`)
    await sql`drop table kept`.execute(db)
  }
  expect(await faultOf(db)).toBeUndefined()

  await sql`create table kept as select * from audit_log where id = 6`.execute(db)
  await asOwner(db, sql`delete from audit_log where id = 6`)
  expect(await faultOf(db)).toMatch(/block 3 of audit_log .* 1 entry missing/)
  await asOwner(db, sql`insert into audit_log overriding system value select * from kept`)
  expect(await faultOf(db)).toBeUndefined()

  await asOwner(
    db,
    sql`insert into audit_log (action, via, request_id, table_name, xid)
      select action, via, request_id, table_name, xid from kept`,
  )
  // an id beyond the block's last one belongs to the next block of the table
  expect(await faultOf(db)).toMatch(/block 5 of audit_log .* 1 entry added/)
})

test('an entry of the access log that was changed, in its partition, is named', async ({ db }) => {
  await sealedTrail(db)
  await asOwner(
    db,
    sql`update access_log set outcome = 'refused' where id = (select min(id::text)::uuid from access_log)`,
  )
  expect(await faultOf(db)).toMatch(/block 2 of access_log .* an entry was changed/)
})

test('the phone of an access is sealed, and an entry without one has the digest of before phones were named', async ({
  db,
}) => {
  await read(db, 2)
  const before = sql.raw(`sha256(convert_to(jsonb_build_array('access_log', id,
    extract(epoch from at)::text, user_id, via, operation, patient_ids, clinic_id, outcome, count,
    request_id, xid::text, epoch)::text, 'UTF8'))`)
  const { rows } = await sql<{ same: boolean }>`
    select ${sql.raw(digestSql('access_log'))} = ${before} as same from access_log`.execute(db)
  expect(rows).toEqual([{ same: true }, { same: true }])

  await asOwner(db, sql`update access_log set app_password_id = gen_random_uuid()`)
  await sealTrails(db)
  expect(await faultOf(db)).toBeUndefined()
  for (const change of ['app_password_id = null', 'hub_phone_id = app_password_id']) {
    await sql`create table kept as select * from access_log`.execute(db)
    await asOwner(db, sql.raw(`update access_log set ${change}`))
    expect(await faultOf(db)).toMatch(/block 1 of access_log .* an entry was changed/)
    await asOwner(
      db,
      sql`update access_log a set app_password_id = k.app_password_id, hub_phone_id = k.hub_phone_id
        from kept k where k.id = a.id`,
    )
    await sql`drop table kept`.execute(db)
    expect(await faultOf(db)).toBeUndefined()
  }
})

test('the number of a phone is sealed, and an entry without one has the digest of before phones had numbers', async ({
  db,
}) => {
  await read(db, 2)
  await asOwner(
    db,
    sql`update access_log set hub_phone_id = gen_random_uuid()
      where id = (select min(id::text)::uuid from access_log)`,
  )
  const before = sql.raw(`sha256(convert_to((jsonb_build_array('access_log', id,
    extract(epoch from at)::text, user_id, via, operation, patient_ids, clinic_id, outcome, count,
    request_id, xid::text, epoch) || case when num_nonnulls(app_password_id, hub_phone_id) = 0
      then '[]' else jsonb_build_array(app_password_id, hub_phone_id) end)::text, 'UTF8'))`)
  const { rows } = await sql<{ same: boolean }>`
    select ${sql.raw(digestSql('access_log'))} = ${before} as same from access_log`.execute(db)
  expect(rows).toEqual([{ same: true }, { same: true }])

  await asOwner(db, sql`update access_log set chain_id = gen_random_uuid()`)
  await sealTrails(db)
  expect(await faultOf(db)).toBeUndefined()
  await asOwner(db, sql`update access_log set chain_id = gen_random_uuid()`)
  expect(await faultOf(db)).toMatch(/block 1 of access_log .* an entry was changed/)
})

test('a changed block and a missing block are named', async ({ db }) => {
  await sealedTrail(db)
  const change = (column: string, value: string) =>
    asOwner(db, sql.raw(`update audit_blocks set ${column} = ${value} where no = 3`))
  const hash = (
    await sql<{
      hash: string
    }>`select quote_literal(hash::text) as hash from audit_blocks where no = 3`.execute(db)
  ).rows[0]!.hash

  await change('hash', `sha256('')`)
  expect(await faultOf(db)).toMatch(/block 3 of audit_log .* the block itself was changed/)
  await change('hash', hash)
  expect(await faultOf(db)).toBeUndefined()
  await change('previous', `sha256('')`)
  expect(await faultOf(db)).toMatch(/block 3 of audit_log .* the block itself was changed/)

  await asOwner(db, sql`delete from audit_blocks where no in (2, 3)`)
  expect(await faultOf(db)).toMatch(/^Blocks 2 to 3 are missing, before block 4 of access_log/)
})

test('a block that does not continue the chain, or seals transactions that have not ended, is refused', async ({
  db,
}) => {
  await sealedTrail(db)
  const insert = (change: object) =>
    sql`insert into audit_blocks select (jsonb_populate_record(b,
        jsonb_build_object('no', 6, 'previous', b.hash) || ${JSON.stringify(change)}::jsonb)).*
      from audit_blocks b where no = 5`.execute(db)
  for (const change of [
    { no: 7 },
    { previous: `\\x${'00'.repeat(32)}` },
    { xid: '9000000000000' },
    { epoch: 1 },
  ])
    await expect(insert(change)).rejects.toThrow(/does not continue the chain/)
  await insert({})
})

test('a chain that was cut off is named by a printed hash, or by the number of blocks', async ({
  db,
}) => {
  await sealedTrail(db)
  const { no, hash } = (await newestBlock(db))!
  const seal = { no, hash: hash.toString('hex') }
  expect(await faultOf(db, { seal, atLeast: 5 })).toBeUndefined()

  await asOwner(db, sql`delete from audit_blocks where no = 5; delete from audit_log where id >= 7`)
  expect(await faultOf(db)).toBeUndefined()
  expect(await faultOf(db, { atLeast: 5 })).toMatch(/cut off: .* block 5 .* ends with block 4/)
  expect(await faultOf(db, { seal })).toMatch(/cut off: .* block 5 .* ends with block 4/)
  expect(await faultOf(db, { seal: { hash: seal.hash } })).toMatch(/does not contain the hash/)
})

test('a chain that its owner rewrote as a whole is named by a printed hash', async ({ db }) => {
  await sealedTrail(db)
  const seals = await db.selectFrom('audit_blocks').select(['no', 'hash']).orderBy('no').execute()
  await asOwner(
    db,
    sql`update audit_log set user_id = gen_random_uuid() where id = 8; delete from audit_blocks`,
  )
  await sealTrails(db, { mostEntries: 3 })
  expect(await faultOf(db)).toBeUndefined()

  const { no, hash } = seals.at(-1)!
  const seal = { no, hash: hash.toString('hex') }
  expect(await faultOf(db, { seal })).toMatch(/rewritten: its block 5 has another hash/)
  expect(await faultOf(db, { seal: { hash: seal.hash } })).toMatch(/does not contain the hash/)
})

test('an entry of a long transaction is sealed when the transaction has ended', async ({ db }) => {
  const long = await db.startTransaction().execute()
  await write(long)
  await write(db, 2)
  expect(await sealTrails(db)).toBe(0)
  await long.commit().execute()
  await sealTrails(db)
  expect(await verifyTrails(db)).toMatchObject({
    entries: 3,
    unsealed: { audit_log: { count: 0 } },
  })
})

test('however transactions and seals interleave, each entry is sealed once', async ({ db }) => {
  const connections = 4
  const steps = fc.array(
    fc.record({
      who: fc.nat(connections - 1),
      step: fc.constantFrom('write', 'write', 'read', 'commit', 'rollback', 'seal', 'seal twice'),
    }),
    { minLength: 5, maxLength: 40 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const faults: unknown[] = []
      const open: (Awaited<ReturnType<typeof begin>> | undefined)[] = []
      const begin = () => db.startTransaction().execute()
      for (const { who, step } of all) {
        if (step === 'write' || step === 'read')
          await (step === 'write' ? write : read)((open[who] ??= await begin()), 2)
        else if (step === 'commit' || step === 'rollback') {
          await open[who]?.[step]().execute()
          open[who] = undefined
        } else {
          await Promise.all(
            (step === 'seal' ? [1] : [1, 2]).map(() => sealTrails(db, { mostEntries: 3 })),
          )
          faults.push(await faultOf(db))
        }
      }
      for (const trx of open) await trx?.commit().execute()
      await sealTrails(db, { mostEntries: 3 })
      const verified = await verifyTrails(db)
      const { rows } = await sql<{ total: number }>`
        select (select count(*) from audit_log) + (select count(*) from access_log) as total`.execute(
        db,
      )
      expect([...faults, verified.fault].filter(Boolean)).toEqual([])
      expect(verified.entries).toBe(rows[0]!.total)
    }),
    { numRuns: 8 },
  )
})

test('a month of the access log is removed when it has expired and is sealed, and the chain still verifies', async ({
  db,
}) => {
  const monthsAgo = (number: number) => sql`now() - make_interval(months => ${number}::int)`
  const parts = async () =>
    (
      await sql<{
        name: string
      }>`select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = 'access_log'::regclass order by 1`.execute(db)
    ).rows.map(({ name }) => name)
  await db.transaction().execute(async (trx) => {
    for (const ago of [40, 24, 40, 26, 0]) await read(trx, 2, monthsAgo(ago))
    await sql`select keep_access_log_months()`.execute(trx)
  })
  const all = await parts()
  const remove = () => sql`select remove_expired_access()`.execute(db)
  await remove()
  expect(await parts()).toEqual(all)

  await sealTrails(db)
  await remove()
  expect(all.length - (await parts()).length).toBe(2)
  const { rows } = await sql<{ count: number }>`select count(*) from access_log`.execute(db)
  expect(rows[0]!.count).toBe(4)
  await sealTrails(db)
  const verified = await verifyTrails(db)
  expect(verified).toMatchObject({ removed: { entries: 6 }, unsealed: { audit_log: { count: 0 } } })
  expect(verified.fault).toBeUndefined()
  expect(reportLines(verified).join('\n')).toMatch(
    /6 entries of the access log removed by retention: 20\d\d-\d\d, 20\d\d-\d\d\./,
  )

  // what was not removed by retention is missing
  await asOwner(db, sql`delete from access_log where at < now() - interval '23 months'`)
  expect(await faultOf(db)).toMatch(/of access_log .* (1 entry|2 entries) missing/)
})

test('a server whose transactions have lower numbers begins a new epoch', async ({ db }) => {
  await sealedTrail(db)
  await asOwner(
    db,
    sql`update audit_log set xid = '9000000000000' where id = 9; delete from audit_blocks`,
  )
  await sql`select open_trail()`.execute(db)
  await write(db)
  const newest = await db
    .selectFrom('audit_log')
    .select('epoch')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  expect(newest).toEqual([{ epoch: 1 }])
  await sealTrails(db)
  await sql`select open_trail()`.execute(db)
  expect(await verifyTrails(db)).toMatchObject({
    entries: 16,
    unsealed: { audit_log: { count: 0 } },
  })
  expect(await db.selectFrom('audit_epochs').select('epoch').execute()).toHaveLength(2)
})

test('the application seals and keeps the months of the access log with its own privileges', async ({
  db: owned,
}) => {
  const { rows: names } = await sql<{ name: string }>`select current_database() as name`.execute(
    owned,
  )
  const db = connect(urlOf(names[0]!.name, server.appUrl))
  try {
    await read(db, 1, sql`'2001-01-01T00:00:00Z'::timestamptz`)
    await keepAccessLog(db)
    const { rows } = await sql`select tableoid::regclass::text as name from access_log`.execute(db)
    expect(rows).toEqual([{ name: 'access_log_2001_01' }])
    await sealTrails(db)
    const { unsealed, fault } = await verifyTrails(db)
    expect({ unsealed, fault }).toMatchObject({ unsealed: { access_log: { count: 0 } } })
    await keepAccessLog(db)
    expect(await verifyTrails(db)).toMatchObject({ removed: { months: ['2001-01'], entries: 1 } })
    await expect(sql`delete from audit_blocks`.execute(db)).rejects.toThrow('permission denied')
    await expect(sql`insert into audit_epochs values (7)`.execute(db)).rejects.toThrow(
      'permission denied',
    )
  } finally {
    await db.destroy()
  }
})
