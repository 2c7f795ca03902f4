import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { built } from '../built'
import { type Start, freePort, isReady, test, until } from './sanad'

/** Debian's places for PostgreSQL 15 and later. */
const home = '/usr/lib/postgresql'
const version = existsSync(home)
  ? readdirSync(home)
      .filter((name) => Number(name) >= 15)
      .toSorted()[0]
  : undefined
const bin = version && join(home, version, 'bin')
const isRoot = process.getuid?.() === 0

/** PostgreSQL's tools refuse root. */
const run = (program: string, args: string[]) => {
  const become = isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
    : ['env']
  execFileSync(become[0]!, [...become.slice(1), join(bin!, program), ...args], {
    stdio: 'ignore',
    cwd: '/',
  })
}

async function refusal(start: Start, url: string, settings: Record<string, string> = {}) {
  const { code, stderr } = await start({
    DATABASE_URL: url,
    PORT: await freePort(),
    ...settings,
  }).exit
  expect(stderr.trim().split('\n')).toEqual([expect.any(String)])
  expect(code).toBe(1)
  return stderr.trim()
}

describe.concurrent('a wrong DATABASE_URL', () => {
  test('that is no address is refused in one sentence', async ({ start }) => {
    expect(await refusal(start, 'clinic')).toMatch(/^DATABASE_URL is not a PostgreSQL address/)
    expect(await refusal(start, 'mysql://localhost/x')).toMatch(
      /^DATABASE_URL is not a PostgreSQL address/,
    )
  })

  test('whose host is not there is refused in one sentence without the password', async ({
    start,
  }) => {
    const said = await refusal(start, 'postgres://sanad:secret@127.0.0.1:1/sanad')
    expect(said).toBe(
      'The database in DATABASE_URL (127.0.0.1:1/sanad) cannot be used: nothing answers there.',
    )
    expect(await refusal(start, 'postgres://sanad@no-such-host.invalid/sanad')).toMatch(
      /its host name is not known\.$/,
    )
  })
})

// Visible in the report: "skipped" means that this machine has no PostgreSQL of its own.
describe.skipIf(!bin)(
  `an external PostgreSQL (${version ?? 'none under /usr/lib/postgresql'})`,
  () => {
    let folder: string
    let port: string
    // holds the instance key, to which the records of the database belong
    const dataDir = () => ({ SANAD_DATA_DIR: join(folder, 'sanad') })
    const url = (user: string, password: string, database: string) =>
      `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sanad-external-'))
      port = await freePort()
      const data = join(folder, 'data')
      mkdirSync(data, { mode: 0o700 })
      if (isRoot) {
        const id = Number(execFileSync('id', ['-u', 'postgres']))
        chownSync(data, id, Number(execFileSync('id', ['-g', 'postgres'])))
        chmodSync(folder, 0o777)
      }
      run('initdb', [
        '-D',
        data,
        '-U',
        'admin',
        '-A',
        'scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C',
        '--pwfile',
        passwordFile(),
      ])
      run('pg_ctl', [
        '-D',
        data,
        '-w',
        '-l',
        join(data, 'log'),
        '-o',
        // nothing of it outlives the test
        `-p ${port} -h 127.0.0.1 -k '' -F`,
        'start',
      ])
      const client = new pg.Client(url('admin', 'secret', 'postgres'))
      await client.connect()
      await client.query(`create role clinic login password 'secret'`)
      await client.query(`create role clinic_app login password 'secret'`)
      await client.query('create database clinic owner clinic')
      await client.query('create database roles owner clinic')
      await client.query('create database others')
      await client.query(`create database latin encoding 'LATIN1' template template0 owner clinic`)
      await client.end()

      function passwordFile() {
        const file = join(folder, 'password')
        execFileSync('sh', ['-c', `umask 022; echo secret > ${file}`])
        return file
      }
    })
    afterAll(() => {
      if (!folder) return
      run('pg_ctl', ['-D', join(folder, 'data'), '-m', 'fast', '-w', 'stop'])
      rmSync(folder, { recursive: true, force: true })
    })

    test('serves Sanad, two processes of it together with one instance key', async ({
      start,
      temporaryDirectory,
    }) => {
      const database = url('clinic', 'secret', 'clinic')
      const [dataDir, other] = [temporaryDirectory(), temporaryDirectory()]
      const at = async (SANAD_DATA_DIR: string, more = {}) =>
        start({ DATABASE_URL: database, SANAD_DATA_DIR, PORT: await freePort(), ...more })
      const both = [await at(dataDir), await at(dataDir)]
      for (const { ready } of both) await until(async () => isReady(await ready))
      const { code, stderr } = await (await at(other)).exit
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The records in this database belong to the instance key .* is missing\./,
        ),
      ])
      const SANAD_SECRET = readFileSync(join(dataDir, 'instance.key'), 'utf8').trim()
      await (
        await at(other, { SANAD_SECRET })
      ).ready
      const client = new pg.Client(database)
      await client.connect()
      const { rows } = await client.query<{ name: string }>('select name from schema_migrations')
      await client.end()
      expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length)
    })

    const warning = /^The audit trail is not protected from the database owner\. Make a second user/

    test('with one user for everything serves with one warning, and is refused where two are required', async ({
      start,
    }) => {
      const database = url('clinic', 'secret', 'roles')
      const sanad = start({ ...dataDir(), DATABASE_URL: database, PORT: await freePort() })
      await sanad.ready
      sanad.child.kill('SIGTERM')
      const { stderr } = await sanad.exit
      expect(stderr).toMatch(warning)
      expect(stderr.trim().split('\n')).toHaveLength(1)

      const required = { ...dataDir(), SANAD_REQUIRE_DB_ROLES: 'yes' }
      expect(await refusal(start, database, required)).toMatch(warning)
      // two addresses of one user are not two users
      const twice = { ...required, DATABASE_OWNER_URL: `${database}?application_name=owner` }
      expect(await refusal(start, database, twice)).toMatch(warning)
    })

    test('with two users serves as the one that can neither rewrite the trail nor make tables', async ({
      start,
    }) => {
      const sanad = start({
        ...dataDir(),
        DATABASE_URL: url('clinic_app', 'secret', 'roles'),
        DATABASE_OWNER_URL: url('clinic', 'secret', 'roles'),
        SANAD_REQUIRE_DB_ROLES: 'yes',
        PORT: await freePort(),
      })
      await until(async () => isReady(await sanad.ready))
      const client = new pg.Client(url('clinic_app', 'secret', 'roles'))
      await client.connect()
      for (const statement of [
        'delete from audit_log',
        'delete from patients',
        'alter table audit_log disable trigger all',
        'create table mine (id int)',
        'set role clinic',
      ])
        await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
      const { rows } = await client.query(
        `select count(*) > 0 as is_serving from pg_stat_activity
         where usename = 'clinic_app' and application_name = 'sanad'`,
      )
      expect(rows).toEqual([{ is_serving: true }])
      await client.end()
      sanad.child.kill('SIGTERM')
      expect(await sanad.exit).toMatchObject({ code: 0, stderr: '' })
    })

    /** Runs a statement in a database, as one of its users. */
    async function query(statement: string, database = 'postgres', user = 'admin') {
      const client = new pg.Client(url(user, 'secret', database))
      await client.connect()
      try {
        const { rows } = await client.query<{ name: string }>(statement)
        return rows
      } finally {
        await client.end()
      }
    }

    test('is backed up, the backup verified beside it and restored into another database', async ({
      start,
    }) => {
      const at = (name: string) => ({
        ...dataDir(),
        DATABASE_URL: url('clinic_app', 'secret', name),
        DATABASE_OWNER_URL: url('clinic', 'secret', name),
      })
      const file = join(folder, 'external.backup')
      const command = (name: string, args: string[], database: string) => {
        const program = [built(`commands/${name}.js`), ...args]
        const env = { PATH: process.env['PATH'], ...at(database) }
        const { status, stdout, stderr } = spawnSync(process.execPath, program, {
          env,
          encoding: 'utf8',
        })
        return [status, (stdout + stderr).trim()]
      }
      for (const name of ['lost', 'empty']) await query(`create database ${name} owner clinic`)
      const sanad = start({ ...at('lost'), PORT: await freePort() })
      await sanad.ready
      sanad.child.kill('SIGTERM')
      await sanad.exit
      const hillside = `insert into clinics (id, name) values (gen_random_uuid(), 'Hillside')`
      await query(hillside, 'lost', 'clinic')

      expect(command('backup', [file], 'lost')).toEqual([0, expect.stringMatching(/verified/)])
      const verify = () => command('admin', ['verify-backup', file], 'lost')
      expect(verify()).toEqual([1, expect.stringMatching(/: grant the right CREATEDB, or check/)])
      await query('alter role clinic createdb')
      expect(verify()).toEqual([
        0,
        expect.stringMatching(/^Verified: .* restored and compared\.$/m),
      ])
      await query('alter role clinic nocreatedb')
      const left = `select datname as name from pg_database where datname like 'sanad_verify_%'`
      expect(await query(left)).toEqual([])

      expect(command('restore', [file], 'empty')).toEqual([0, expect.stringMatching(/^Restored: /)])
      const names = await query('select name from clinics', 'empty', 'clinic')
      expect(names).toEqual([{ name: 'Hillside' }])
    })

    test('with two users of two databases, or with the owner alone, is refused', async ({
      start,
    }) => {
      const owner = { ...dataDir(), DATABASE_OWNER_URL: url('clinic', 'secret', 'roles') }
      expect(await refusal(start, url('clinic_app', 'secret', 'others'), owner)).toMatch(
        /lead to different databases/,
      )
      expect(await refusal(start, '', owner)).toMatch(/^DATABASE_OWNER_URL is the owner/)
      const without = url('clinic_app', 'secret', 'roles')
      expect(await refusal(start, without)).toMatch(/or name the owner in DATABASE_OWNER_URL\.$/)
    })

    test('is refused when the password, the database, its owner or its encoding is wrong', async ({
      start,
    }) => {
      expect(await refusal(start, url('clinic', 'wrong', 'clinic'))).toMatch(
        /it refuses the user name or the password\.$/,
      )
      expect(await refusal(start, url('clinic', 'secret', 'missing'))).toMatch(
        /there is no database of that name\.$/,
      )
      expect(await refusal(start, url('clinic', 'secret', 'others'))).toMatch(
        /does not let its user create the extensions/,
      )
      expect(await refusal(start, url('clinic', 'secret', 'latin'))).toMatch(
        /has the encoding LATIN1, and Sanad needs UTF8\.$/,
      )
    })
  },
)
