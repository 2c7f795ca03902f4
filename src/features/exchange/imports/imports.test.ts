import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../test/harness'
import { PART_SIZE } from './import'
import {
  addPart,
  createImport,
  deleteImport,
  getImport,
  listDoubtful,
  listImports,
  listRejected,
  runImport,
  setDelimiter,
  setEncoding,
  stopImport,
} from './imports.server'
import { forgetOldImports, runImports } from './run.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const admin = (db: Kysely<DB>) => ({
  db,
  request: aRequest(),
  actor: {
    userId: uuidv7(),
    name: 'Admin',
    role: 'admin' as const,
    language: 'en' as const,
    clinicId: null,
    grants: {},
  },
})

const people = 'Name,Birth,Sex\nLayla,1990-05-17,female\nOmar,1985-02-30,male\n'
const mapping = { Name: 'given_name', Birth: 'date_of_birth', Sex: 'sex' }

async function send(me: ReturnType<typeof admin>, clinicId: string, bytes: Buffer) {
  const id = uuidv7()
  await createImport(me, {
    id,
    clinic_id: clinicId,
    file_name: 'people.csv',
    file_size: bytes.length,
  })
  for (let part = 0; part * PART_SIZE < bytes.length; part += 1) {
    const content = bytes.subarray(part * PART_SIZE, (part + 1) * PART_SIZE).toString('base64')
    await addPart(me, { id, part, content })
  }
  return id
}

test('a file arrives in parts, in any order and as often as the line makes it necessary', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const me = as('admin')
  const bytes = Buffer.from(`Name\n${'Layla\n'.repeat(60_000)}`)
  const id = uuidv7()
  await createImport(me, {
    id,
    clinic_id: clinic.id,
    file_name: 'people.csv',
    file_size: bytes.length,
  })
  await createImport(me, {
    id,
    clinic_id: clinic.id,
    file_name: 'people.csv',
    file_size: bytes.length,
  })
  const part = (n: number) => bytes.subarray(n * PART_SIZE, (n + 1) * PART_SIZE).toString('base64')
  await expect(addPart(me, { id, part: 0, content: part(1) })).rejects.toMatchObject({
    text: { key: 'imports.wrongPart' },
  })
  expect(await addPart(me, { id, part: 1, content: part(1) })).toEqual({ status: 'uploading' })
  expect(await addPart(me, { id, part: 1, content: part(1) })).toEqual({ status: 'uploading' })
  expect(await getImport(me, { id })).toMatchObject({ file: null, problem: null })
  expect(await addPart(me, { id, part: 0, content: part(0) })).toEqual({ status: 'ready' })
  expect(await getImport(me, { id })).toMatchObject({
    file: {
      headers: ['Name'],
      sample: ['Layla', 'Layla', 'Layla', 'Layla', 'Layla'].map((name) => [name]),
    },
  })
  expect(
    await db.selectFrom('audit_log').select('action').where('record_id', '=', id).execute(),
  ).toEqual([{ action: 'imports.create' }])
})

test('what the columns mean is guessed and shown, with the first rows', async ({ as, make }) => {
  const upload = await make.upload(
    'Nombre,Fecha de nacimiento,Sexo,Otra\nJuan,25/04/1990,Masculino,x\n',
  )
  expect(await getImport(as('admin'), { id: upload.id })).toMatchObject({
    import: { status: 'ready', task: null },
    file: {
      mapping: { Nombre: 'given_name', 'Fecha de nacimiento': 'date_of_birth', Sexo: 'sex' },
      date_format: 'DD/MM/YYYY',
      sample: [['Juan', '25/04/1990', 'Masculino', 'x']],
    },
  })
})

test('the delimiter is guessed and shown; another one reads the columns anew', async ({
  db,
  as,
  make,
}) => {
  const me = as('admin')
  // more commas than semicolons in the heading: the guess is wrong
  const upload = await make.upload('Name;Notes, remarks, other, more;Birth\nLayla;a,b;25/04/1990\n')
  expect((await getImport(me, { id: upload.id })).file).toMatchObject({ delimiter: 'comma' })
  await setDelimiter(me, { id: upload.id, delimiter: 'semicolon' })
  expect((await getImport(me, { id: upload.id })).file).toMatchObject({
    delimiter: 'semicolon',
    headers: ['Name', 'Notes, remarks, other, more', 'Birth'],
    sample: [['Layla', 'a,b', '25/04/1990']],
    mapping: { Name: 'given_name', Birth: 'date_of_birth' },
    date_format: 'DD/MM/YYYY',
    isGuessed: true,
  })
  await expect(setDelimiter(me, { id: upload.id, delimiter: '|' as never })).rejects.toMatchObject({
    fields: { delimiter: { key: 'validation.option' } },
  })
  await db.updateTable('imports').set({ status: 'running' }).where('id', '=', upload.id).execute()
  await expect(setDelimiter(me, { id: upload.id, delimiter: null })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a file in two old encodings says so, and is read once the encoding is named', async ({
  db,
  as,
  make,
}) => {
  const upload = await make.upload('12345\n1234')
  const arabic = Buffer.from([0xc7, 0xe1, 0xc7, 0xd3, 0xe3, 10, 0x6e, 0x69, 0xf1, 0x6f])
  await db
    .updateTable('import_parts')
    .set({ bytes: arabic })
    .where('import_id', '=', upload.id)
    .execute()
  expect(await getImport(as('admin'), { id: upload.id })).toMatchObject({
    file: null,
    problem: { key: 'imports.csv.encoding' },
  })
  await setEncoding(as('admin'), { id: upload.id, encoding: 'windows-1256' })
  expect(await getImport(as('admin'), { id: upload.id })).toMatchObject({
    file: { mapping: { الاسم: 'given_name' } },
  })
})

test('only administrators import files, and each error is shown beside its field', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const right = { id: uuidv7(), clinic_id: clinic.id, file_name: 'people.csv', file_size: 10 }
  await expect(
    createImport(as('provider', { [clinic.id]: ['is_clinic_admin'] }), right),
  ).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(
    createImport(as('admin'), { id: 'x', clinic_id: '', file_name: ' ', file_size: 2 ** 40 }),
  ).rejects.toMatchObject({
    fields: {
      id: { key: 'validation.id' },
      clinic_id: { key: 'registration.clinicRequired' },
      file_name: { key: 'validation.required' },
      file_size: { key: 'imports.tooLarge' },
    },
  })
  await expect(createImport(as('admin'), { ...right, clinic_id: uuidv7() })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('nothing is started twice, before the file is here, or without what the form requires', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const coming = await make.upload(people, { status: 'uploading' })
  await expect(runImport(me, { id: coming.id, task: 'check', mapping })).rejects.toMatchObject({
    text: { key: 'imports.notHereYet' },
  })
  const { id } = await make.upload(people)
  await expect(
    runImport(me, { id, task: 'check', mapping: { Name: 'given_name' } }),
  ).rejects.toMatchObject({
    text: { key: 'imports.mapping.required' },
  })
  await runImport(me, { id, task: 'check', mapping })
  await expect(runImport(me, { id, task: 'import', mapping })).rejects.toMatchObject({
    text: { key: 'imports.runsAlready' },
  })
  await expect(deleteImport(me, { id })).rejects.toMatchObject({ code: 'not_found' })
  await stopImport(me, { id })
  expect(await listImports(me, {})).toMatchObject({
    rows: expect.arrayContaining([expect.objectContaining({ id, status: 'stopped' })]),
  })
  await deleteImport(me, { id })
  await expect(getImport(me, { id })).rejects.toMatchObject({ code: 'not_found' })
})

test('a dry run and then the import, in the background: what it did, and the rows to mend', async ({
  whole,
}) => {
  const me = admin(whole)
  const clinic = await makeFactories(whole).clinic()
  const id = await send(me, clinic.id, Buffer.from(people))
  const patients = () =>
    whole
      .selectFrom('patients')
      .select('given_name')
      .where('primary_clinic_id', '=', clinic.id)
      .execute()

  await runImport(me, { id, task: 'check', mapping })
  await runImports(whole)
  const counts = { rows: 2, imported: 1, rejected: [{ key: 'imports.reasons.date', count: 1 }] }
  expect(await getImport(me, { id })).toMatchObject({
    import: { status: 'finished', task: 'check', tally: counts },
  })
  expect(await patients()).toEqual([])

  await runImport(me, { id, task: 'import', mapping })
  await runImports(whole)
  expect(await getImport(me, { id })).toMatchObject({
    import: { status: 'finished', task: 'import', tally: counts },
  })
  expect(await patients()).toEqual([{ given_name: 'Layla' }])
  expect(await listRejected(me, { id })).toMatchObject([
    { line: 3, cells: ['Omar', '1985-02-30', 'male'], reason: { key: 'imports.reasons.date' } },
  ])
  expect(await listRejected(me, { id, after: 3 })).toEqual([])
  const { rows } = await sql`select user_id, action, via from audit_log
      where table_name = 'patients' and clinic_id = ${clinic.id}`.execute(whole)
  expect(rows).toEqual([{ user_id: me.actor.userId, action: 'imports.patients', via: 'system' }])
})

test('a dry run tells who may be registered already', async ({ whole }) => {
  const me = admin(whole)
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const there = await make.patient({
    given_name: 'Rukhsana',
    surname: 'Qaddoumi',
    date_of_birth: '1979-03-04',
    phone: '0799123456',
    primary_clinic_id: clinic.id,
  })
  const text =
    'Name,Family name,Birth,Sex,Phone\nRuksana,Kaddumi,1979-03-04,female,0799123456\nOmar,Sabbagh,1985-02-28,male,\n'
  const id = await send(me, clinic.id, Buffer.from(text))
  const all = { ...mapping, 'Family name': 'surname', Phone: 'phone' }
  await runImport(me, { id, task: 'check', mapping: all })
  await runImports(whole)
  expect(await getImport(me, { id })).toMatchObject({
    import: { tally: { imported: 2, compared: 2, doubtful: 1 } },
  })
  expect(await listDoubtful(me, { id })).toMatchObject([
    {
      line: 2,
      name: 'Ruksana Kaddumi',
      patient_id: there.id,
      reasons: expect.arrayContaining(['samePhone', 'sameBirth']),
    },
  ])
})

/** Ends the connection that writes patients, as an end of PostgreSQL does. */
async function endConnection(db: Kysely<DB>) {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
        and backend_xid is not null and query ilike '%into%patients%'`.execute(db)
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error('no connection wrote patients')
}

test('two processes share the work, and one that died leaves it to the next', async ({ whole }) => {
  const me = admin(whole)
  const clinic = await makeFactories(whole).clinic()
  const lines = Array.from({ length: 2_010 }, (_, i) => `Layla ${i},1990-05-17,female`)
  lines[7] = 'Layla 7,1990-02-31,female'
  const id = await send(me, clinic.id, Buffer.from(`Name,Birth,Sex\n${lines.join('\n')}\n`))
  await runImport(me, { id, task: 'import', mapping })

  // the first goes down after its first batch
  const down = new AbortController()
  const first = runImports(whole, down.signal)
  const count = async () =>
    (
      await whole
        .selectFrom('patients')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('primary_clinic_id', '=', clinic.id)
        .executeTakeFirstOrThrow()
    ).n
  while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  down.abort()
  await first
  expect(await getImport(me, { id })).toMatchObject({ import: { status: 'running' } })

  // the second loses PostgreSQL while it writes
  const second = runImports(whole)
  await Promise.all([expect(second).rejects.toThrow(), endConnection(whole)])
  expect(await getImport(me, { id })).toMatchObject({ import: { status: 'running' } })

  await Promise.all([runImports(whole), runImports(whole)])
  // as of one that nothing interrupted
  expect(await getImport(me, { id })).toMatchObject({
    import: {
      status: 'finished',
      tally: {
        rows: 2010,
        imported: 2009,
        made: 2009,
        repeated: 0,
        left: [],
        rejected: [{ count: 1 }],
      },
    },
  })
  expect(await listRejected(me, { id })).toMatchObject([{ line: 9 }])
  expect(await count()).toBe(2009)
})

test('an import that ends its connection each time is given up, and keeps no other waiting', async ({
  whole,
}) => {
  const me = admin(whole)
  const [held, free] = [await makeFactories(whole).clinic(), await makeFactories(whole).clinic()]
  const file = (name: string) => Buffer.from(`Name,Birth,Sex\n${name},1990-05-17,female\n`)
  const ending = await send(me, held.id, file('Omar'))
  const other = await send(me, free.id, file('Layla'))
  for (const id of [ending, other]) await runImport(me, { id, task: 'import', mapping })
  const statusOf = async (id: string) => (await getImport(me, { id })).import.status
  for (let tries = 1; tries <= 3; tries += 1) {
    await whole.transaction().execute(async (own) => {
      // its patients wait for the clinic until their connection has ended
      const clinic = own.selectFrom('clinics').select('id').where('id', '=', held.id)
      await clinic.forUpdate().execute()
      await Promise.all([expect(runImports(whole)).rejects.toThrow(), endConnection(whole)])
    })
    expect([await statusOf(ending), await statusOf(other)]).toEqual(['running', 'finished'])
  }
  await runImports(whole)
  expect(await getImport(me, { id: ending })).toMatchObject({
    import: { status: 'failed', failure: { key: 'imports.getsNoFurther' } },
  })
  // asked for again it is tried again
  await runImport(me, { id: ending, task: 'import', mapping })
  await runImports(whole)
  expect(await statusOf(ending)).toBe('finished')
})

test('a file that cannot be read fails with a sentence; one that is old is forgotten', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const me = admin(whole)
  const broken = await make.upload('x', { status: 'waiting', task: 'check', mapping: '{}' })
  await whole
    .updateTable('import_parts')
    .set({ bytes: Buffer.from([0xc7]) })
    .where('import_id', '=', broken.id)
    .execute()
  await runImports(whole)
  expect(await getImport(me, { id: broken.id })).toMatchObject({
    import: { status: 'failed', failure: { key: 'imports.csv.encoding' } },
  })
  await whole
    .updateTable('imports')
    .set({ created_at: sql<Date>`now() - interval '31 days'` })
    .where('id', '=', broken.id)
    .execute()
  await forgetOldImports(whole)
  await expect(getImport(me, { id: broken.id })).rejects.toMatchObject({ code: 'not_found' })
})

test('ages without a day of registration are asked about, and count back from the day that is given', async ({
  whole,
}) => {
  const me = admin(whole)
  const clinic = await makeFactories(whole).clinic()
  const text = 'Name;Birth;Sex\nZein;2 years;female\nZaki;1990-05-17;male\nZuhal;~1961;male\n'
  const id = await send(me, clinic.id, Buffer.from(text))
  const settings = { id, mapping, key_column: null, task: 'import' as const }
  expect(await getImport(me, { id })).toMatchObject({ file: { asksAgesOn: true, ages_on: null } })
  await expect(runImport(me, settings)).rejects.toMatchObject({
    fields: { ages_on: { key: 'imports.agesOnAsks' } },
  })
  await expect(runImport(me, { ...settings, ages_on: '2999-01-01' })).rejects.toMatchObject({
    fields: { ages_on: { key: 'validation.inFuture' } },
  })
  await runImport(me, { ...settings, ages_on: '2021-03-31' })
  await runImports(whole)
  expect(
    await whole
      .selectFrom('patients')
      .select(['given_name', 'date_of_birth'])
      .where('primary_clinic_id', '=', clinic.id)
      .orderBy('given_name')
      .execute(),
  ).toEqual([
    { given_name: 'Zaki', date_of_birth: '1990-05-17' },
    { given_name: 'Zein', date_of_birth: '2018-07-01' },
    { given_name: 'Zuhal', date_of_birth: '1961-07-01' },
  ])
})

test('dates of a file are guessed from the whole column, or asked about once', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const early = Array.from({ length: 20 }, (_, at) => `Layla;${1 + (at % 12)}/3/1990;female`).join(
    '\n',
  )
  const settings = { mapping, key_column: null, task: 'check' as const }

  const clear = await make.upload(`sep=;\nName;Birth;Sex\n${early}\nOmar;5/25/1989;male\n`)
  expect(await getImport(me, { id: clear.id })).toMatchObject({
    file: { headers: ['Name', 'Birth', 'Sex'], date_format: 'MM/DD/YYYY', asksDateFormat: false },
  })

  const unclear = await make.upload(`Name;Birth;Sex\n${early}\n`)
  expect(await getImport(me, { id: unclear.id })).toMatchObject({
    file: { date_format: null, asksDateFormat: true },
  })
  await expect(
    runImport(me, { id: unclear.id, ...settings, date_format: null }),
  ).rejects.toMatchObject({
    code: 'invalid',
    fields: { date_format: { key: 'imports.dateFormatAsks', values: { column: 'Birth' } } },
  })
  expect(await runImport(me, { id: unclear.id, ...settings, date_format: 'DD/MM/YYYY' })).toEqual({
    id: unclear.id,
  })
})

test('each column of dates has its own format, and one that can be read in two ways asks', async ({
  whole,
}) => {
  const me = admin(whole)
  const clinic = await makeFactories(whole).clinic()
  const rows = ['Layla;25/04/1990;female;03/04/2024', 'Omar;04/03/1985;male;05/06/2024']
  const text = `Name;Birth;Sex;Registered\n${rows.join('\n')}\n`
  const columns = { ...mapping, Registered: 'created_at' }
  const id = await send(me, clinic.id, Buffer.from(text))
  expect((await getImport(me, { id })).file).toMatchObject({
    formats: { Birth: 'DD/MM/YYYY' },
    asksFormats: ['Registered'],
    asksDateFormat: true,
  })
  const settings = { id, mapping: columns, task: 'import' as const }
  await expect(runImport(me, settings)).rejects.toMatchObject({
    fields: { date_format: { key: 'imports.dateFormatAsks', values: { column: 'Registered' } } },
  })
  await runImport(me, { ...settings, formats: { Registered: 'MM/DD/YYYY' } })
  await runImports(whole)
  const { file } = await getImport(me, { id })
  expect(file).toMatchObject({
    formats: { Birth: 'DD/MM/YYYY', Registered: 'MM/DD/YYYY' },
    asksFormats: [],
  })
  const { rows: stored } = await sql<object>`
    select given_name as name, date_of_birth::text as birth, (created_at at time zone 'UTC')::date::text as registered
    from patients where primary_clinic_id = ${clinic.id} order by 1`.execute(whole)
  expect(stored).toEqual([
    { name: 'Layla', birth: '1990-04-25', registered: '2024-03-04' },
    { name: 'Omar', birth: '1985-03-04', registered: '2024-05-06' },
  ])
})
