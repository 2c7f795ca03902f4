import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { getImport, runImport, setPlace } from '../imports.server'
import { runImports } from '../run.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_real_lists_${process.pid}`)
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

type Asked = { list?: 'patients' | 'medicines'; allows_missing?: boolean; ages_on?: string }

/** Uploads a list as it is, takes what the screen proposes, and imports it. */
async function bring(db: Kysely<DB>, text: string, { list = 'patients', ...asked }: Asked = {}) {
  const me = admin(db)
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const clinicId = list === 'patients' ? clinic.id : null
  const { id } = await make.upload(text, { list, clinic_id: clinicId })
  const { file, problem } = await getImport(me, { id })
  if (!file) throw new Error(JSON.stringify(problem))
  await runImport(me, { id, task: 'import', mapping: file.mapping, ...asked })
  await runImports(db)
  const { import: row } = await getImport(me, { id })
  const stored = await db
    .selectFrom('patients')
    .select(['given_name', 'surname', 'sex', 'date_of_birth', 'phone', 'external_patient_id'])
    .where('primary_clinic_id', '=', clinic.id)
    .orderBy('given_name')
    .execute()
  return { me, id, file, tally: row.tally!, stored }
}

test('a list of people without column names is matched by what its columns hold', async ({
  whole,
}) => {
  const { file, tally, stored } = await bring(
    whole,
    [
      'A-1;Layla;Haddad;F;17/05/1990;+961 70 123 456;ward one',
      'A-2;Omar;Mansour;M;28/02/1985;+961 70 123 457;ward one',
      'A-3;Rosa;Peña;F;30/11/1971;+961 70 123 458;ward two',
      '',
    ].join('\n'),
  )
  expect(file).toMatchObject({
    heading_line: 0,
    headers: ['#1', '#2', '#3', '#4', '#5', '#6', '#7'],
    mapping: {
      '#2': 'given_name',
      '#3': 'surname',
      '#4': 'sex',
      '#5': 'date_of_birth',
      '#6': 'phone',
    },
    byContent: ['#4', '#5', '#6', '#2', '#3'],
  })
  expect(tally).toMatchObject({ rows: 3, imported: 3, rejected: [] })
  expect(stored).toMatchObject([
    { given_name: 'Layla', surname: 'Haddad', sex: 'female', date_of_birth: '1990-05-17' },
    { given_name: 'Omar', surname: 'Mansour', sex: 'male', date_of_birth: '1985-02-28' },
    { given_name: 'Rosa', surname: 'Peña', sex: 'female', phone: '+961 70 123 458' },
  ])
})

test('the user says that a list has no column names, and that it has some', async ({ whole }) => {
  const me = admin(whole)
  const { id } = await makeFactories(whole).upload('Zinc oral,Tab\nIron,Syrup\n', {
    list: 'medicines',
    clinic_id: null,
  })
  expect((await getImport(me, { id })).file).toMatchObject({ heading_line: 1 })
  await setPlace(me, { id, heading_line: 0 })
  expect((await getImport(me, { id })).file).toMatchObject({
    heading_line: 0,
    headers: ['#1', '#2'],
    sample: [
      ['Zinc oral', 'Tab'],
      ['Iron', 'Syrup'],
    ],
    mapping: { '#1': 'generic_name', '#2': 'form' },
  })
  await setPlace(me, { id, heading_line: 1 })
  expect((await getImport(me, { id })).file).toMatchObject({ headers: ['Zinc oral', 'Tab'] })
})

/** What the screen proposes for a list. */
async function proposed(db: Kysely<DB>, text: string) {
  const { id } = await makeFactories(db).upload(text, { list: 'patients' })
  const { file, problem } = await getImport(admin(db), { id })
  if (!file) throw new Error(JSON.stringify(problem))
  return file
}

test('a surname is no whole name, unless its heading is a word for both and no column has the names', async ({
  whole,
}) => {
  const two = await proposed(
    whole,
    'Last name,First and middle names,DOB,Sex\nHaddad,Layla Mariam,1990-05-17,female\n',
  )
  expect(two.mapping).toEqual({ 'Last name': 'surname', DOB: 'date_of_birth', Sex: 'sex' })
  const nom = await proposed(whole, 'Nom,DOB,Sex\nLayla Haddad,1990-05-17,female\n')
  expect(nom).toMatchObject({ mapping: { Nom: 'given_name' }, byContent: ['Nom'] })
  const beside = await proposed(whole, 'Nom,Postnom,DOB,Sex\nHaddad,Layla,1990-05-17,female\n')
  expect(beside.mapping).toMatchObject({ Nom: 'surname' })
})

test('a column of running numbers is no file number', async ({ whole }) => {
  const rows = ['1,Layla,1990-05-17,female', '2,Omar,1985-02-28,male', '']
  const file = await proposed(whole, ['ID,Name,DOB,Sex', ...rows].join('\n'))
  expect(file.mapping).toEqual({ Name: 'given_name', DOB: 'date_of_birth', Sex: 'sex' })
})

test('headings of a table stay headings where a row below has more cells', async ({ whole }) => {
  const file = await proposed(
    whole,
    'code,who,what\n1,Ana,2005-07-30\n2,Eva,1982-01-10,3,Eva,1982-01-10\n',
  )
  expect(file).toMatchObject({ heading_line: 1, headers: ['code', 'who', 'what'] })
})

test('a list that lacks what the form requires goes in if the user says so, and the result counts it', async ({
  whole,
}) => {
  const list = [
    'Patient ID,Full name,DOB,Gender',
    'R-1,Salma Aziz,1990-05-17,Female',
    'R-2,Jun Park,1991-06-18,Other',
    'R-3,Noor Ali,,Male',
    'R-4,Sam Lee,1993-08-20,M',
    'R-5,Kim Roe,1994-31-31,Male',
    '',
  ].join('\n')
  const refused = await bring(whole, list)
  expect(refused.tally).toMatchObject({ rows: 5, imported: 1 })

  const { tally, stored } = await bring(whole, list, { allows_missing: true })
  expect(tally).toMatchObject({
    rows: 5,
    imported: 4,
    emptied: [
      { key: 'imports.reasons.wordLeftEmpty', values: { word: 'Other' }, count: 1 },
      { key: 'imports.reasons.wordLeftEmpty', values: { word: 'M' }, count: 1 },
    ],
    assumed: [
      { key: 'imports.reasons.registeredWithout', values: { column: 'Gender' }, count: 2 },
      { key: 'imports.reasons.registeredWithout', values: { column: 'DOB' }, count: 1 },
    ],
    // a date that no calendar has is a mistake to correct, not a missing value
    rejected: [{ key: 'imports.reasons.date', count: 1 }],
  })
  expect(
    stored.map(({ given_name, sex, date_of_birth }) => [given_name, sex, date_of_birth]),
  ).toEqual([
    ['Jun Park', null, '1991-06-18'],
    ['Noor Ali', 'male', null],
    ['Salma Aziz', 'female', '1990-05-17'],
    ['Sam Lee', null, '1993-08-20'],
  ])
})

test('a list without a column for the sex is refused, or registered without it', async ({
  whole,
}) => {
  const list = 'patient_id,name,dob\nP001,Lakshmi Rao,2007-07-09\nP002,Ritvik Jain,1995-03-30\n'
  await expect(bring(whole, list)).rejects.toMatchObject({
    text: { key: 'imports.mapping.required', values: { name: 'Sex' } },
  })
  const { tally, stored } = await bring(whole, list, { allows_missing: true })
  expect(tally).toMatchObject({ imported: 2, assumed: [{ values: { column: 'Sex' }, count: 2 }] })
  expect(stored).toMatchObject([{ sex: null }, { sex: null }])
  await expect(
    bring(whole, 'patient_id,dob\nP001,2007-07-09\n', { allows_missing: true }),
  ).rejects.toMatchObject({ text: { values: { name: 'Given name' } } })
})

test('a column of dates with the year in front in some rows and at the end in others is read', async ({
  whole,
}) => {
  const { file, tally, stored } = await bring(
    whole,
    [
      'First name,Surname,Birth date,Sex',
      'Ana,Ruiz,1977-03-19,female',
      'Eva,Ruiz,24-01-1973,female',
      'Ida,Ruiz,03-04-1980,female',
      '',
    ].join('\n'),
  )
  expect(file.formats).toEqual({ 'Birth date': 'DD/MM/YYYY' })
  expect(tally).toMatchObject({ imported: 3, rejected: [] })
  expect(stored.map(({ date_of_birth }) => date_of_birth)).toEqual([
    '1977-03-19',
    '1973-01-24',
    '1980-04-03',
  ])
})

test('in a column that mixes both orders a date of one meaning is read, the others are rejected', async ({
  whole,
}) => {
  const { tally, stored } = await bring(
    whole,
    [
      'First name,Surname,Birth date,Sex',
      'Ana,Ruiz,24/01/1973,female',
      'Eva,Ruiz,01/24/1974,female',
      'Ida,Ruiz,03/04/1980,female',
      '',
    ].join('\n'),
  )
  expect(tally).toMatchObject({
    imported: 2,
    rejected: [{ key: 'imports.reasons.dateFormat', values: { value: '03/04/1980' } }],
  })
  expect(stored.map(({ date_of_birth }) => date_of_birth)).toEqual(['1973-01-24', '1974-01-24'])
})

test.for([
  ['nome,dataNascimento,sexo,telefone,cpf', 'Portuguese'],
  ['Patient,date de naiss.,sexe,Téléphone,ID national', 'French'],
  ['Nombre y apellidos,F. nacimiento,Género,Celular,Nro. documento', 'Spanish'],
  ['اسم المريض,السن,الجنس,رقم الجوال,الرقم المدني', 'Arabic'],
  ['Names,Age (years),Patient sex,Mob. Number,Aadhar ID', 'English'],
])('the headings "%s" are matched (%s)', async ([headings], { whole }) => {
  const { mapping } = await proposed(whole, `${headings}\n`)
  expect(Object.values(mapping).toSorted()).toEqual([
    'date_of_birth',
    'given_name',
    'government_id',
    'phone',
    'sex',
  ])
})

test('what a heading leaves open is decided by the cells, and what they contradict is left out', async ({
  whole,
}) => {
  const people = await bring(
    whole,
    [
      'ID,nombre,apellido,fecha,genero,contacto',
      'H-77,Lon,Killik,24/12/1983,M,38258931',
      'H-78,Ada,Giro,21/12/1957,F,29212710',
      '',
    ].join('\n'),
  )
  expect(people.file.mapping).toEqual({
    ID: 'external_patient_id',
    nombre: 'given_name',
    apellido: 'surname',
    fecha: 'date_of_birth',
    genero: 'sex',
    contacto: 'phone',
  })
  expect(people.stored).toMatchObject([
    { given_name: 'Ada', sex: 'female', external_patient_id: 'H-78', phone: '29212710' },
    { given_name: 'Lon', sex: 'male', external_patient_id: 'H-77' },
  ])
  // a day of this year is a visit or the registration, and an address is no phone number
  const { file } = await bring(
    whole,
    `nombre,fecha,contact\nLon,03/11/${new Date().getUTCFullYear()},lon@example.org\n`,
    { allows_missing: true },
  )
  expect(file.mapping).toEqual({ nombre: 'given_name' })
})

test('days close together are no births, and numbers of digits alone are no phones', async ({
  whole,
}) => {
  const lines = [
    'nombre,sexo,fecha,numero',
    'Ana,F,12/05/2019,7012345',
    'Luis,M,20/06/2019,7012346',
  ]
  const { mapping } = await proposed(whole, `${lines.join('\n')}\n`)
  expect(mapping).toEqual({ nombre: 'given_name', sexo: 'sex' })
  const phones = await proposed(whole, 'nombre,numero\nAna,0701-2345\nLuis,+961 7012346\n')
  expect(phones.mapping).toMatchObject({ numero: 'phone' })
})

test('a clear heading is matched whatever its cells hold', async ({ whole }) => {
  const file = await proposed(
    whole,
    'Name,DOB,Sex,Phone\nLayla,1990-05-17,female,70123456 (mother)\n',
  )
  expect(file.mapping).toMatchObject({ Phone: 'phone' })
})

test('a list of medicines is matched by its cells where its headings say nothing', async ({
  whole,
}) => {
  const { file, tally } = await bring(
    whole,
    [
      'stuff,presentation,type',
      'Paracetamol,500 mg,allopathy',
      'Amoxicillin,250 mg,allopathy',
      'Ibuprofen,400 mg,allopathy',
      '',
    ].join('\n'),
    { list: 'medicines' },
  )
  expect(file.mapping).toEqual({ stuff: 'generic_name', presentation: 'strength' })
  expect(tally).toMatchObject({ imported: 3, rejected: [] })
})

test('a sex in stray signs is read', async ({ whole }) => {
  const { tally, stored } = await bring(
    whole,
    "Name,DOB,Gender\nUdit,1990-05-17,male'\nAsha,1991-05-17,F.\n",
  )
  expect(tally).toMatchObject({ imported: 2, rejected: [] })
  expect(stored).toMatchObject([{ sex: 'female' }, { sex: 'male' }])
})

test('a total and a note below a table become no records', async ({ whole }) => {
  const people = await bring(
    whole,
    [
      'No,Name,DOB,Gender',
      'T-1,Mina Said,1990-05-17,Female',
      ',Total,,1',
      ',المجموع: ١,,',
      ',Printed on Monday,,',
      '',
    ].join('\n'),
    { allows_missing: true },
  )
  expect(people.tally).toMatchObject({
    imported: 1,
    rejected: [
      { key: 'imports.reasons.totalLine', count: 2 },
      { key: 'imports.reasons.oneCell', count: 1 },
    ],
  })
  const drugs = await bring(
    whole,
    'Drug name,Price\nAlbendazole 400 mg tablet,3\nGrand total,3\n',
    {
      list: 'medicines',
    },
  )
  expect(drugs.tally).toMatchObject({
    imported: 1,
    rejected: [{ key: 'imports.reasons.totalLine', count: 1 }],
  })
})

test('a day with a time and the name of its zone is a day', async ({ whole }) => {
  const { tally, stored } = await bring(
    whole,
    [
      'First name,Surname,DOB,Sex',
      'Aja,Baum,1967-02-12 00:00:00 UTC,female',
      'Bea,Baum,1968-11-30 00:00:00 +0000,female',
      'Cia,Baum,1969-11-30 00:00:00 GMT,female',
      '',
    ].join('\n'),
  )
  expect(tally).toMatchObject({ imported: 3, rejected: [] })
  expect(stored.map(({ date_of_birth }) => date_of_birth)).toEqual([
    '1967-02-12',
    '1968-11-30',
    '1969-11-30',
  ])
})
