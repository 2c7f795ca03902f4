import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyObject } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { type EmbeddedPostgres, startEmbedded } from '~/db/embedded.server'
import { bundledMigrations, LAST_BEFORE_RELEASES, migrate } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { check, writeBackup } from '~/server/backup.server'
import { checksum, readBackup } from '~/server/backup-contents'
import { LEFT_OUT, SECRET_TABLES } from '~/server/backup-secrets'
import { sign } from '~/server/backup-sign'
import { type ArchiveEntry, readTarEntries, writeTar } from '~/server/backup-tar'
import { ownFingerprint, signingKey } from '~/server/instance-key.server'
import { restoreBackup } from '~/server/restore.server'
import { verifyBackup } from '~/server/verify-backup.server'
import { storageIn } from '~/server/storage.server'
import { newestBlock, sealTrails } from '~/server/trail/seal.server'
import { sealText } from '~/server/trail/trails'
import { newId } from '~/shared/id'
import { built } from '../built'
import { addCredentials, addPatient, connected, rowsOf } from './backup'
import { settingsFor, test, until } from './sanad'

/**
 * A PostgreSQL for this file; each test makes databases of its own in it, most of them as copies of
 * one with our tables.
 */
let folder: string
let server: EmbeddedPostgres
/** Like a new database of this version; others are copies of it. */
let migrated: { url: string; name: string }
beforeAll(async () => {
  process.env['SANAD_SECRET'] = 'the instance key of this file of tests'
  folder = mkdtempSync(join(tmpdir(), 'sanad-backup-'))
  // nothing here outlives the machine
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']
  server = await startEmbedded(openDataDirectory(join(folder, 'data')), { settings })
  const { url } = await aPlace()
  await migrate(url)
  migrated = { url, name: new URL(url).pathname.slice(1) }
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A closed report with one cell of three rows. */
const CLOSED_REPORT = `
  insert into report_definitions (id, code, body) values (gen_random_uuid(), 'closed', '{"names": {"en": "Closed"}}');
  insert into report_runs (id, definition_id, version, clinic_ids, period, starts_at, ends_at, zone)
    select gen_random_uuid(), id, version, array[gen_random_uuid()], '2026-09', '2026-09-01', '2026-10-01', 'UTC'
    from report_definitions;
  insert into report_cells (run_id, section, row_id, column_id, value, row_count, rows_hash, row_ids)
    select id, 'acute', 'malaria', 'total', 3, 3, sha256('rows'),
      array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()]
    from report_runs`

const SECRETS = `select (select count(*) from credentials) as passwords,
  (select count(*) from second_factors) as factors, (select count(*) from recovery_codes) as codes,
  (select count(*) from app_passwords where revoked_at is null) as phones`

const WAITING_MESSAGES = `
  insert into contact_consents (id, patient_id, channel, agreed, wording_version)
    select gen_random_uuid(), id, 'sms', true, 1 from patients;
  insert into messages (id, patient_id, item_id, program, schedule_code, due_on, clinic_id, channel, language,
      phone, body, zone, state, due_at, accepted_at)
    select gen_random_uuid(), p.id, gen_random_uuid(), program, 'htn-review', '2026-10-01', c.id, 'sms', 'en',
      '+963944123456', 'Come.', 'UTC', state, '2026-10-02 12:00Z',
      case state when 'sent' then now() end
    from (select id from patients limit 1) p, (select id from clinics limit 1) c,
      (values ('hypertension', 'queued'), ('diabetes', 'sent')) waiting (program, state)`

test('a restore brings back every row, stamp, file and the history, and numbers continue', async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  await rowsOf(
    from.url,
    `insert into access_log (at, via, operation, outcome, request_id, patient_ids)
     select now() - make_interval(months => ago), 'web', 'patients.get', 'shown', '', array[gen_random_uuid()]
     from generate_series(0, 5) ago`,
  )
  await rowsOf(from.url, 'select keep_access_log_months()')
  await rowsOf(from.url, CLOSED_REPORT)
  const seal = await sealed(from.url)
  const file = join(folder, `${newId()}.backup`)
  const written = await writeBackup(from.url, from.storage, file)
  expect(await check(file)).toEqual(written)
  expect(await sealIn(file)).toBe(seal)
  const restored = await restoreBackup(to.url, to.storage, file)

  expect(restored).toMatchObject({ rows: written.rows, files: 2, migrations: [] })
  const before = await sumsOf(from.url)
  expect(Object.keys(before).length).toBeGreaterThan(20)
  // one more row, which records the restore, and a new epoch of the trail
  const { audit_log: _, audit_epochs: __, ...same } = before
  expect(await sumsOf(to.url)).toMatchObject(same)
  expect(await rowsOf(to.url, `select action from audit_log order by id desc limit 1`)).toEqual([
    { action: 'backups.restore' },
  ])
  // a closed report reads the same
  const report = `select to_jsonb(run) as run, to_jsonb(cell) as cell from report_runs run join report_cells cell
    on cell.run_id = run.id`
  expect(await rowsOf(to.url, report)).toEqual(await rowsOf(from.url, report))
  expect(await rowsOf(to.url, report)).toHaveLength(1)
  for (const name of from.files)
    expect(await to.storage.get(name)).toEqual(await from.storage.get(name))

  // the rules, the triggers and the foreign keys are all there again
  expect(await schemaOf(to.url)).toEqual(await schemaOf(from.url))
  await addPatient(to.url)
  expect(
    await rowsOf(to.url, `select count(*) from audit_log where table_name = 'patients'`),
  ).toEqual([{ count: 4 }])

  // the seals match; later entries are in a new epoch, in which numbers of transactions start again
  await sealed(to.url)
  const options = { PATH: process.env['PATH'], ...(await settingsFor(join(folder, newId()))) }
  const verify = (...flags: string[]) =>
    spawnSync(process.execPath, [built('commands/admin.js'), 'verify-audit', ...flags], {
      env: { ...options, DATABASE_URL: to.url },
      encoding: 'utf8',
    })
  const { status, stdout } = verify('--hash', seal)
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('match') })
  const newest = /^ {2}(\d+-[0-9a-f]{64})$/m.exec(stdout)![1]!
  expect(await rowsOf(to.url, `select distinct epoch from audit_log order by 1`)).toEqual([
    { epoch: 0 },
    { epoch: 1 },
  ])

  await rowsOf(
    to.url,
    `alter table audit_log disable trigger user;
     update audit_log set user_id = gen_random_uuid() where id = (select min(id) from audit_log);
     alter table audit_log enable trigger user`,
  )
  expect(verify()).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The first block that does not match is block 1 of audit_log .* changed/,
    ),
  })
  // the owner of the database seals everything again: the chain does not contain the printed seal
  await rowsOf(to.url, `alter table audit_blocks disable trigger user; delete from audit_blocks`)
  await sealed(to.url)
  expect(verify()).toMatchObject({ status: 0 })
  expect(verify('--hash', newest)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/rewritten|cut off/),
  })
  expect(verify('--hash', 'secret')).toMatchObject({ status: 2 })
})

test('a backup that is made while others write is of one moment', async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  const file = join(folder, `${newId()}.backup`)
  const end = new AbortController()
  let written = 0
  const writer = (async () => {
    for (; !end.signal.aborted; written += 1) await addPatient(from.url, true)
  })()
  await until(() => written > 3)
  await writeBackup(from.url, from.storage, file)
  end.abort()
  await writer
  await restoreBackup(to.url, to.storage, file)
  // each transaction of the writer adds to three tables
  const [moment] = await rowsOf<{ patients: number; visits: number; trail: number }>(
    to.url,
    `select (select count(*) from patients) as patients, (select count(*) from visits) + 3 as visits,
      (select count(*) from audit_log where table_name = 'patients') as trail`,
  )
  expect(moment!.patients).toBeGreaterThan(5)
  expect(moment).toEqual({
    patients: moment!.patients,
    visits: moment!.patients,
    trail: moment!.patients,
  })
})

test('an encrypted backup opens with its passphrase alone, and holds the credentials', async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  await addCredentials(from.url)
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file, { passphrase: 'الليل طويل 2026' })
  expect(readFileSync(file).includes('Mansour')).toBe(false)
  await expect(restoreBackup(to.url, to.storage, file)).rejects.toThrow(/its passphrase is needed/)
  await expect(
    restoreBackup(to.url, to.storage, file, { passphrase: 'something else' }),
  ).rejects.toThrow('That is not the passphrase of this backup.')
  expect(await rowsOf(to.url, `select to_regclass('patients') as there`)).toEqual([{ there: null }])
  await restoreBackup(to.url, to.storage, file, { passphrase: 'الليل طويل 2026' })
  expect(await rowsOf(to.url, 'select count(*) from patients')).toEqual([{ count: 3 }])
  expect(await rowsOf(to.url, SECRETS)).toEqual([{ passwords: 1, factors: 1, codes: 1, phones: 1 }])
  expect(
    await rowsOf(to.url, 'select convert_from(value, $$utf8$$) as key from instance_keys'),
  ).toEqual([{ key: process.env['SANAD_SECRET'] }])
})

test('a place where no file can be is refused in one sentence, and nothing is left there', async () => {
  const { url, storage } = await aClinic()
  const place = mkdtempSync(join(folder, 'place-'))
  const letter = join(place, 'letter')
  writeFileSync(letter, 'Dear Amal')
  for (const [file, why] of [
    [join(place, 'nowhere', 'monday.backup'), 'its folder does not exist'],
    [join(letter, 'monday.backup'), 'its folder is a file'],
    [place, 'that is a folder: name a file in it'],
  ] as const) {
    await expect(writeBackup(url, storage, file)).rejects.toThrow(
      new Refusal(`${file} cannot be written: ${why}.`),
    )
  }
  expect(readdirSync(place)).toEqual(['letter'])
  expect(existsSync(`${place}.unfinished`)).toBe(false)
})

describe('a backup that is not whole is refused, and nothing changes', () => {
  test.for([{ passphrase: undefined }, { passphrase: 'a passphrase' }])(
    '%o',
    async ({ passphrase }) => {
      const [from, here] = [await aClinic(), await aClinic()]
      const file = join(folder, `${newId()}.backup`)
      const { bytes } = await writeBackup(from.url, from.storage, file, { passphrase })
      const sums = await sumsOf(here.url)
      const spoilt = async (spoil: (path: string) => void) => {
        const copy = join(folder, newId())
        writeFileSync(copy, readFileSync(file))
        spoil(copy)
        await expect(
          restoreBackup(here.url, here.storage, copy, { passphrase, replace: true }),
        ).rejects.toThrow(
          'The backup is damaged, was changed, or its end is missing: nothing of it can be relied on.',
        )
      }
      await spoilt((path) => truncateSync(path, bytes - 20))
      await spoilt((path) => truncateSync(path, Math.floor(bytes / 2)))
      await spoilt((path) => {
        const all = readFileSync(path)
        all[Math.floor(bytes / 2)]! ^= 1
        writeFileSync(path, all)
      })
      expect(await sumsOf(here.url)).toEqual(sums)
      for (const name of here.files) expect(await here.storage.get(name)).not.toBeNull()
    },
  )

  test('nor is any other file', async () => {
    const here = await aPlace()
    const file = join(folder, 'letter')
    writeFileSync(file, 'Dear Amal')
    await expect(restoreBackup(here.url, here.storage, file)).rejects.toThrow(
      /is not a backup of Sanad\.$/,
    )
    await expect(restoreBackup(here.url, here.storage, join(folder, 'nowhere'))).rejects.toThrow(
      /^There is no file/,
    )
  })
})

test('a backup of a newer version, and of one before the first release, is refused', async () => {
  const { url, storage } = await aClinic()
  const names = Object.keys(bundledMigrations).toSorted()
  const last = names.at(-1)!
  const forgotten = bundledMigrations[last]!
  const current = join(folder, `${newId()}.backup`)
  await writeBackup(url, storage, current)
  delete bundledMigrations[last]
  try {
    await expect(restoreBackup(url, storage, current, { replace: true })).rejects.toThrow(
      /made by a newer version of Sanad/,
    )
  } finally {
    bundledMigrations[last] = forgotten
  }
  await rewrite(current, (entry) =>
    entry.name === 'database.json'
      ? changed(entry, (facts: { migrations: object[] }) => {
          facts.migrations = [{ name: '0001_kernel', checksum: 'x' }]
        })
      : entry,
  )
  await expect(restoreBackup(url, storage, current, { replace: true })).rejects.toThrow(
    `The last commit that does is ${LAST_BEFORE_RELEASES}`,
  )
  expect(await rowsOf(url, 'select count(*) from patients')).toEqual([{ count: 3 }])
})

const EARLIER = 'notes/0198f3a0-0000-7000-8000-000000000000.txt'

test('a restore that cannot remove an earlier file has begun its epoch once all the same', async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file)
  const epochs = 'select count(*) from sync_epochs'
  const [before] = await rowsOf<{ count: number }>(from.url, epochs)
  await to.storage.put(EARLIER, Buffer.from('x'))
  const storage = {
    ...to.storage,
    remove() {
      throw new Error('read-only')
    },
  }
  await expect(restoreBackup(to.url, storage, file)).rejects.toThrow('read-only')
  for (const start of [1, 2]) {
    await migrate(to.url)
    expect([start, await rowsOf(to.url, epochs)]).toEqual([start, [{ count: before!.count + 1 }]])
  }
  expect(
    await rowsOf(to.url, `select count(*) from audit_log where action = 'backups.restore'`),
  ).toEqual([{ count: 1 }])
})

/** One restore of what the next tests look at. */
const lookedInto = once(async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  await rowsOf(
    from.url,
    `update patients set surname = 'Rahal', sex = 'male' where surname = 'Mansour';
     update sync_rows set born = null where table_name = 'clinics'`,
  )
  await addCredentials(from.url)
  await rowsOf(from.url, WAITING_MESSAGES)
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file)
  await restoreBackup(to.url, to.storage, file)
  return { from, to, file }
})

describe('after a restore', () => {
  test('each row and edited column is of the transaction that began the epoch', async () => {
    const { from, to } = await lookedInto()
    type Stamped = { row_id: string; born: string | null; columns: Record<string, number> }
    const rows = (url: string) =>
      rowsOf<Stamped>(url, 'select row_id, born::text, columns from sync_rows order by row_id')
    const [{ xid }] = (await rowsOf<{ xid: string }>(
      to.url,
      `select (pg_snapshot_xmin(snapshot)::text::bigint - 1)::text as xid from sync_epochs
       order by id desc limit 1`,
    )) as [{ xid: string }]
    const stamped = (await rows(from.url)).map(({ row_id, born, columns }) => ({
      row_id,
      born: born === null ? null : xid,
      columns: Object.fromEntries(Object.keys(columns).map((column) => [column, Number(xid)])),
    }))
    expect(await rows(to.url)).toEqual(stamped)
    expect(stamped.map(({ columns }) => Object.keys(columns))).toContainEqual(
      expect.arrayContaining(['sex', 'surname']),
    )
    expect(
      await rowsOf(
        to.url,
        `select 'row' as of, xid::text from sync_rows group by 2
         union all select 'link', changed_xid::text from patient_links group by 2`,
      ),
    ).toEqual([
      { of: 'row', xid },
      { of: 'link', xid },
    ])
  })

  test('no credentials are there without a passphrase, and app passwords are revoked', async () => {
    const { to, file } = await lookedInto()
    const text = Buffer.concat((await entriesIn(file)).map(({ bytes }) => bytes)).toString('latin1')
    expect(text).toContain('amal@clinic.example')
    expect(text).not.toContain('argon2id')
    expect(text).not.toContain('5ec0de')
    expect(text).not.toContain(process.env['SANAD_SECRET'])
    for (const table of SECRET_TABLES) expect(text).not.toContain(`tables/${table}/`)
    expect(await rowsOf(to.url, SECRETS)).toEqual([
      { passwords: 0, factors: 0, codes: 0, phones: 0 },
    ])
    expect(await rowsOf(to.url, 'select name from app_passwords')).toEqual([{ name: 'Ward phone' }])
  })

  test('messages that waited are not sent: they may have been sent since', async () => {
    const { to } = await lookedInto()
    expect(
      await rowsOf(to.url, 'select state, error, gateway, due_at from messages order by state'),
    ).toEqual([
      { state: 'failed', error: 'expired', gateway: 'unknown', due_at: null },
      { state: 'sent', error: null, gateway: null, due_at: expect.any(Date) },
    ])
  })
})

test('files of a backup that cannot be restored are removed again, and earlier ones stay', async () => {
  const [from, to] = [await aClinic(), await aPlace()]
  await to.storage.put(EARLIER, Buffer.from('x'))
  await rowsOf(
    from.url,
    `insert into schema_migrations (name, checksum) values ('9999_later', 'other')`,
  )
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file)
  expect((await check(file)).files).toBeGreaterThan(0)
  await expect(restoreBackup(to.url, to.storage, file)).rejects.toThrow(/newer version of Sanad/)
  const left: string[] = []
  for await (const name of to.storage.list()) left.push(name)
  expect(left).toEqual([EARLIER])
})

describe('a backup contributes only rows', () => {
  const evil = 'create table evil ()'
  const isEvil = `select to_regclass('evil') is not null as evil`

  test('it holds no SQL, rows that are statements are not run, and only a trusted key may have signed it', async () => {
    const [from, to] = [await aClinic(), await aPlace()]
    const file = join(folder, `${newId()}.backup`)
    await rowsOf(
      from.url,
      `update schema_in_force set drops = array['${evil}'], checksum = 'other'`,
    )
    await writeBackup(from.url, from.storage, file)
    expect((await entriesIn(file)).filter(({ name }) => /sql|schema_|instance/.test(name))).toEqual(
      [],
    )
    // it needs the key of this machine, or one whose fingerprint the user has compared
    await rewrite(file, (entry) => entry, { key: signingKey(Buffer.alloc(32, 7)) })
    const other = (await check(file)).fingerprint!
    expect(other).toMatch(/^([\da-f]{4}-){9}[\da-f]{4}$/)
    for (const trust of [undefined, ownFingerprint()!])
      await expect(restoreBackup(to.url, to.storage, file, { trust })).rejects.toThrow(
        `The backup is signed with the key ${other}, which this machine does not know.`,
      )
    await restoreBackup(to.url, to.storage, file, { trust: other.toUpperCase() })
    expect(await rowsOf(to.url, 'select count(*) from patients')).toEqual([{ count: 3 }])
    expect(await rowsOf(to.url, isEvil)).toEqual([{ evil: false }])
    expect(await schemaOf(to.url)).toEqual(await schemaOf(migrated.url))
  })

  test.for([
    ['schema_migrations", "x', 'id', /rows of a table "schema_migrations", "x"/],
    ['pg_authid', 'rolname', /rows of a table "pg_authid"/],
    [
      'patients',
      'given_name) from program $$touch /tmp/evil$$; --',
      /a column "given_name\) from program/,
    ],
  ] as const)(
    'rows of unknown tables and columns are refused: %s',
    async ([table, column, why]) => {
      const [from, here] = [await aClinic(), await aPlace()]
      const file = join(folder, `${newId()}.backup`)
      await writeBackup(from.url, from.storage, file)
      await rewrite(file, (entry) =>
        entry.name === 'database.json'
          ? changed(entry, (facts: { tables: object[] }) => {
              facts.tables.push({ name: table, columns: [column] })
            })
          : entry,
      )
      await expect(restoreBackup(here.url, here.storage, file)).rejects.toThrow(why)
      expect(await rowsOf(here.url, `select to_regclass('patients') as there`)).toEqual([
        { there: null },
      ])
    },
  )
})

describe('a backup without a passphrase is signed', () => {
  test('a change of any bit is detected', async () => {
    const here = await aClinic()
    const file = join(folder, `${newId()}.backup`)
    const { bytes } = await writeBackup(here.url, here.storage, file)
    const whole = readFileSync(file)
    // the head of gzip, the text, the end of gzip, and all of the signature
    const places = [2, 3, 4, 8, 9, 10, ...Array.from({ length: 20 }, (_, i) => (i * bytes) >> 5)]
    const last = Array.from({ length: 175 }, (_, i) => bytes - 1 - i)
    for (const place of [...places.filter((at) => at > 1), ...last]) {
      const copy = Buffer.from(whole)
      copy[place]! ^= 1 << (place % 8)
      writeFileSync(file, copy)
      await expect(check(file), `byte ${place}`).rejects.toThrow(/^The backup is damaged/)
    }
    writeFileSync(file, whole)
    expect(await check(file)).toMatchObject({ bytes, fingerprint: ownFingerprint() })
  })

  test('a changed number does not turn it into a backup of an earlier, unsigned version', async () => {
    const here = await aClinic()
    const file = join(folder, `${newId()}.backup`)
    await writeBackup(here.url, here.storage, file)
    for (const format of [1, 2]) {
      const renumber = (entry: ArchiveEntry) =>
        entry.name === 'backup.json'
          ? changed(entry, (facts: object) => ({ ...facts, format }))
          : entry
      await rewrite(file, renumber, { isSigned: false })
      await expect(check(file)).rejects.toThrow(/^The backup is damaged.*did not sign its backups/)
    }
    // nor does a signed one bring SQL along
    await rewrite(file, ({ name, bytes }) => ({ name: name.replace('tables/', 'schema/'), bytes }))
    await expect(check(file)).rejects.toThrow(/^The backup is damaged/)
  })
})

test('verifying restores into a database of its own, names tables that differ, and leaves nothing', async () => {
  const { url, storage } = await aClinic()
  const databases = 'select datname from pg_database order by 1'
  const before = await rowsOf(url, databases)
  const file = join(folder, `${newId()}.backup`)
  const { rows } = await writeBackup(url, storage, file)
  expect(await verifyBackup(url, file, {})).toMatchObject({ rows, files: 2 })
  await rewrite(file, (entry) =>
    entry.name === 'end.json'
      ? changed(entry, (end: { sums: Record<string, string> }) => {
          end.sums['clinics'] = end.sums['patients']!
        })
      : entry,
  )
  await expect(verifyBackup(url, file, {})).rejects.toThrow(
    'The restored records are not those of the backup: the rows of clinics differ.',
  )
  expect(await rowsOf(url, databases)).toEqual(before)
  expect(await rowsOf(url, 'select count(*) from patients')).toEqual([{ count: 3 }])
})

test('a restore among records asks first, and with --replace leaves nothing of them', async () => {
  const [from, here] = [await aClinic(), await aClinic()]
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file)
  await expect(restoreBackup(here.url, here.storage, file)).rejects.toThrow(
    /There are records here already/,
  )
  await restoreBackup(here.url, here.storage, file, { replace: true })
  const { audit_log: _, audit_epochs: __, ...same } = await sumsOf(from.url)
  expect(await sumsOf(here.url)).toMatchObject(same)
  for (const name of here.files) expect(await here.storage.get(name)).toBeNull()
})

test('tables that are not of Sanad are left alone', async () => {
  const [from, here] = [await aClinic(), await aPlace()]
  const file = join(folder, `${newId()}.backup`)
  await writeBackup(from.url, from.storage, file)
  await rowsOf(here.url, 'create table songs (title text)')
  await expect(restoreBackup(here.url, here.storage, file)).rejects.toThrow(
    /tables that are not of Sanad/,
  )
})

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** A database, empty unless it is to be like another, and a folder for its files. */
async function aPlace(like = 'template1') {
  const name = `place_${newId().replaceAll('-', '')}`
  await rowsOf(server.ownerUrl, `create database ${name} template ${like}`)
  const url = new URL(server.ownerUrl)
  url.pathname = `/${name}`
  return { url: url.href, storage: storageIn(join(folder, name)) }
}

/** The entries of a backup without a passphrase. */
async function entriesIn(file: string): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = []
  const archive = gunzipSync(readFileSync(file))
  for await (const entry of readTarEntries([archive] as never)) entries.push(entry)
  return entries
}

type Rewriting = { key?: KeyObject; isSigned?: boolean }

/** Writes a backup with other entries, whole and, unless it is of an earlier version, signed. */
async function rewrite(
  file: string,
  change: (entry: ArchiveEntry) => ArchiveEntry,
  { key = signingKey(), isSigned = true }: Rewriting = {},
) {
  const sum = checksum()
  const entries = (await entriesIn(file)).map((entry) => {
    const made =
      entry.name === 'end.json'
        ? changed(change(entry), (end: object) => ({ ...end, sha256: sum.digest() }))
        : change(entry)
    sum.add(made)
    return made
  })
  const tar = writeTar(
    (async function* () {
      yield* entries
    })(),
  )
  const parts: Uint8Array[] = []
  const archive = (async function* () {
    const pieces: Buffer[] = []
    for await (const piece of tar) pieces.push(piece)
    yield gzipSync(Buffer.concat(pieces))
  })()
  for await (const part of isSigned ? sign(archive, key) : archive) parts.push(part)
  writeFileSync(file, Buffer.concat(parts))
}

function changed<T>({ name, bytes }: ArchiveEntry, change: (value: T) => T | void): ArchiveEntry {
  const value = JSON.parse(bytes.toString()) as T
  return { name, bytes: Buffer.from(JSON.stringify(change(value) ?? value)) }
}

async function aClinic() {
  const place = await aPlace(migrated.name)
  for (let i = 0; i < 3; i += 1) await addPatient(place.url)
  const files = [`photos/${newId()}.jpg`, `photos/${newId()}.jpg`]
  for (const name of files) await place.storage.put(name, Buffer.from(`a picture ${name}`))
  return { ...place, files }
}

/** Seals both trails of a database. Returns the newest seal. */
async function sealed(url: string): Promise<string> {
  const db = connect(url)
  try {
    await sealTrails(db)
    return sealText((await newestBlock(db))!)
  } finally {
    await db.destroy()
  }
}

/** The newest seal that a backup's manifest names. */
const sealIn = (file: string) =>
  readBackup(file, {}, async (parts) => {
    let seal: string | undefined
    for await (const part of parts) if (part.is === 'database') seal = part.facts.seal
    return seal
  })

/**
 * Of each table that a backup holds: how many rows, and one number for all that they say. Not of
 * what sync knows of phones: a restored database begins anew with them.
 */
async function sumsOf(url: string) {
  const client = await connected(url)
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     and not relname like any('{${LEFT_OUT.join(',')}}') order by 1`,
  )
  const sums: Record<string, unknown> = {}
  for (const { name } of tables.filter((table) => !table.name.startsWith('sync_'))) {
    // a restore gives the versions of the form a transaction of its own
    const xid = name === 'registration_form_columns' ? ` - 'xid'` : ''
    const { rows } = await client.query(
      `select count(*), md5(string_agg(row, '' order by row)) as sum
       from (select md5((to_jsonb(t) - 'changed_xid'${xid})::text) as row from ${name} t) rows`,
    )
    sums[name] = rows[0]
  }
  await client.end()
  return sums
}

/** Everything that a schema consists of, in words. */
const schemaOf = (url: string) =>
  rowsOf(
    url,
    `select 'column' as is, table_name || '.' || column_name as name,
       data_type || coalesce(column_default, '') || is_nullable as says
     from information_schema.columns where table_schema = 'public'
       -- the default of a trail's epoch is the epoch
       and column_name <> 'epoch'
     union all
     select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
     from pg_constraint where connamespace = 'public'::regnamespace
     union all
     select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
     union all
     select 'trigger', tgrelid::regclass || '.' || tgname,
       pg_get_triggerdef(oid) || tgenabled::text
     from pg_trigger where not tgisinternal
     union all
     select 'routine', oid::regprocedure::text, prosrc
     from pg_proc where pronamespace = 'public'::regnamespace
     order by 1, 2, 3`,
  )
