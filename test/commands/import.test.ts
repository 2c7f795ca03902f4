import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { built } from '../built'
import { databaseUrl, freePort, isReady, settingsForUsed, test as base, until } from './sanad'
import { writeSynthea } from './synthea-export'

const CLINIC = '01900000-0000-7000-8000-0000000000c1'

type Ended = { code: number | null; stdout: string; stderr: string }
type Command = { kill: (signal: NodeJS.Signals) => void; end: Promise<Ended> }

/** Really runs a command, as npm does it. */
function run(
  command: 'import' | 'seed',
  args: string[],
  settings: Record<string, string | undefined> = {},
): Command {
  const child = spawn(process.execPath, [built(`commands/${command}.js`), ...args], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (said.stdout += String(text)))
  child.stderr.on('data', (text) => (said.stderr += String(text)))
  const end = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, ...said })),
  )
  return { kill: (signal) => void child.kill(signal), end }
}

/** A server that runs, with one clinic. */
const test = base.extend('served', async ({ start, temporaryDirectory }, { onCleanup }) => {
  const dataDir = temporaryDirectory()
  const settings = await settingsForUsed(dataDir)
  const sanad = start(settings)
  await sanad.ready
  const client = new pg.Client(databaseUrl(dataDir))
  client.on('error', () => {})
  await client.connect()
  onCleanup(() => client.end())
  await client.query(`insert into clinics (id, name) values ($1, 'Riverside')`, [CLINIC])
  return { settings, dataDir, client }
})

const count = async (client: pg.Client, table: string) =>
  (await client.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n

const STAMPS = [
  'last_modified',
  'server_created_at',
  'created_at',
  'updated_at',
  'since',
  'changed_xid',
]

/** Everything that an import writes, but for when it was written. */
const contents = async (client: pg.Client) => {
  const rows = []
  for (const table of [
    'patients',
    'visits',
    'patient_vitals',
    'patient_problems',
    'patient_links',
  ]) {
    const { rows: found } = await client.query<{ n: number; sum: string }>(
      `select count(*)::int as n, md5(string_agg(line, '' order by line)) as sum from (
         select (to_jsonb(t) - '{${STAMPS.join()}}'::text[])::text as line from ${table} t) lines`,
    )
    rows.push([table, found[0]])
  }
  return rows
}

describe.concurrent('npm run import', () => {
  test('explains itself, and refuses what it does not know with exit code 2', async ({
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    writeSynthea(folder, 1)
    const wrong = [
      [[], /^Which kind\?/],
      [['fhir'], /^There is no kind "fhir"/],
      [['synthea'], /^Usage: npm run import -- synthea <folder>/],
      [['synthea', folder], /^Name the clinic/],
      [['synthea', folder, '--klinic', 'x'], /Unknown option '--klinic'/],
      [
        ['patients', 'x.csv', '--clinic', 'x', '--map', 'Name'],
        /^--map takes a column and a field/,
      ],
      [
        ['patients', 'x.csv', '--clinic', 'x', '--date-format', 'D/M/Y'],
        /^--date-format must be one of YYYY-MM-DD/,
      ],
    ] as const
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await run('import', [...args]).end
      expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
    }
    for (const args of [['--help'], ['patients', '--help'], ['synthea', '--help']]) {
      const { code, stdout } = await run('import', args).end
      expect([code, stdout]).toEqual([0, expect.stringContaining('npm run import')])
    }
  })

  test('says in one sentence what is wrong with a folder, a file or a clinic', async ({
    served,
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    const people = join(folder, 'people.csv')
    writeFileSync(people, 'Blood group\nA+\n')
    const synthea = join(folder, 'synthea')
    writeSynthea(synthea, 1)
    const wrong = [
      [
        ['synthea', folder, '--clinic', 'Riverside'],
        /does not contain patients\.csv, so it is not a Synthea CSV export\n$/,
      ],
      [
        ['synthea', join(folder, 'none'), '--clinic', 'Riverside'],
        /does not contain patients\.csv/,
      ],
      [
        ['synthea', synthea, '--clinic', 'Hillside'],
        /^Clinic not found: "Hillside"\. There is "Riverside"\.\n$/,
      ],
      [
        ['patients', join(folder, 'none.csv'), '--clinic', 'Riverside'],
        /cannot be read \(there is none\)\.\n$/,
      ],
      [
        ['patients', people, '--clinic', 'Riverside'],
        /requires “Given name”, but no column is matched to it\n$/,
      ],
    ] as const
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await run('import', [...args], served.settings).end
      expect([code, stderr.split('\n').length, stderr]).toEqual([
        1,
        2,
        expect.stringMatching(sentence),
      ])
    }
    expect(await count(served.client, 'patients')).toBe(0)
  })

  test('that is killed in the middle and run again brings the same as one that was never interrupted', async ({
    served: { settings, dataDir, client },
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    writeSynthea(folder, 150)
    const args = ['synthea', folder, '--clinic', CLINIC]

    const killed = run('import', args, settings)
    await until(async () => (await count(client, 'visits')) > 0)
    killed.kill('SIGKILL')
    expect((await killed.end).code).not.toBe(0)
    const before = await count(client, 'visits')
    expect(before).toBeLessThan(150 * 22)

    const again = await run('import', args, settings).end
    expect(again).toMatchObject({ code: 0 })
    expect(again.stdout).toContain('patients.csv: 150 rows: 0 imported, 150 already here')
    expect(again.stdout).toMatch(
      /observations\.csv: 5,400 rows: [\d,]+ imported \(as [\d,]+ sets of vital signs\)|already here/,
    )
    expect(again.stdout).toContain(
      'immunizations.csv: 1 row: 0 imported, 0 already here, 1 left, 0 rejected',
    )

    // the same files into an empty database, without interruption
    await client.query('create database whole')
    const url = new URL(databaseUrl(dataDir))
    url.pathname = '/whole'
    const fresh = { DATABASE_URL: url.href, SANAD_DATA_DIR: dataDir }
    // it has no clinic yet; but its tables are made
    expect((await run('import', args, fresh).end).stderr).toMatch(/^Clinic not found/)
    const whole = new pg.Client(url.href)
    await whole.connect()
    await whole.query(`insert into clinics (id, name) values ($1, 'Riverside')`, [CLINIC])
    expect(await run('import', args, fresh).end).toMatchObject({ code: 0 })
    expect(await contents(client)).toEqual(await contents(whole))
    const audited = await count(whole, 'audit_log')
    expect(await run('import', args, fresh).end).toMatchObject({ code: 0 })
    expect(await count(whole, 'audit_log')).toBe(audited)
    await whole.end()
  })

  test('that is stopped with Ctrl-C keeps what was committed, and says how to go on', async ({
    served: { settings, client },
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    writeSynthea(folder, 300)
    const stopped = run('import', ['synthea', folder, '--clinic', 'riverside'], settings)
    await until(async () => (await count(client, 'visits')) > 0)
    stopped.kill('SIGINT')
    const { code, stdout } = await stopped.end
    expect([code, stdout]).toEqual([
      130,
      expect.stringContaining('run the same command again to continue'),
    ])
    expect(await count(client, 'patients')).toBe(300)
    const visits = await count(client, 'visits')
    expect(visits % 1000).toBe(0)
    expect(stdout).toContain(
      `encounters.csv: ${visits.toLocaleString('en')} rows: ${visits.toLocaleString('en')} imported`,
    )
  })

  test('of people: the guess is shown, a dry run writes nothing, and mended rows come in by themselves', async ({
    served: { settings, client },
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    const file = join(folder, 'people.csv')
    writeFileSync(
      file,
      'Nombre,Nacimiento,Sexo,Sangre\nLucía,17/05/1990,Femenino,A+\n=Juan,31/02/1985,Masculino,B+\n',
    )
    const report = join(folder, 'mend.csv')
    const args = ['--clinic', 'Riverside', '--date-format', 'DD/MM/YYYY', '--report', report]

    const dry = await run('import', ['patients', file, ...args, '--dry-run'], settings).end
    // a row was rejected
    expect(dry).toMatchObject({ code: 3 })
    expect(dry.stdout).toContain('Nombre -> given_name')
    expect(dry.stdout).toContain('Sangre -> (left out)')
    expect(dry.stdout).toContain(
      'people.csv: 2 rows: 1 imported, 0 already here, 0 left, 1 rejected',
    )
    expect(dry.stdout).toContain('Dry run, nothing was written')
    expect(await count(client, 'patients')).toBe(0)

    await run('import', ['patients', file, ...args], settings).end
    expect(await count(client, 'patients')).toBe(1)
    expect(readFileSync(report, 'utf8')).toBe(
      '\uFEFFNombre,Nacimiento,Sexo,Sangre,Sanad: line,Sanad: reason\r\n' +
        `'=Juan,31/02/1985,Masculino,B+,3,“31/02/1985” in Nacimiento is not a date\r\n`,
    )
    writeFileSync(report, readFileSync(report, 'utf8').replace('31/02', '28/02'))
    const mended = await run('import', ['patients', report, ...args.slice(0, 4)], settings).end
    expect(mended.stdout).toContain('mend.csv: 1 row: 1 imported')
    const { rows } = await client.query(
      'select given_name, date_of_birth::text, sex from patients order by date_of_birth',
    )
    expect(rows).toEqual([
      { given_name: '=Juan', date_of_birth: '1985-02-28', sex: 'male' },
      { given_name: 'Lucía', date_of_birth: '1990-05-17', sex: 'female' },
    ])
  })

  test('of stock and clinics checks first, then writes, and its exit code says whether rows were rejected', async ({
    served: { settings, client },
    temporaryDirectory,
  }) => {
    const folder = temporaryDirectory()
    const clinics = join(folder, 'clinics.csv')
    writeFileSync(clinics, 'Clinic,Phone\nHillside,111\n,222\n')
    const check = await run('import', ['clinics', clinics, '--check'], settings).end
    expect(check).toMatchObject({ code: 3 })
    expect(check.stdout).toContain('Clinic -> name')
    expect(check.stdout).toContain('Check, nothing was written.')
    expect((await client.query("select from clinics where name = 'Hillside'")).rowCount).toBe(0)
    writeFileSync(clinics, 'Clinic,Phone\nHillside,111\n')
    expect(await run('import', ['clinics', clinics], settings).end).toMatchObject({ code: 0 })
    const medicines = join(folder, 'medicines.csv')
    // as Excel saves it in Arabic: "الاسم العلمي;الشكل" and "اسبرين 100 ملغ;اقراص"
    const hex = 'c7e1c7d3e320c7e1dae1e3ed3bc7e1d4dfe10ac7d3c8d1ede42031303020e3e1db3bc7dec3d1c7d50a'
    writeFileSync(medicines, Buffer.from(hex, 'hex'))
    expect(await run('import', ['medicines', medicines], settings).end).toMatchObject({
      stdout: expect.stringContaining('1 imported'),
    })
    const stock = join(folder, 'stock.csv')
    writeFileSync(stock, 'Item;Lot;Expiry;Quantity\nاسبرين;L1;2031-12-31;1.500\n')
    const args = ['stock', stock, '--clinic', 'Hillside']
    expect(await run('import', args, settings).end).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"Quantity" can be read in two ways'),
    })
    expect(await run('import', [...args, '--numbers', 'comma'], settings).end).toMatchObject({
      code: 0,
    })
    const { rows } = await client.query(
      `select i.quantity_available::float8 as quantity from clinic_inventory i
       join clinics c on c.id = i.clinic_id where c.name = 'Hillside'`,
    )
    expect(rows).toEqual([{ quantity: 1500 }])
    expect(
      await run('import', ['vitals', stock, '--clinic', 'Hillside'], settings).end,
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--user'),
    })
  })

  test('of a code list adds what is new, and tells which rows it could not take', async ({
    served: { settings, client },
    temporaryDirectory,
  }) => {
    const file = join(temporaryDirectory(), 'codes.csv')
    const args = ['codes', file, '--system', 'icd10']
    // as Excel saves it in Spanish: "niño"
    writeFileSync(
      file,
      Buffer.from('label_es,code\nDel ni\u00F1o,Z99.78\nOtra,1.0E+50\n', 'latin1'),
    )
    const spanish = await run('import', args, settings).end
    expect(spanish).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('1 imported, 0 already here, 0 left, 1 rejected'),
    })
    writeFileSync(file, 'label_en,code\nA rare thing,Z99.77\nNo code,\n')
    const first = await run('import', args, settings).end
    expect(first.stdout).toContain(
      'codes.csv: 2 rows: 1 imported, 0 already here, 0 left, 1 rejected',
    )
    expect((await run('import', args, settings).end).stdout).toContain('0 imported, 1 already here')
    const { rows } = await client.query(
      `select system, label_en, label_es from problem_codes
       where code in ('Z99.77', 'Z99.78', '1.0E+50') order by code`,
    )
    expect(rows).toEqual([
      { system: 'icd10', label_en: 'A rare thing', label_es: null },
      { system: 'icd10', label_en: null, label_es: 'Del niño' },
    ])
  })
})

describe.concurrent('npm run seed', () => {
  test('makes the same people for the same word, and only those that are missing', async ({
    served: { settings, client },
  }) => {
    expect((await run('seed', [], settings).end).code).toBe(2)
    const first = await run('seed', ['--patients', '40', '--seed', 'olive'], settings).end
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('40 patients') })
    const before = await contents(client)
    expect(await count(client, `audit_log where table_name = 'patients'`)).toBe(0)
    await run('seed', ['--patients', '40', '--seed', 'olive'], settings).end
    expect(await contents(client)).toEqual(before)
    const more = await run('seed', ['--patients', '60', '--seed', 'olive'], settings).end
    expect(more.stdout).toContain('20 patients')
    expect(await count(client, 'patients')).toBe(60)
  })

  test('adds sample patients to an existing clinic, and none to a database with records of users', async ({
    served: { settings, client },
  }) => {
    const seed = (patients: string) =>
      run('seed', ['--patients', patients, '--clinic', 'Riverside'], settings).end
    expect(await seed('5')).toMatchObject({ code: 0 })
    expect(await count(client, `patients where primary_clinic_id = '${CLINIC}'`)).toBe(5)
    await client.query(
      `begin; set local sanad.via = 'web'; update patients set hometown = 'Anta'; commit`,
    )
    const refused = { code: 1, stderr: expect.stringContaining('no sample data') }
    expect(await seed('6')).toMatchObject(refused)
    await client.query(`insert into patients (id, given_name) values (gen_random_uuid(), 'Layla')`)
    expect(await seed('6')).toMatchObject(refused)
    expect(await count(client, 'patients')).toBe(6)
  })
})

describe('npm start -- --demo', () => {
  /** A folder for demos, in which no other process looks for them. */
  const demoTest = test.extend('place', ({ temporaryDirectory }) => {
    const place = temporaryDirectory()
    // the server may run as another user than the test
    chmodSync(place, 0o777)
    return place
  })
  const demoIn = (place: string) => {
    const names = readdirSync(place).filter((name) => name.startsWith('sanad-demo-'))
    expect(names).toHaveLength(1)
    return join(place, names[0]!)
  }

  demoTest(
    'serves a clinic of invented patients, and removes it when it stops',
    async ({ start, place }) => {
      const settings = { PORT: await freePort(), TMPDIR: place }
      // what would lead to real data is put out of the way
      const sanad = start(
        { ...settings, DATABASE_URL: 'postgres://127.0.0.1:1/real' },
        { args: ['--demo'] },
      )
      const url = await sanad.ready
      await until(() => isReady(url))
      await until(() => /registrar@demo\.example +\S+/.test(sanad.said()))
      const mine = demoIn(place)
      const client = new pg.Client(databaseUrl(mine))
      await client.connect()
      expect(await count(client, 'patients')).toBe(300)
      await client.end()
      sanad.child.kill('SIGTERM')
      expect(await sanad.exit).toMatchObject({ code: 0 })
      expect(existsSync(mine)).toBe(false)
    },
  )

  demoTest(
    'that was killed is removed by the next start',
    async ({ start, temporaryDirectory, place }) => {
      const sanad = start({ PORT: await freePort(), TMPDIR: place }, { args: ['--demo'] })
      await sanad.ready
      const mine = demoIn(place)
      sanad.child.kill('SIGKILL')
      await sanad.exit
      expect(existsSync(mine)).toBe(true)
      const next = start({ ...(await settingsForUsed(temporaryDirectory())), TMPDIR: place })
      await next.ready
      await until(() => !existsSync(mine))
    },
  )
})
