import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { connect, createPool, openConnection } from '~/db/connect'
import { checkExternalDatabase } from '~/db/external.server'
import { atDatabase, splitHosts } from '~/db/hosts'
import { asPrepared } from '~/db/kept'
import { migrate, thisVersion } from '~/db/migrate.server'
import { grantApplication } from '~/db/roles.server'
import { saveClinic } from '~/features/office/clinics/clinics.server'
import { writeBackup } from '~/server/backup.server'
import { env, readEnv } from '~/server/env'
import { health } from '~/server/health.server'
import { whileAlone } from '~/server/jobs.server'
import { isHeard } from '~/server/live.server'
import { NoInput, query, signedIn } from '~/server/operation'
import { endReplica } from '~/server/replica.server'
import { checkFilesDir, storageIn } from '~/server/storage.server'
import { verifyBackup } from '~/server/verify-backup.server'
import { httpStatus } from '~/shared/errors'
import { makeFactories } from './factories'
import { aRequest, cloneTemplate, test as base, urlsOf } from './harness'
import { startPooler } from './pooler'

/** Several processes on one PostgreSQL, behind a pooler, with a standby (docs/guide/scale.md). */
const name = `machines_${process.pid}`
const test = base
  .extend('database', { scope: 'file' }, async ({}, { onCleanup }) => {
    const db = await cloneTemplate(name)
    onCleanup(() => db.destroy())
    return { db, ...urlsOf(name) }
  })
  .extend('pooler', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    expect(database.appUrl).toContain(name)
    const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout']
    const strict = await startPooler(name)
    const lenient = await startPooler(name, { ignores: timeouts })
    onCleanup(async () => {
      await strict.stop()
      await lenient.stop()
    })
    return { url: strict.url, lenientUrl: lenient.url }
  })
  .extend('standby', { scope: 'file' }, async ({}, { onCleanup }) => {
    const readOnly = `${name}_read_only`
    const db = await cloneTemplate(readOnly)
    const urls = urlsOf(readOnly)
    const owner = await openConnection(urls.ownerUrl)
    await owner.query(`alter database ${readOnly} set default_transaction_read_only = on`)
    await owner.end()
    onCleanup(() => db.destroy())
    return { db, ...urls }
  })

test('two connections stay open without work, with the tables and plans that they know', async ({
  database,
}) => {
  const pool = createPool(database.appUrl)
  pool.options.idleTimeoutMillis = 1
  const closed = new Promise((resolve) => pool.once('remove', resolve))
  await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.01)')))
  await closed
  // longer than each of them has been idle
  await sleep(200)
  expect(pool.totalCount).toBe(2)
  await pool.end()
})

describe('behind a pooler in transaction mode', () => {
  test('the start says which parameter the pooler rejects, and names the setting', async ({
    pooler,
  }) => {
    await expect(
      checkExternalDatabase({ appUrl: pooler.url, ownerUrl: pooler.url }),
    ).rejects.toThrow(
      /answers "unsupported startup parameter: statement_timeout": name PostgreSQL itself in DATABASE_DIRECT_URL/,
    )
  })

  test('with DATABASE_DIRECT_URL, Sanad connects, and its role has the timeouts', async ({
    database,
    pooler,
  }) => {
    const { ownerUrl, appUrl: directUrl } = database
    const urls = { appUrl: pooler.url, ownerUrl, directUrl }
    await checkExternalDatabase(urls)
    await grantApplication(urls)
    // connections of a pooler that are opened from now on
    const fresh = await startPooler(name)
    const db = connect(fresh.url, { isPooled: true })
    const { rows } = await sql`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
    expect(rows).toEqual([{ statement: '30s', idle: '1min' }])
    await db.destroy()
    await fresh.stop()
  })

  test('no statement has a name, which the pooler would lose; a direct connection keeps those about few rows', async ({
    database,
    pooler,
  }) => {
    const namedBy = async (url: string, isPooled: boolean) => {
      const db = connect(url, { max: 1, isPooled })
      for (const count of [3, 3, 1_000])
        await sql`${asPrepared(count)} select ${count}::integer`.execute(db)
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements where statement like '%integer'`.execute(db)
      await db.destroy()
      return rows.length
    }
    expect(await namedBy(database.appUrl, false)).toBe(1)
    expect(await namedBy(pooler.url, true)).toBe(0)
  })

  test('two backups in a row run, as their lock ends with its transaction', async ({ pooler }) => {
    const db = connect(pooler.url, { isPooled: true })
    let runs = 0
    for (let turn = 0; turn < 3; turn += 1) {
      await whileAlone(db, 'machines', async () => {
        runs += 1
        // while it runs, no other process begins
        await whileAlone(db, 'machines', async () => {
          runs += 100
        })
        await sql`select 1`.execute(db)
      })
      await sql`select 1`.execute(db)
    }
    expect(runs).toBe(3)
    await db.destroy()
  })

  test('one start after the other migrates, as the lock ends with its transaction', async ({
    pooler,
  }) => {
    const { lenientUrl } = pooler
    const only = { migrations: {}, schema: {} }
    const db = connect(lenientUrl, { max: 1 })
    for (let turn = 0; turn < 3; turn += 1) {
      // refused as a database of a newer version, which is not what is tested: after the lock, and not for its sake
      await expect(migrate(lenientUrl, only, { most: 2_000, onWait: () => {} })).rejects.toThrow(
        /permission denied|newer version/,
      )
      await sql`select 1`.execute(db)
    }
    await db.destroy()
  })

  test('Sanad finds out that notifications do not arrive', async ({ database, pooler }) => {
    expect(await isHeard(database.db, pooler.lenientUrl, 700)).toBe(false)
    expect(await isHeard(database.db, database.appUrl)).toBe(true)
  })
})

test('a start that waits for another one says so, and ends with one sentence', async ({
  database,
}) => {
  const other = await openConnection(database.ownerUrl)
  await other.query('begin; select pg_advisory_xact_lock(7262023)')
  await expect(
    migrate(database.ownerUrl, thisVersion, { most: 300, onWait: () => {} }),
  ).rejects.toThrow(/^Another Sanad has been upgrading this database for 0 minutes: wait until/)
  await other.end()
})

describe('a read-only database, as a standby is one', () => {
  test('is not ready, and a write answers 503 with one sentence', async ({ standby, as }) => {
    const pool = createPool(standby.appUrl, { max: 2 })
    expect(await health(pool)).toMatchObject({ ready: false, database: 'read only' })
    await pool.end()
    const ctx = { ...as('super_admin'), db: standby.db, request: aRequest() }
    const refused = await saveClinic(ctx, { id: crypto.randomUUID(), name: 'North' }).catch(
      (error: unknown) => error,
    )
    expect(refused).toMatchObject({ code: 'unavailable', text: { key: 'errors.readOnly' } })
    expect(httpStatus.unavailable).toBe(503)
  })

  test('is refused by a start with one sentence', async ({ standby: { appUrl, ownerUrl } }) => {
    await expect(checkExternalDatabase({ appUrl, ownerUrl })).rejects.toThrow(
      /^The database in DATABASE_OWNER_URL .* is read-only: /,
    )
  })

  test('is not followed among several hosts', async ({ standby }) => {
    const url = withHosts(standby.appUrl, ['127.0.0.1:1'])
    await expect(openConnection(url)).rejects.toMatchObject({ code: '25006' })
    const any = await openConnection(`${url}?target_session_attrs=any`)
    await any.end()
  })
})

const withHosts = (url: string, more: string[]) => {
  const { host } = new URL(url)
  return url.replace(`@${host}`, `@${[...more, host].join(',')}`)
}

test('of several hosts, connections follow the one that accepts writes', async ({ database }) => {
  expect(splitHosts('postgres://a:b@one:1,two/x?y=z')).toEqual([
    'postgres://a:b@one:1/x?y=z',
    'postgres://a:b@two/x?y=z',
  ])
  expect(splitHosts('postgres://a:b@/x?host=one,two&port=1,2')).toEqual([
    'postgres://a:b@/x?host=one&port=1',
    'postgres://a:b@/x?host=two&port=2',
  ])
  expect(atDatabase('postgres://a:b@one:1,two/x?y=/z', 'new')).toBe(
    'postgres://a:b@one:1,two/new?y=/z',
  )
  expect(atDatabase('postgres://a:b@one', 'new')).toBe('postgres://a:b@one/new')
  expect(splitHosts('postgres://a:b,c@one/x')).toEqual(['postgres://a:b,c@one/x'])
  const url = withHosts(database.appUrl, ['127.0.0.1:1'])
  const db = connect(url, { max: 2 })
  expect((await sql`select current_database() as name`.execute(db)).rows).toEqual([{ name }])
  await db.destroy()
  await checkExternalDatabase({
    appUrl: url,
    ownerUrl: withHosts(database.ownerUrl, ['127.0.0.1:1']),
  })
  const { port } = new URL(database.appUrl)
  await expect(
    checkExternalDatabase({ appUrl: 'postgres://a@127.0.0.1:1,127.0.0.1:2/x', ownerUrl: url }),
  ).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:1,127\\.0\\.0\\.1:(2|${port})/`))
})

test('settings of several machines need DATABASE_URL', () => {
  for (const setting of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'])
    expect(() => readEnv({ [setting]: 'postgres://x/y' })).toThrow(/needs the database in/)
  expect(readEnv({ SANAD_FILES_DIR: '/mnt/files' }).filesDir).toBe('/mnt/files')
  expect(readEnv({}).filesDir).toBe(join('data', 'files'))
})

test('a named directory of files that is not mounted is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-machines-'))
  const { filesDir } = env()
  Object.assign(env(), { filesDir: join(folder, 'absent'), isFilesDirNamed: true })
  expect(checkFilesDir).toThrow(/^SANAD_FILES_DIR \(.*absent\) does not exist, or/)
  env().filesDir = folder
  checkFilesDir()
  Object.assign(env(), { filesDir, isFilesDirNamed: false })
  rmSync(folder, { recursive: true })
})

test('a backup is refused where files of its records are missing', async ({ database }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-machines-'))
  const { db, ownerUrl } = database
  const files = storageIn(join(folder, 'files'))
  const backup = (at: string) => writeBackup(ownerUrl, files, join(folder, at))
  const photo = crypto.randomUUID()
  const patient = await makeFactories(db).patient()
  await db
    .updateTable('patients')
    .set({ photo_url: `/api/photos/${patient.id}?v=${photo}` })
    .where('id', '=', patient.id)
    .execute()
  await expect(backup('first')).rejects.toThrow(
    /^1 of the 1 files that records refer to are missing in .*SANAD_FILES_DIR/,
  )
  env().allowsMissingFiles = true
  expect(await backup('without')).toMatchObject({ files: 0 })
  env().allowsMissingFiles = false
  await expect(verifyBackup(ownerUrl, join(folder, 'without'), {})).rejects.toThrow(
    /^The backup lacks 1 of the 1 files/,
  )
  await files.put(`photos/${photo}.jpg`, Buffer.from('a picture'))
  expect(await backup('second')).toMatchObject({ files: 1 })
  rmSync(folder, { recursive: true })
})

describe('with a replica', () => {
  const AHEAD = 'FFFFFFFF/0'
  /** Which connection `run` reads from. */
  const whereRead = query('machines.whereRead', {
    mayLag: true,
    input: NoInput,
    allow: signedIn,
    async run({ db }) {
      const { rows } = await sql<{ name: string }>`
        select current_setting('application_name') as name`.execute(db)
      return rows[0]!.name
    },
  })

  test('a list reads from it, unless the user has written what it lacks, or it is away', async ({
    database,
    as,
  }) => {
    const { db, appUrl } = database
    const user = await makeFactories(db).user({ role: 'super_admin' })
    const other = await makeFactories(db).user({ role: 'super_admin' })
    const ctxOf = ({ id }: { id: string }) => ({
      ...as('super_admin', {}, { userId: id }),
      db,
    })
    const ctx = ctxOf(user)
    expect(await whereRead(ctx, {})).toBe('sanad')
    env().databaseReplicaUrl = `${appUrl}?replica`
    try {
      expect(await whereRead(ctx, {})).toBe('sanad replica')
      await saveClinic(ctx, { id: crypto.randomUUID(), name: 'West' })
      const written = await db
        .selectFrom('user_writes')
        .select(sql<boolean>`lsn <= pg_current_wal_insert_lsn()`.as('is_past'))
        .where('user_id', '=', user.id)
        .execute()
      expect(written).toEqual([{ is_past: true }])
      expect(await whereRead(ctx, {})).toBe('sanad replica')
      await db.updateTable('user_writes').set({ lsn: AHEAD }).execute()
      expect(await whereRead(ctx, {})).toBe('sanad')
      expect(await whereRead(ctxOf(other), {})).toBe('sanad replica')
      env().databaseReplicaUrl = 'postgres://nobody@127.0.0.1:1/nothing'
      expect(await whereRead(ctxOf(other), {})).toBe('sanad')
    } finally {
      env().databaseReplicaUrl = undefined
      await endReplica()
    }
  })
})
