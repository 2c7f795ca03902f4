import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { expect } from 'vitest'
import { connectionConfig } from '~/db/connect'
import { fingerprint } from '~/db/fingerprint.server'
import { LEFT_OUT } from '~/server/backup-secrets'
import { signatureOf } from '~/server/backup-sign'
import { definitions } from './definitions'
import { applicationUrl, databaseUrl, settingsFor, test } from './sanad'

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
const onPurpose: Record<string, (row: Row) => Row> = {}

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
})

test('a backup of the version before is restored, and holds every row it held', async ({
  start,
  temporaryDirectory,
}) => {
  const dataDir = temporaryDirectory()
  const settings = await settingsFor(dataDir)
  const file = join(fixture, 'sanad.backup')
  const key = (await signatureOf(file))!.fingerprint
  const restore = ['dist/commands/restore.js', file, '--replace', '--trust', key]
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

/** Tables, functions, triggers and views. */
async function madeOf(dataDir: string) {
  const client = new pg.Client(databaseUrl(dataDir))
  await client.connect()
  try {
    return { tables: await fingerprint(client), rules: await definitions(client) }
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

/** By table, the rows of before that are no longer there with the values they had. New columns and rows are fine. */
async function missing(dataDir: string) {
  const client = new pg.Client(connectionConfig(databaseUrl(dataDir)))
  await client.connect()
  try {
    const lost: Record<string, string[]> = {}
    for (const [table, before] of kept) {
      // a transaction's number belongs to one PostgreSQL
      const columns = Object.keys(before[0]!).filter((column) => column !== 'changed_xid')
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
