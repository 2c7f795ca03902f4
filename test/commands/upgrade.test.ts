import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { expect } from 'vitest'
import { connectionConfig } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { fingerprint } from './fingerprint'
import { STARTER_REPORTS } from '~/features/reports/starter/starter-reports'
import { check } from '~/server/backup.server'
import { LEFT_OUT } from '~/server/backup-secrets'
import { readBackupSignature } from '~/server/backup-sign'
import { built } from '../built'
import { connected, rowsOf, run } from './backup'
import { definitions } from './definitions'
import {
  applicationUrl,
  databaseUrl,
  freePort,
  type Sanad,
  settingsFor,
  test as base,
  until,
} from './sanad'

/**
 * What `npm run upgrade-fixture` wrote: a data directory and a backup of an earlier commit, and
 * every row they hold.
 */
const fixture = 'test/fixtures/upgrade'
type Row = Record<string, unknown>
const rowsBefore = JSON.parse(
  zstdDecompressSync(readFileSync(join(fixture, 'rows.json.zst'))).toString(),
) as Record<string, Row[]>

/** Worked out anew by each start, or about the machine: table names, and patterns of LIKE. */
const ofTheMachine = [...LEFT_OUT, 'sync\\_%']
const kept = Object.entries(rowsBefore).filter(
  ([table]) => !ofTheMachine.some((pattern) => like(table, pattern)),
)

/** What migrations since that commit change on purpose, taken out of the comparison. */
const onPurpose: Record<string, (row: Row) => Row> = {
  // patients are found by birth and village, too
  patient_search: ({ keys: _keys, more: _more, ...row }) => row,
  // who administers a clinic keeps its stock: the row is new to phones and programs
  user_clinic_permissions: ({ updated_at, last_modified, ...row }) =>
    row['is_clinic_admin'] === true ? row : { ...row, updated_at, last_modified },
  // a shipped report that nobody changed here becomes the newer one; its version of before is kept
  report_definitions: ({ body, version, starter_version, updated_at, last_modified, ...row }) =>
    isRenewed(row['code'])
      ? row
      : { ...row, body, version, starter_version, updated_at, last_modified },
}

const isRenewed = (code: unknown) =>
  STARTER_REPORTS.some(
    ({ definition, version }) =>
      definition.code === code &&
      rowsBefore['report_definitions']!.some(
        (row) => row['code'] === code && Number(row['starter_version']) < version,
      ),
  )

/** The database of the version before, in a PostgreSQL that outlives the servers of a test, as one of DATABASE_URL. */
const test = base.extend('fixtureServer', async ({ temporaryDirectory }, { onCleanup }) => {
  const dataDir = temporaryDirectory()
  unpackInto(dataDir)
  const postgres = await startEmbedded(openDataDirectory(dataDir))
  onCleanup(() => postgres.stop())
  const { appUrl, ownerUrl } = postgres
  const settings = {
    SANAD_DATA_DIR: dataDir,
    DATABASE_URL: appUrl,
    DATABASE_OWNER_URL: ownerUrl,
    SANAD_HUB_PORT: await freePort(),
  }
  return { dataDir, ownerUrl, settings }
})

/** Of the role that serves requests. */
const FORBIDDEN = [
  'delete from audit_log',
  'update audit_log set via = via',
  'delete from patients',
  'alter table audit_log disable trigger all',
  'set role sanad',
] as const

const email = 'amal@clinic.example'
const password = 'a password of the fixture'

test('a data directory of the version before starts, holds every row it held, and is then like a new one', async ({
  start,
  temporaryDirectory,
}) => {
  const dataDir = temporaryDirectory()
  unpackInto(dataDir)
  const sanad = start(await settingsFor(dataDir))
  const url = await sanad.ready
  expect(await missing(dataDir)).toEqual({})
  expect(await signInStatus(url)).toBe(200)
  // a password of before need not be replaced
  expect(await accountStatus(url)).toBe(200)
  expect(await refusals(applicationUrl(dataDir))).toEqual(FORBIDDEN.map(() => '42501'))

  const empty = temporaryDirectory()
  await start(await settingsFor(empty)).ready
  expect(await madeOf(dataDir)).toEqual(await madeOf(empty))

  // the backup of before is verified, named and listed, and holds every row
  const file = await backupBeforeUpgrade(dataDir)
  expect(sanad.complained()).toMatch(/^Backing up before the upgrade…\n/)
  expect(sanad.complained()).toContain(`verified: ${file}\n`)
  const listed = await rowsOf(databaseUrl(dataDir), `select kind, status, file_name from backups`)
  expect(listed).toContainEqual({ kind: 'upgrade', status: 'finished', file_name: basename(file) })
  sanad.child.kill('SIGTERM')
  await sanad.exit
  const again = start(await settingsFor(dataDir))
  await again.ready
  expect([again.complained(), await backupBeforeUpgrade(dataDir)]).toEqual(['', file])

  const restored = temporaryDirectory()
  const settings = await settingsFor(restored)
  const key = (await readBackupSignature(file))!.fingerprint
  expect(run('restore', [file, '--trust', key, '--replace'], settings)).toMatchObject({ status: 0 })
  await start(settings).ready
  const { credentials, ...others } = await missing(restored)
  expect([others, credentials?.length]).toEqual([{}, 1])
})

test('starts that are killed while they back up or migrate, and two at once, leave one whole backup of before', async ({
  start,
  fixtureServer: { settings, dataDir, ownerUrl },
}) => {
  const folder = join(dataDir, 'backups')
  const unfinished = () =>
    existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.unfinished'))
  const first = start({ ...settings, PORT: await freePort() })
  await until(() => unfinished() || /verified/.test(first.complained()))
  first.child.kill('SIGKILL')
  await first.exit
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.backup')))
    expect((await check(join(folder, name))).rows).toBeGreaterThan(1000)

  const reader = await connected(ownerUrl)
  await reader.query('begin; lock table schema_in_force in share mode') // the last step waits for it
  const both = [
    start({ ...settings, PORT: await freePort() }),
    start({ ...settings, PORT: await freePort() }),
  ]
  const isInTurn = ({ complained }: Sanad) => /verified/.test(complained())
  await until(() => both.some(isInTurn))
  const victim = both.find(isInTurn)!
  const other = both.find((each) => each !== victim)!
  expect(other.complained()).not.toMatch(/Backing up/)
  await until(async () => (await waiting(ownerUrl)) > 0)
  victim.child.kill('SIGKILL')
  await victim.exit
  // PostgreSQL undoes what the victim had begun as soon as it no longer waits
  await reader.query('commit')
  await reader.end()
  await other.ready
  expect(other.complained()).toMatch(/verified|An interrupted upgrade goes on/)
  expect(await missingAt(ownerUrl)).toEqual({})
  expect((await check(await backupBeforeUpgrade(dataDir))).rows).toBeGreaterThan(1000)
  expect(await rowsOf(ownerUrl, `select kind from backups where kind = 'upgrade'`)).toHaveLength(1)
})

test('an upgrade is refused where the disk is too small or full, and changes nothing before it has a backup', async ({
  start,
  fixtureServer: { settings, ownerUrl },
  temporaryDirectory,
  skip,
}) => {
  const [small, full] = [temporaryDirectory(), temporaryDirectory()]
  // a file system without room for one more file says that there is space
  for (const [folder, option] of [
    [small, 'size=2m'],
    [full, 'size=512m,nr_inodes=1'],
  ] as const)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', option, 'none', folder]).status !== 0)
      skip('this user may not mount a small disk')
  const state = () =>
    rowsOf(
      ownerUrl,
      `select (select json_agg(m order by name) from schema_migrations m) as migrations,
         (select json_agg(s) from schema_in_force s) as schema,
         (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace) as objects`,
    )
  try {
    const before = await state()
    const refusal = async (folder: string) => {
      const sanad = start({ ...settings, PORT: await freePort(), SANAD_BACKUP_DIR: folder })
      const { code, stderr } = await sanad.exit
      expect(code).toBe(1)
      return stderr
    }
    expect(await refusal(small)).toMatch(
      /^The database was not upgraded, .* about \d+ MB are needed and \d MB are free\. .*SANAD_SKIP_UPGRADE_BACKUP=yes/,
    )
    expect(await refusal(full)).toMatch(
      /^Backing up before the upgrade…\nThe database was not upgraded, .* is full: /,
    )
    expect(await refusal(join(small, 'missing'))).toMatch(/cannot be written \(ENOENT\)/)
    expect(readdirSync(small)).toEqual([])
    expect(await state()).toEqual(before)

    const sanad = start({
      ...settings,
      PORT: await freePort(),
      SANAD_BACKUP_DIR: small,
      SANAD_SKIP_UPGRADE_BACKUP: 'yes',
    })
    await sanad.ready
    expect(sanad.complained()).toBe(
      'SANAD_SKIP_UPGRADE_BACKUP is set: the database is upgraded without a backup before it.\n',
    )
    expect(readdirSync(small)).toEqual([])
    expect(await missingAt(ownerUrl)).toEqual({})
  } finally {
    for (const folder of [small, full]) spawnSync('umount', [folder])
  }
})

test('a backup of the version before is restored, and holds every row it held', async ({
  start,
  temporaryDirectory,
}) => {
  const dataDir = temporaryDirectory()
  const settings = await settingsFor(dataDir)
  const file = join(fixture, 'sanad.backup')
  const key = (await readBackupSignature(file))!.fingerprint
  const restore = [built('commands/restore.js'), file, '--replace', '--trust', key]
  const { status, stderr } = spawnSync(process.execPath, restore, {
    env: { PATH: process.env['PATH'], ...settings },
  })
  expect(`${status} ${String(stderr)}`).toMatch(/^0 /)
  const url = await start(settings).ready
  const { credentials, ...others } = await missing(dataDir)
  expect(others).toEqual({})
  // it is not encrypted, so it holds no passwords
  expect(credentials).toHaveLength(1)
  expect(await signInStatus(url)).toBe(401)
})

/** With the owners of a cluster made here: as root, PostgreSQL runs as a user of its own. */
function unpackInto(dataDir: string) {
  mkdirSync(dataDir, { recursive: true })
  const input = zstdDecompressSync(readFileSync(join(fixture, 'data.tar.zst')))
  expect(spawnSync('tar', ['-x', '-p', '--no-same-owner', '-C', dataDir], { input }).status).toBe(0)
  const made = join(process.env['SANAD_TEST_TEMPLATE']!, 'postgres')
  expect(spawnSync('chown', ['-R', `--reference=${made}`, join(dataDir, 'postgres')]).status).toBe(
    0,
  )
}

/** The log of accesses has a table for each month since its database began. */
const isOfOneMonth = (text: string) => /\baccess_log_\d{4}_\d\d/.test(text)

/** Tables, functions, triggers and views. */
async function madeOf(dataDir: string) {
  const client = new pg.Client(databaseUrl(dataDir))
  await client.connect()
  try {
    const [tables, rules] = [await fingerprint(client), await definitions(client)]
    return {
      tables: tables.filter(({ of }) => !isOfOneMonth(of)),
      rules: rules.filter((text) => !isOfOneMonth(text)),
    }
  } finally {
    await client.end()
  }
}

/** PostgreSQL's codes for what it answers to the forbidden statements. */
async function refusals(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  const codes: unknown[] = []
  for (const statement of FORBIDDEN)
    codes.push(
      await client.query(statement).catch((error: unknown) => (error as { code: string }).code),
    )
  await client.end()
  return codes
}

/** The only one. */
async function backupBeforeUpgrade(dataDir: string) {
  const folder = join(dataDir, 'backups')
  const files = readdirSync(folder).filter((name) => /^sanad-before-upgrade-.*\.backup/.test(name))
  expect(files).toEqual([expect.stringMatching(/\.backup$/)])
  return join(folder, files[0]!)
}

/** Connections that wait for a lock of a table. */
const waiting = async (url: string) =>
  (await rowsOf(url, `select from pg_locks where not granted and locktype = 'relation'`)).length

const missing = (dataDir: string) => missingAt(databaseUrl(dataDir))

/** By table, the rows of before that are no longer there with the values they had. New columns and rows are fine. */
async function missingAt(url: string) {
  const client = new pg.Client(connectionConfig(url))
  await client.connect()
  try {
    const lost: Record<string, string[]> = {}
    for (const [table, before] of kept) {
      // a transaction's number belongs to one PostgreSQL
      const columns = Object.keys(before[0]!).filter((column) => !/^(changed_)?xid$/.test(column))
      const compared = (row: Row) => valuesOf(onPurpose[table]?.(row) ?? row, columns)
      const { rows } = await client.query<{ row: Row }>(
        `select to_jsonb(t) as row from "${table}" t`,
      )
      const now = new Set(rows.map(({ row }) => compared(row)))
      const lostRows = before.map(compared).filter((row) => !now.has(row))
      if (lostRows.length) lost[table] = lostRows
    }
    return lost
  } finally {
    await client.end()
  }
}

const valuesOf = (row: Row, columns: readonly string[]) =>
  JSON.stringify(columns.map((column) => row[column] ?? null))

const signIn = (url: string) =>
  fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })

const signInStatus = async (url: string) => (await signIn(url)).status

async function accountStatus(url: string) {
  const { token } = (await (await signIn(url)).json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${url}/api/trpc/account.get`, { headers })).status
}

function like(name: string, pattern: string) {
  const expression = pattern.replaceAll('\\_', '_').replaceAll('%', '.*')
  return new RegExp(`^${expression}$`).test(name)
}
