import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { describe, expect } from 'vitest'
import { CASES, PASSWORD } from '../hikma/cases'
import { compare } from '../../scripts/import/comparison/compare'
import { clientOf, cuttingProxy, fingerprint, moveIn, WHEN } from '../hikma/moving'
import { startOldServer } from '../hikma/old-server'
import { makeSource } from '../hikma/source'
import { aPatient } from '../sync/chart'
import { Phone } from '../sync/phone'
import { chance } from '../sync/random/chance'
import { databaseUrl, postgresPid, settingsForUsed, test as base, until } from './sanad'

/** `npm run prove -- hikma` sets them. */
const { SANAD_HIKMA_PATIENTS = '300', SANAD_HIKMA_ROUNDS = '0' } = process.env
const PATIENTS = Number(SANAD_HIKMA_PATIENTS)
const ROUNDS = Number(SANAD_HIKMA_ROUNDS)
/** Where the cases do not matter. */
const FEW = 100
const isProof = ROUNDS > 0 || PATIENTS > 300
const MOST_OF_A_PHONE = 1_000
const say = (text: string) => void (isProof && process.stdout.write(`${text}\n`))
const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const test = base
  .extend('served', async ({ start, temporaryDirectory }, { onCleanup }) => {
    const dataDir = temporaryDirectory()
    const settings = await settingsForUsed(dataDir)
    const origin = await start(settings).ready
    const at = (database: string) => {
      const url = new URL(databaseUrl(dataDir))
      url.pathname = `/${database}`
      return url.href
    }
    const clients: pg.Client[] = []
    onCleanup(async () => {
      for (const client of clients) await client.end()
    })
    const open = async (database: string) => {
      const client = await clientOf(at(database))
      clients.push(client)
      return client
    }
    return { dataDir, settings, origin, at, open, sanad: await open('sanad') }
  })
  .extend('mounted', async ({}, { onCleanup }) => {
    const folders: string[] = []
    onCleanup(() => folders.forEach((folder) => spawnSync('umount', ['--lazy', folder])))
    return (folder: string) => {
      const run = (...args: string[]) => {
        const { status, stderr } = spawnSync('mount', [...args, folder])
        if (status !== 0) throw new Error(String(stderr))
      }
      run('-t', 'tmpfs', '-o', 'size=1g', 'tmpfs')
      folders.push(folder)
      return {
        /** As many megabytes beside what is used. */
        leave(megabytes: number) {
          const { blocks, bfree, bsize } = statfsSync(folder)
          const bytes = (blocks - bfree) * bsize + megabytes * 1024 * 1024
          run('-o', `remount,size=${bytes}`)
        },
      }
    }
  })
  .extend('source', ({ served }) => sourceOf(served, PATIENTS))

async function sourceOf(
  { sanad, open, at }: Served,
  patients: number,
  cases?: typeof CASES,
): Promise<Source> {
  await sanad.query('create database hikma')
  const client = await open('hikma')
  const since = Date.now()
  await makeSource(client, patients, { cases })
  say(`Source of ${patients} patients made in ${seconds(since)}.`)
  return { client, url: at('hikma') }
}

const count = async (client: pg.Client, table: string) =>
  (await client.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n

/** The comparison, with each case met often enough. */
async function explained(source: pg.Client, target: pg.Client) {
  const since = Date.now()
  const { findings, unexplained, rules, counts } = await compare(source, target)
  const rows = Object.values(counts).reduce(
    (sum, { equal, changed, unplaced }) => sum + equal + changed + unplaced,
    0,
  )
  say(`Compared ${rows} rows in ${seconds(since)}: ${unexplained} unexplained differences.`)
  expect({ unexplained, findings: findings.slice(0, 20) }).toEqual({ unexplained: 0, findings: [] })
  return { rules, counts }
}

describe('npm run import -- hikma', () => {
  test(
    'brings a database with every awkward case over, and explains each difference by a rule',
    { timeout: isProof ? 4 * 3600_000 : 600_000 },
    async ({ served, source }) => {
      const { sanad, settings } = served
      if (isProof) {
        const before = await fingerprint(sanad)
        expect(await moveIn(source.url, settings, ['--dry-run']).end).toMatchObject({ code: 0 })
        expect(different(await fingerprint(sanad), before)).toEqual([])
      } else {
        const killed = moveIn(source.url, settings)
        await until(async () => (await count(sanad, 'visits')) > 0)
        killed.kill()
        expect((await killed.end).code).not.toBe(0)
      }
      const since = Date.now()
      const moved = await moveIn(source.url, settings).end
      expect(moved).toMatchObject({ code: 0 })
      say(`Moved in ${seconds(since)}, with ${moved.peak} MB at most.\n${moved.stdout}`)
      const { rules } = await explained(source.client, sanad)
      const rare = CASES.filter(
        ({ table, rule, atLeast = 20 }) =>
          rule && (rules[`${target(table)}: ${rule}`] ?? 0) < atLeast,
      )
      expect(rare.map(({ table, name }) => `${table} ${name}`)).toEqual([])

      if (isProof) {
        const after = await fingerprint(sanad)
        const again = Date.now()
        expect(await moveIn(source.url, settings).end).toMatchObject({ code: 0 })
        say(`Repeated without changes in ${seconds(again)}.`)
        expect(different(await fingerprint(sanad), after)).toEqual([])
      }
      secretsIn(served.dataDir, moved.stdout)
      await parallelWeek(served, source)
      await signIns(served)
      // a phone of the tests is slow with more records than a clinic's phone holds
      if (PATIENTS <= MOST_OF_A_PHONE) await phoneGoesOn(served, source)
      if (!isProof) await comparison(served, source)
    },
  )

  test.runIf(ROUNDS > 0)(
    'that is killed at random moments and repeated ends with the records of an uninterrupted one',
    { timeout: 600_000 + ROUNDS * 300_000 },
    async ({ served, source }) => {
      const whole = await fresh(served, 'whole')
      const since = Date.now()
      expect(await moveIn(source.url, whole.settings).end).toMatchObject({ code: 0 })
      const duration = Date.now() - since
      const expected = rowCounts(await fingerprint(whole.client, WHEN))
      const random = chance(1)
      let kills = 0
      for (let round = 0; round < ROUNDS; round += 1) {
        const cut = await fresh(served, `cut${round}`)
        for (;;) {
          const killed = moveIn(source.url, cut.settings)
          const timer = setTimeout(killed.kill, 300 + random.below(duration))
          const { code } = await killed.end
          clearTimeout(timer)
          if (code === 0) break
          expect(code).toBeNull()
          kills += 1
          // two kills in a round, then an undisturbed run
          if (kills % 2 === 0) {
            expect(await moveIn(source.url, cut.settings).end).toMatchObject({ code: 0 })
            break
          }
        }
        expect(rowCounts(await fingerprint(cut.client, WHEN))).toEqual(expected)
        await explained(source.client, cut.client)
        await cut.client.end()
        // refused while autovacuum, which is another user's, works there
        await until(() =>
          served.sanad.query(`drop database cut${round} with (force)`).then(
            () => true,
            () => false,
          ),
        )
      }
      say(
        `${ROUNDS} rounds, ${kills} kills: each ended with as many records as an uninterrupted move, 0 unexplained.`,
      )
    },
  )

  test.skipIf(isProof)(
    'says in one sentence what is wrong with the source, and goes on after a lost connection',
    async ({ served }) => {
      const { sanad, settings, at, open } = served
      const source = await sourceOf(served, FEW, [])
      for (const database of ['empty', 'lacking']) await sanad.query(`create database ${database}`)
      const lacking = await open('lacking')
      await lacking.query('create table clinics (id uuid); create table users (id uuid)')
      const wrongPassword = new URL(at('empty'))
      wrongPassword.password = 'wrong'
      const before = await fingerprint(sanad)
      const urls = [
        'postgres://hikma@127.0.0.1:1/none',
        wrongPassword.href,
        at('empty'),
        at('sanad'),
        at('lacking'),
      ]
      for (const url of urls) {
        const { code, stderr } = await moveIn(url, settings).end
        expect([url, code, stderr]).toEqual([
          url,
          expect.toBeOneOf([1, 2]),
          expect.stringMatching(
            /^(?:Usage: npm run import.*\n|[^\n]{15,400}\.\n)(?:See npm run import -- --help\n)?$/,
          ),
        ])
        expect(stderr).not.toMatch(/wrong@|:wrong/)
      }
      expect(different(await fingerprint(sanad), before)).toEqual([])

      await source.client
        .query(`drop table hh_unique, report_components, reports, education_content,
        device_pin_codes, devices, event_logs, dispensing_records, prescription_items,
        inventory_transactions, clinic_inventory, drug_batches, drug_catalogue;
      alter table patients drop column primary_clinic_id, drop column last_modified_by;
      alter table appointments drop column departments, drop column is_walk_in;
      alter table event_forms drop column translations, drop column clinic_ids;
      alter table events drop column recorded_by_user_id`)
      const proxy = await cuttingProxy(source.url, 100_000)
      const cut = await moveIn(proxy.url, settings).end
      proxy.close()
      expect([cut.code, sentences(cut.stderr)]).toEqual([
        1,
        [expect.stringMatching(/^[A-Z].{15,400}\.$/)],
      ])
      const { code, stdout } = await moveIn(source.url, settings).end
      expect(code).toBe(0)
      for (const name of ['drug_catalogue', 'departments', 'translations'])
        expect(stdout).toContain(name)
      expect(await count(sanad, 'patients')).toBe(FEW)
      expect(await count(sanad, 'visits')).toBeGreaterThan(0)
    },
    600_000,
  )
})

describe.runIf(isProof)('npm run import -- hikma into a data directory of its own', () => {
  const isRoot = process.getuid?.() === 0

  test(
    'goes on after the server of the source was killed',
    { timeout: 600_000 },
    async ({ served, source, start, temporaryDirectory }) => {
      const dataDir = temporaryDirectory()
      const settings = await settingsForUsed(dataDir)
      await start(settings).ready
      const sanad = await clientOf(databaseUrl(dataDir))
      const cut = moveIn(source.url, settings)
      await until(async () => (await count(sanad, 'patients')) > 0, 120_000)
      process.kill(postgresPid(served.dataDir), 'SIGQUIT')
      const { code, stderr } = await cut.end
      expect([code, sentences(stderr)]).toEqual([
        1,
        [expect.stringMatching(/^The connection to the Hikma database .* was lost\. .*again.*\.$/)],
      ])

      // the server that kept the source's database starts it again
      const again = await reconnected(served.at('hikma'))
      expect(await moveIn(served.at('hikma'), settings).end).toMatchObject({ code: 0 })
      await explained(again, sanad)
      await again.end()
      await sanad.end()
    },
  )

  // a small disk is a file system of its own, which only root can mount
  test.skipIf(!isRoot)(
    'goes on after the disk was full',
    { timeout: 600_000 },
    async ({ source, start, temporaryDirectory, mounted }) => {
      const dataDir = temporaryDirectory()
      const disk = mounted(dataDir)
      const settings = await settingsForUsed(dataDir)
      disk.leave(24)
      const full = await moveIn(source.url, settings).end
      expect([full.code, sentences(full.stderr)]).toEqual([
        1,
        [expect.stringMatching(/^The disk that holds .* is full: free some space on it, .*\.$/)],
      ])

      disk.leave(1_000)
      expect(await moveIn(source.url, settings).end).toMatchObject({ code: 0 })
      const server = start(settings)
      await server.ready
      const sanad = await clientOf(databaseUrl(dataDir))
      await explained(source.client, sanad)
      await sanad.end()
      server.child.kill('SIGTERM')
      await server.exit
    },
  )
})

/** What a command says beside its progress. */
const sentences = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !/^\w+(?:\.\w+)?: \d+ %/.test(line))

async function reconnected(url: string) {
  let client: pg.Client | undefined
  await until(async () => {
    client = await clientOf(url).catch(() => undefined)
    return client !== undefined
  }, 60_000)
  return client!
}

/** Another database of Sanad, with its tables. */
async function fresh({ dataDir, sanad, at, open }: Served, name: string) {
  await sanad.query(`create database ${name}`)
  const settings = { DATABASE_URL: at(name), SANAD_DATA_DIR: dataDir }
  // a wrong source: its tables are made all the same
  await moveIn('postgres://hikma@127.0.0.1:1/none', settings).end
  return { settings, client: await open(name) }
}

/** Of the records: ids that Sanad chooses and times of writing differ between two moves. */
const rowCounts = ({ audit_log: _, sync_rows: __, ...sums }: Record<string, string>) =>
  Object.fromEntries(Object.entries(sums).map(([table, sum]) => [table, sum.split(' ')[0]]))

const different = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys({ ...one, ...other }).filter((table) => one[table] !== other[table])

/** The table of Sanad in which the comparison counts a table of the source. */
const target = (table: string) =>
  ({ patient_registration_forms: 'registration_forms' })[table] ?? table

/** Secrets of the source are written nowhere; rows that were not taken only where the owner reads. */
function secretsIn(dataDir: string, stdout: string) {
  const paths = [...stdout.matchAll(/\/\S+\.ndjson/g)].map(([path]) => path)
  const kept = paths.length ? paths : [join(dataDir, 'imports', 'hikma-unplaced.ndjson')]
  expect(kept.filter((path) => existsSync(path)).length).toBeGreaterThan(0)
  for (const path of kept) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    expect(text).not.toMatch(/SECRET|\$2b\$/)
    for (const line of text.trimEnd().split('\n')) JSON.parse(line)
  }
  expect(stdout).not.toMatch(/SECRET|\$2b\$/)
}

type Served = {
  dataDir: string
  at: (database: string) => string
  settings: Record<string, string>
  sanad: pg.Client
  origin: string
  open: (database: string) => Promise<pg.Client>
}
type Source = { client: pg.Client; url: string }

const livePatients = (client: pg.Client) =>
  client
    .query<{ id: string }>(
      `select p.id from patients p where not p.is_deleted and p.primary_clinic_id is not null
         and p.created_at is not null and p.photo_url is null
       order by p.id limit 6`,
    )
    .then(({ rows }) => rows.map(({ id }) => id))

/** The old server stays in use: its changes come over, values that Sanad changed meanwhile stay. */
async function parallelWeek({ sanad, settings }: Served, source: Source) {
  const [one, both, mine, dead] = (await livePatients(source.client)) as [
    string,
    string,
    string,
    string,
  ]
  const web = (sql: string, values: unknown[]) =>
    sanad
      .query(`begin; set local sanad.via = 'web'`)
      .then(() => sanad.query(sql, values))
      .then(() => sanad.query('commit'))
  await source.client.query(
    `update patients set hometown = 'Moved', updated_at = now() where id = $1`,
    [one],
  )
  await source.client.query(
    `update patients set hometown = 'There', phone = '+1', updated_at = now() where id = $1`,
    [both],
  )
  await source.client.query(
    `update patients set is_deleted = true, deleted_at = now(), updated_at = now() where id = $1`,
    [dead],
  )
  await source.client.query(`update clinic_inventory set quantity_available = quantity_available + 7
    where id = (select id from clinic_inventory where quantity_available > 0 order by id limit 1)`)
  await web(`update patients set hometown = 'Here' where id = $1`, [both])
  await web(`update patients set hometown = 'Only here' where id = $1`, [mine])
  const {
    rows: [stocked],
  } = await source.client.query<{ batch_id: string; clinic_id: string; n: number }>(
    `select batch_id, clinic_id, quantity_available as n from clinic_inventory where quantity_available > 0
     order by id limit 1`,
  )

  const { code, stdout } = await moveIn(source.url, settings).end
  expect(code).toBe(0)
  const { rows } = await sanad.query<{
    id: string
    hometown: string
    phone: string
    is_deleted: boolean
  }>('select id, hometown, phone, is_deleted from patients where id = any ($1)', [
    [one, both, mine, dead],
  ])
  const of = (id: string) => rows.find((row) => row.id === id)
  expect(of(one)).toMatchObject({ hometown: 'Moved' })
  expect(of(both)).toMatchObject({ hometown: 'Here', phone: '+1' })
  expect(of(mine)).toMatchObject({ hometown: 'Only here' })
  expect(of(dead)).toMatchObject({ is_deleted: true })
  expect(stdout).toMatch(/changed on both sides/)
  const {
    rows: [stock],
  } = await sanad.query<{ n: number }>(
    'select quantity_available::int as n from clinic_inventory where batch_id = $1 and clinic_id = $2',
    [stocked!.batch_id, stocked!.clinic_id],
  )
  expect(stock).toEqual({ n: stocked!.n })
  const after = await fingerprint(sanad)
  expect(await moveIn(source.url, settings).end).toMatchObject({ code: 0 })
  expect(different(await fingerprint(sanad), after)).toEqual([])
}

/** A provider of the source whose password is bcrypt. */
const provider = (client: pg.Client) =>
  client
    .query<{ id: string; email: string }>(
      `select u.id, u.email from users u join credentials_bcrypt c on c.user_id = u.id
       join user_clinic_permissions p on p.user_id = u.id and p.can_view_history and p.can_edit_records
         and p.can_register_patients
       where not u.is_deleted and u.role = 'provider' group by u.id order by u.id`,
    )
    .then(({ rows }) => rows)

async function signIns({ sanad, origin }: Served) {
  const [user] = await provider(sanad)
  const signIn = (password: string) =>
    fetch(`${origin}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: user!.email.toUpperCase(), password }),
    })
  expect((await signIn('wrong')).status).toBe(401)
  expect(await count(sanad, `credentials_bcrypt where user_id = '${user!.id}'`)).toBe(1)
  expect((await signIn(PASSWORD)).status).toBe(200)
  expect(await count(sanad, `credentials_bcrypt where user_id = '${user!.id}'`)).toBe(0)
  const { rows } = await sanad.query<{ password: string }>(
    'select password from credentials where user_id = $1',
    [user!.id],
  )
  expect(rows[0]?.password).toMatch(/^\$argon2id\$/)
  const again = await signIn(PASSWORD)
  expect(again.status).toBe(200)
  // an administrator of the former server may know it
  const { token } = (await again.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${origin}/api/trpc/account.get`, { headers })).status).toBe(403)
}

/** A phone of the old server scans Sanad's code: it signs in with its password, and goes on. */
async function phoneGoesOn({ sanad, origin }: Served, source: Source) {
  const { rows } = await sanad.query<{
    id: string
    email: string
    patient: string
    clinic: string
  }>(
    `select u.id, u.email, p.id as patient, c.id as clinic
     from users u join credentials_bcrypt b on b.user_id = u.id
     join user_clinic_permissions r on r.user_id = u.id and r.can_view_history and r.can_register_patients
       and r.can_edit_records
     join clinics c on c.id = r.clinic_id and not c.is_archived
     join patients p on p.primary_clinic_id = c.id and not p.is_deleted and p.hometown like 'Village%'
     where u.role = 'provider' and not u.is_deleted order by u.id, p.id limit 1`,
  )
  const { email, patient, clinic } = rows[0]!
  const old = await startOldServer(source.client)
  const phone = new Phone(old.origin, email, PASSWORD)
  await phone.sync()
  await phone.update('patients', patient, { hometown: 'Typed before the move' })
  const made = await phone.create('patients', aPatient({ id: clinic }))
  const visit = await phone.create('visits', {
    patient_id: made,
    clinic_id: clinic,
    provider_id: rows[0]!.id,
    provider_name: 'Amal',
    check_in_timestamp: Date.UTC(2026, 5, 1),
  })
  old.stop()
  // as the last run of the import, after the last syncs with the former server
  await sanad.query(`insert into import_runs (source, run) values ('hikma', 1000)`)
  phone.origin = origin
  await phone.sync()
  await phone.sync()
  const { rows: arrived } = await sanad.query<{ hometown: string }>(
    'select hometown from patients where id = $1 and exists (select from visits where id = $2)',
    [patient, visit],
  )
  expect(arrived).toEqual([{ hometown: 'Typed before the move' }])
  expect(await count(sanad, 'sync_conflicts')).toBe(0)
  expect(await count(sanad, 'sync_quarantine')).toBe(0)
  expect(await phone.find('patients', patient)).toMatchObject({ hometown: 'Typed before the move' })
}

type Reported = {
  findings: object[]
  columns: Record<
    string,
    Record<string, { state: string; different: number; source: object; sanad: object }>
  >
}

/** `--compare` tells what was changed in Sanad from what the import should have brought. */
async function comparison({ settings }: Served, source: Source) {
  const compared = async () => {
    const { code, stdout, stderr } = await moveIn(source.url, settings, ['--compare']).end
    const [, path = ''] = /^Report: (\S+\.json)/m.exec(stdout) ?? []
    return { code, stdout, stderr, ...(JSON.parse(readFileSync(path, 'utf8')) as Reported) }
  }
  const right = await compared()
  expect([right.findings, right.stderr, right.stdout, right.code]).toEqual([
    [],
    '',
    expect.stringMatching(
      /^0 unexplained differences, [1-9]\d* in rows that were changed in Sanad\.$/m,
    ),
    0,
  ])
  const equal = Object.values(right.columns)
    .flatMap((columns) => Object.values(columns))
    .filter(({ state }) => state === 'equal')
  expect(equal.length).toBeGreaterThan(50)
  for (const column of equal) expect(column.sanad).toEqual(column.source)

  await source.client.query(`update patients set camp = 'Elsewhere'
    where id = (select id from patients where government_id like 'GOV-29%' order by id limit 1)`)
  const wrong = await compared()
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringMatching(/^1 unexplained difference/m),
  ])
  expect(wrong.columns['patients']?.['camp']).toMatchObject({ state: 'different', different: 1 })
}
