// One import of a list of people serves every test of its rows: longer than most files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { encodeFields } from '~/features/people/registration/stored-fields'
import type { Context } from '~/server/operation'
import { temporaryFolder } from '../../../../../test/folder'
import { test } from '../../../../../test/harness'
import { fileSource, openCsv } from '../csv.server'
import { parseFormattedDay, detectDateFormat } from './date-format'
import { guessMapping } from './mapping'
import { importPatients } from './patients-file.server'
import type { PatientsFile } from './patients-file'
import { newTally } from '../tally'

async function bring(
  ctx: Context,
  text: string,
  clinicId: string,
  more: Partial<PatientsFile> & { isDryRun?: boolean } = {},
) {
  const path = join(temporaryFolder(), 'people.csv')
  writeFileSync(path, text)
  const csv = await openCsv(await fileSource(path, 'people.csv'))
  const { fields: form } = await firstForm(ctx.db)
  const tally = newTally('people.csv')
  const reported: string[] = []
  const file = {
    headers: csv.headers,
    form,
    mapping: guessMapping(csv.headers, form),
    clinicId,
    ...more,
  }
  await importPatients(ctx, csv, file, tally, {
    isDryRun: more.isDryRun,
    onRejected: (_file, { line }, fate) =>
      void reported.push(`${line} ${'reason' in fate && fate.reason.key}`),
  })
  return { ...tally, reported }
}

const people = [
  'First name,Family name,DOB,Gender,Mobile',
  'Layla,Mansour,1990-05-17,Female,0501234567',
  'كرم,حداد,~1961,ذكر,',
  '',
].join('\n')

test('an age counts back from the day of registration, and a birth after it is rejected', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const list = `First name,Surname,Age,Sex,Registered
Child,Old,12 months,male,2023-09-24
Woman,Old,34,female,2020-03-01
Baby,New,2024-01-05,male,2023-09-24
`
  expect(await bring(as('admin'), list, clinic.id)).toMatchObject({
    imported: 2,
    reported: ['4 imports.reasons.bornAfter'],
  })
  expect(
    await db.selectFrom('patients').select('date_of_birth').orderBy('given_name').execute(),
  ).toEqual([{ date_of_birth: '2022-09-09' }, { date_of_birth: '1985-07-01' }])
})

test('people are registered in the clinic, as the registration form would do it', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  expect(await bring(as('admin'), people, clinic.id)).toMatchObject({
    rows: 2,
    imported: 2,
    reported: [],
  })
  const all = db.selectFrom('patients').selectAll().orderBy('date_of_birth', 'desc')
  expect(await all.execute()).toMatchObject([
    {
      given_name: 'Layla',
      surname: 'Mansour',
      sex: 'female',
      date_of_birth: '1990-05-17',
      phone: '0501234567',
    },
    {
      given_name: 'كرم',
      sex: 'male',
      date_of_birth: '1961-07-01',
      metadata: { date_of_birth_precision: 'age' },
      phone: null,
    },
  ])
  expect(await db.selectFrom('patient_links').select(['clinic_id', 'source']).execute()).toEqual([
    { clinic_id: clinic.id, source: 'primary' },
    { clinic_id: clinic.id, source: 'primary' },
  ])
  expect(
    await db
      .selectFrom('audit_log')
      .select('action')
      .where('table_name', '=', 'patients')
      .execute(),
  ).toEqual([{ action: 'imports.patients' }, { action: 'imports.patients' }])
})

test('a number that a spreadsheet shortened identifies nobody', async ({ db, as, make }) => {
  const clinic = await make.clinic()
  const rows = [
    'First name,Family name,DOB,Sex,Mobile,National ID,File no',
    'Whole,One,1990-05-17,male,+96170123456,123457000000001,A-1',
    'Short,Phone,1991-05-17,male,9.61E+10,,A-2',
    'Comma,Phone,1992-05-17,male,"9,61E+10",,A-3',
    'Arabic,Phone,1993-05-17,male,٩٫٦١E+١٠,,A-4',
    'Point,Phone,1994-05-17,male,70123456.0,,A-5',
    'Short,Id,1995-05-17,male,,1.23457E+14,A-6',
    'Other,Id,1996-05-17,male,,1.23457E+14,A-7',
    'Short,Key,1997-05-17,male,,,1E+12',
    'Short,Text,1998-05-17,male,,,A-9',
    '1.2E+15,Name,1999-05-17,male,,,A-10',
    '',
  ].join('\n')
  const { reported, imported, rejected } = await bring(as('admin'), rows, clinic.id, {
    keyColumn: 'File no',
  })
  expect(imported).toBe(2)
  expect(reported).toEqual(
    [3, 4, 5, 6, 7, 8, 9, 11].map((line) => `${line} imports.reasons.shortened`),
  )
  expect(rejected[0]).toMatchObject({ values: { value: '9.61E+10', column: 'Mobile' } })
  expect(await db.selectFrom('patients').select(['given_name', 'phone']).execute()).toEqual([
    { given_name: 'Whole', phone: '+96170123456' },
    { given_name: 'Short', phone: null },
  ])
})

test('a value that a spreadsheet or an encoding has lost is refused', async ({ as, make }) => {
  const clinic = await make.clinic()
  const rows = [
    'First name,Family name,DOB,Sex,Mobile,National ID',
    '????,One,1990-05-17,female,,',
    '#NAME?,Two,1990-05-17,female,,',
    'Lost,Three,1990-05-17,female,########,',
    'Lost,Four,1990-05-17,female,#REF!,',
    'Lost,Five,1990-05-17,female,,?? ???',
    'Kept,Six #1?,1990-05-17,female,,',
    '',
  ].join('\n')
  const { reported, imported } = await bring(as('admin'), rows, clinic.id)
  expect(reported).toEqual([2, 3, 4, 5, 6].map((line) => `${line} imports.reasons.lost`))
  expect(imported).toBe(1)
})

test('a word for nothing is read as empty, and the import says so', async ({ db, as, make }) => {
  const clinic = await make.clinic()
  const rows = [
    'First name,Family name,DOB,Sex,Mobile,National ID,File no',
    'Salma,NULL,1990-05-17,female,N/A,-99,A-1',
    'Omar,Haddad,1991-05-17,male,.,unknown,A-2',
    'Nan,Null,1992-05-17,female,none,غير معروف,A-3',
    'Key,Less,1993-05-17,female,,,NULL',
    'NULL,Nobody,,female,,,A-5',
    '',
  ].join('\n')
  const { reported, emptied } = await bring(as('admin'), rows, clinic.id, { keyColumn: 'File no' })
  expect(reported).toEqual(['5 imports.reasons.missing', '6 imports.reasons.missing'])
  expect(emptied).toMatchObject([
    { values: { value: 'NULL', column: 'Family name' }, count: 1 },
    { values: { value: 'N/A', column: 'Mobile' }, count: 3 },
    { values: { value: '-99', column: 'National ID' }, count: 3 },
  ])
  expect(
    await db
      .selectFrom('patients')
      .select(['given_name', 'surname', 'phone', 'government_id'])
      .orderBy('date_of_birth')
      .execute(),
  ).toEqual([
    { given_name: 'Salma', surname: null, phone: null, government_id: null },
    { given_name: 'Omar', surname: 'Haddad', phone: null, government_id: null },
    { given_name: 'Nan', surname: 'Null', phone: null, government_id: null },
  ])
})

test('a dry run says what would happen, and nothing happens', async ({ make, db, asUser }) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'admin' })
  expect(await bring(asUser(user), people, clinic.id, { isDryRun: true })).toMatchObject({
    imported: 2,
  })
  expect(await db.selectFrom('patients').select('id').execute()).toEqual([])
})

test('the same file again, and a file with some corrected rows, register no patient twice', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const spoilt = people.replace('1990-05-17', '1990-02-30')
  expect(await bring(as('admin'), spoilt, clinic.id)).toMatchObject({
    imported: 1,
    reported: ['2 imports.reasons.date'],
  })
  expect(await bring(as('admin'), people, clinic.id)).toMatchObject({ imported: 1, repeated: 1 })
  expect(await bring(as('admin'), people, clinic.id)).toMatchObject({ imported: 0, repeated: 2 })
  const twice = `${people}Layla,Mansour,1990-05-17,Female,0501234567\n`
  expect(await bring(as('admin'), twice, clinic.id)).toMatchObject({ imported: 0, repeated: 3 })
})

test('two rows of a name alone are two people, and the same file again adds none', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const lines = [
    'Name,DOB,Sex',
    'Maria Lopez,,female',
    'Maria Lopez,,female',
    'Ana Ruiz,,',
    'Source: ward,,',
  ]
  const text = `${lines.join('\n')}\n`
  const missing = { allowsMissing: true }
  expect(await bring(as('admin'), text, clinic.id, missing)).toMatchObject({
    imported: 3,
    reported: ['5 imports.reasons.oneCell'],
  })
  const longer = text.replace('Sex\n', 'Sex\nEva Paz,,female\n')
  expect(await bring(as('admin'), longer, clinic.id, missing)).toMatchObject({
    imported: 1,
    repeated: 3,
  })
})

test('a key column identifies patients whatever else changes, separately in each clinic', async ({
  as,
  make,
}) => {
  const text = 'File number,First name,DOB,Sex\n7,NAME,1990-05-17,SEX\n'
  const [one, other] = [await make.clinic(), await make.clinic()]
  const file = (name: string, sex = 'female') => text.replace('NAME', name).replace('SEX', sex)
  const keyed = {
    keyColumn: 'File number',
    mapping: { 'First name': 'given_name', DOB: 'date_of_birth', Sex: 'sex' },
  }
  const bad = await bring(as('admin'), file('Layla', '?'), one.id, keyed)
  expect(bad.reported).toEqual(['2 imports.reasons.option'])
  expect(await bring(as('admin'), file('Layla'), one.id, keyed)).toMatchObject({ imported: 1 })
  expect(await bring(as('admin'), file('Leila'), one.id, keyed)).toMatchObject({
    left: [{ key: 'imports.reasons.changedSince', count: 1 }],
  })
  expect(await bring(as('admin'), file('Leila'), other.id, keyed)).toMatchObject({ imported: 1 })
})

test('every row that the form would refuse is reported, with its line and the form’s own reason', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const rows = [
    'Layla,1990-05-17,female',
    ',1990-05-17,female',
    'Layla,,female',
    'Layla,03/04/1990,female',
    'Layla,2190-01-01,female',
    'Layla,1899-12-31,female',
    'Layla,1990-05-17,unknown',
    `${'x'.repeat(201)},1990-05-17,female`,
    ',,',
    'Nul\0,1990-05-17,female',
    'Suma,1990-05-17,female',
    'Layla,03041990,female',
    'Suma,,',
  ]
  const done = await bring(as('admin'), `Name,DOB,Sex\n${rows.join('\n')}\n`, clinic.id)
  expect(done.reported).toEqual([
    '3 imports.reasons.missing',
    '4 imports.reasons.missing',
    '5 imports.reasons.dateFormat',
    '6 validation.inFuture',
    '7 validation.tooEarly',
    '8 imports.reasons.option',
    '9 validation.tooLong',
    '10 imports.reasons.nothing',
    '11 validation.characters',
    '13 imports.reasons.dateFormat',
    '14 imports.reasons.totalLine',
  ])
  expect(done).toMatchObject({ rows: 13, imported: 2 })
})

test('answers to fields that a clinic added come along, each in its own column', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const form = await firstForm(db)
  const added = (
    column: string,
    fieldType: 'number' | 'boolean' | 'checkbox',
    options: string[] = [],
  ) => ({
    ...form.fields[0]!,
    id: crypto.randomUUID(),
    column,
    label: { en: column },
    fieldType,
    options: options.map((en) => ({ en })),
    required: false,
    baseField: false,
  })
  const fields = [
    ...form.fields,
    added('household', 'number'),
    added('smokes', 'boolean'),
    added('speaks', 'checkbox', ['Arabic', 'Spanish']),
  ]
  await db
    .updateTable('registration_forms')
    .set({ fields: JSON.stringify(encodeFields(fields)) })
    .execute()
  const text = [
    'Name,DOB,Sex,Household,Smokes,Speaks',
    'Layla,1990,female,"4,5",sí,Arabic; Spanish',
    'Omar,1990,male,many,no,',
    'Sami,1990,male,"1,000",no,',
  ].join('\n')
  expect(await bring(as('admin'), text, clinic.id)).toMatchObject({
    imported: 1,
    reported: ['3 imports.reasons.number', '4 imports.reasons.ambiguousNumber'],
  })
  const rows = db.selectFrom('patient_additional_attributes').selectAll().orderBy('attribute')
  expect(await rows.execute()).toMatchObject([
    { attribute: 'household', number_value: 4.5 },
    { attribute: 'smokes', boolean_value: true },
    { attribute: 'speaks', string_value: 'Arabic\u001FSpanish' },
  ])
})

test('ages of small children and words for a sex are read; an age of 0 and a bare M are rejected', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const text =
    'First name,Family name,DOB,Gender,Mobile\n' +
    'Ana,Ruiz,8 meses,niña,\nSami,Haddad,3 weeks,boy,\nNoor,Saleh,شهران,بنت,\nLeo,Paz,0,niño,\nMar,Sol,1990,M,\n'
  // without the day of the ages
  expect(await bring(as('admin'), text, clinic.id)).toMatchObject({ imported: 0 })
  const { imported, reported } = await bring(as('admin'), text, clinic.id, {
    agesOn: '2026-03-31',
  })
  expect([imported, reported.map((line: string) => line.split(' ')[0])]).toEqual([3, ['5', '6']])
  const all = db.selectFrom('patients').select(['sex', 'metadata']).orderBy('given_name')
  expect(await all.execute()).toEqual([
    { sex: 'female', metadata: { date_of_birth_precision: 'month' } },
    { sex: 'female', metadata: { date_of_birth_precision: 'month' } },
    { sex: 'male', metadata: { date_of_birth_precision: 'week' } },
  ])
})

test('in a column of F and M, M is male; without an F, or beside other letters, M is rejected with its column', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const file = (...sexes: string[]) =>
    `Name,DOB,GENDER\n${sexes.map((sex, at) => `Person ${at},1990-01-0${at + 1},${sex}\n`).join('')}`
  expect(await bring(as('admin'), file('M', 'f', 'm', 'other'), clinic.id)).toMatchObject({
    imported: 3,
    rejected: [{ key: 'imports.reasons.option', values: { value: 'other', column: 'GENDER' } }],
  })
  const sexes = db.selectFrom('patients').select('sex').orderBy('date_of_birth')
  expect(await sexes.execute()).toEqual([{ sex: 'male' }, { sex: 'female' }, { sex: 'male' }])
  for (const letters of ['MM', 'MFH'].map((word) => [...word]))
    expect(await bring(as('admin'), file(...letters), clinic.id)).toMatchObject({
      rejected: [
        { key: 'imports.reasons.sexLetter', values: { column: 'GENDER' }, count: letters.length },
      ],
    })
})

test('a mapping that could register no patient is refused before anything is read', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const tried = (mapping: Record<string, string>, keyColumn?: string) =>
    bring(as('admin'), people, clinic.id, { mapping, keyColumn })
  const right = { 'First name': 'given_name', DOB: 'date_of_birth', Gender: 'sex' }
  await expect(tried({ ...right, Nome: 'camp' })).rejects.toMatchObject({
    text: { key: 'imports.mapping.noColumn', values: { name: 'Nome' } },
  })
  await expect(tried({ ...right, Mobile: 'fax' })).rejects.toMatchObject({
    text: { key: 'imports.mapping.noTarget', values: { name: 'fax' } },
  })
  await expect(tried({ ...right, Mobile: 'sex' })).rejects.toMatchObject({
    text: { key: 'imports.mapping.twice', values: { name: 'sex' } },
  })
  await expect(tried({ DOB: 'date_of_birth' })).rejects.toMatchObject({
    text: { key: 'imports.mapping.required', values: { name: 'Given name' } },
  })
  await expect(tried(right, 'Number')).rejects.toMatchObject({
    text: { key: 'imports.mapping.noColumn', values: { name: 'Number' } },
  })
})

test('what a column means is guessed from its heading in three languages', async ({ db }) => {
  const { fields } = await firstForm(db)
  const guess = (...headers: string[]) => Object.values(guessMapping(headers, fields))
  expect(guess('FIRST_NAME', 'Last Name', 'Date of birth', 'SSN')).toEqual([
    'given_name',
    'surname',
    'date_of_birth',
    'government_id',
  ])
  expect(guess('Applicant name', 'Phone primary')).toEqual(['given_name', 'phone'])
  expect(
    guess('Nombre', 'Apellidos', 'Fecha de nacimiento', 'Género', 'Teléfono', 'Cédula'),
  ).toEqual(['given_name', 'surname', 'date_of_birth', 'sex', 'phone', 'government_id'])
  expect(
    guess('الاسم الأول', 'اسم العائلة', 'تاريخ الميلاد', 'الجنس', 'رقم الهاتف', 'المخيّم'),
  ).toEqual(['given_name', 'surname', 'date_of_birth', 'sex', 'phone', 'camp'])
  for (const heading of ['Inscrito el', 'Inscrita el', 'Registrada el', 'سُجِّل في'])
    expect([heading, ...guess(heading)]).toEqual([heading, 'created_at'])
  // the name of a field is no list of one column
  expect([guess('surname'), guess('Family name'), guess('Nom')]).toEqual([
    ['surname'],
    ['surname'],
    ['surname'],
  ])
  // each field once, and nothing by force
  expect(guess('First name', 'Name', 'Blood group')).toEqual(['given_name'])
})

test.each([
  ['DD/MM/YYYY', '3.4.1990', '1990-04-03'],
  ['MM/DD/YYYY', '03/04/1990', '1990-03-04'],
  ['DD/MM/YYYY', '٠٣/٠٤/١٩٩٠', '1990-04-03'],
  ['DD/MM/YYYY', '31/02/1990', null],
  ['DD/MM/YYYY', '03041990', '1990-04-03'],
  ['MM/DD/YYYY', '03041990', '1990-03-04'],
  ['DD/MM/YYYY', '19900403', null],
  ['DD/MM/YY', '03-04-27', '1927-04-03'],
  ['DD/MM/YY', '03-04-26', '2026-04-03'],
  ['YYYYMMDD', '19900403', '1990-04-03'],
  ['YYYY-MM-DD', '1990-04-03T00:00:00', '1990-04-03'],
  ['MM/DD/YYYY', '2/29/2000 12:00:00 AM', '2000-02-29'],
  ['DD MMM YYYY', '3 abril 1990', '1990-04-03'],
  ['DD MMM YYYY', '03-Apr-1990', '1990-04-03'],
  ['DD MMM YYYY', '3 نيسان 1990', '1990-04-03'],
  ['excel', '32966', '1990-04-03'],
  ['excel', '1', '1900-01-01'],
] as const)('%s: %s is %s', (format, text, day) => {
  expect(parseFormattedDay(format, text, 2026)).toBe(day)
})

test('how a file writes dates is guessed only where it can be one thing alone', () => {
  expect(detectDateFormat(['03/04/1990', '25/04/1990']).format).toBe('DD/MM/YYYY')
  expect(detectDateFormat(['03/04/1990', '04/25/1990']).format).toBe('MM/DD/YYYY')
  expect(detectDateFormat(['03/04/1990', '']).format).toBeUndefined()
  expect(detectDateFormat(['1990-04-03']).format).toBe('YYYY-MM-DD')
  expect(detectDateFormat(['19900403', '20111012']).format).toBe('YYYYMMDD')
  expect(detectDateFormat(['03041990', '05061991'])).toEqual({ isAmbiguous: true })
  expect(detectDateFormat([]).format).toBeUndefined()
  // the whole column decides: a slip says nothing, and only two ways of reading it are asked about
  expect(detectDateFormat(['5/25/1989', '', 'n/a', '3/4/1990'])).toEqual({
    format: 'MM/DD/YYYY',
    isAmbiguous: false,
  })
  expect(detectDateFormat(['25.05.1989', '03.04.1990'])).toEqual({
    format: 'DD/MM/YYYY',
    isAmbiguous: false,
  })
  expect(detectDateFormat(['3/4/1990', '5/6/1991'])).toEqual({ isAmbiguous: true })
  expect(detectDateFormat(['32653', '41000'])).toEqual({ format: 'excel', isAmbiguous: false })
  expect(detectDateFormat(['1989', '1990']).format).toBeUndefined()
})

test('a column of languages is read in three languages; another language is counted as read as empty', async ({
  db,
  as,
  make,
}) => {
  const words = ['Arabic', 'es-MX', 'الإنجليزية', 'Inglés', 'French', '']
  const lines = words.map((word, at) => `Layla${at},Mansour,1990-05-1${at},female,${word}`)
  const text = `${['First name,Family name,DOB,Gender,Preferred language', ...lines].join('\n')}\n`
  const clinic = await make.clinic()
  expect(await bring(as('admin'), text, clinic.id)).toMatchObject({
    imported: 6,
    emptied: [{ key: 'imports.reasons.emptied', values: { value: 'French' } }],
  })
  const rows = await db
    .selectFrom('patients')
    .select('language')
    .where('primary_clinic_id', '=', clinic.id)
    .orderBy('date_of_birth')
    .execute()
  expect(rows.map(({ language }) => language)).toEqual(['ar', 'es', 'en', 'en', null, null])
  // the same file again changes nothing
  expect(await bring(as('admin'), text, clinic.id)).toMatchObject({ imported: 0, repeated: 6 })
})
