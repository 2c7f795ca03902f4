import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { BASE_COLUMNS } from '~/records/patient'
import { BASE_FIELDS } from '~/features/people/registration/registration-form'
import { test } from '../../../../../test/harness'
import { recording } from '../../../../../test/statements'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import type { Context } from '~/server/operation'
import { deletePatientWithRecords, deletePatients } from '../deletions/deletions.server'
import { listPatients, searchPatients } from './search.server'

const see = ['can_register_patients'] as const

describe('a person is found', () => {
  test.for([
    ['by the beginning of a name', 'moh'],
    ['by the middle of a name', 'hamme'],
    ['by both names', 'mohammed haddad'],
    ['the other way round', 'haddad moh'],
    ['in capitals', 'MOHAMMED'],
    ['spelt otherwise', 'Muhammad Hadad'],
    ['in Arabic', 'محمد حداد'],
    ['in Arabic with vowels', 'مُحَمَّد'],
    ['in one script and the other', 'محمد haddad'],
    ['with a slip of the keyboard', 'Mohmamed'],
    ['with a letter too many', 'Haddadt'],
    ['by the phone as it stands', '+963 944 112-233'],
    ['by the phone without the country', '0944112233'],
    ['by the phone with 00', '00963944112233'],
    ['by the end of the phone', '112233'],
    ['by the phone in Arabic digits', '٠٩٤٤١١٢٢٣٣'],
    ['by the government id', '12-345/A'],
    ['by the government id without its signs', '12345a'],
    ['by a part of the external id', 'EX 7'],
    ['by a name and a part of the phone', 'محمد 0944'],
  ])('%s: %s', async ([, searchQuery = ''], { as, make }) => {
    const { id } = await make.patient({
      given_name: 'Mohammed',
      surname: 'Haddad',
      phone: '+963 944 112 233',
      government_id: '12-345/A',
      external_patient_id: 'EX-77',
    })
    await make.patient({
      given_name: 'Rosa',
      surname: 'Núñez',
      phone: '0999888777',
      government_id: '999',
    })

    expect(
      (await searchPatients(as('admin'), { searchQuery })).patients.map((patient) => patient.id),
    ).toEqual([id])
    expect((await listPatients(as('admin'), { search: searchQuery })).pagination.total).toBe(1)
  })

  test.for([
    ['أحمد إبراهيم', 'احمد ابراهيم'],
    ['فاطمة عيسى', 'فاطمه عيسي'],
    ['مؤمن رئيس', 'مومن رييس'],
    ['عبد الرحمن', 'Abdulrahman'],
    ['Abdel-Rahman', 'عبدالرحمن'],
    ['يوسف عثمان', 'Yousef Osman'],
    ['José Núñez', 'jose nunez'],
    ['محـــمد', 'محمد'],
  ])('%s, written %s', async ([name, searchQuery = ''], { as, make }) => {
    const { id } = await make.patient({ given_name: name, surname: null })
    expect((await searchPatients(as('admin'), { searchQuery })).patients).toMatchObject([{ id }])
  })

  test.for([
    ['letters that pg reads as signs', '%'],
    ['an underscore', '_'],
    ['a backslash', String.raw`\ `],
    ['nothing but marks', '---'],
    ['an emoji', '😀'],
    ['a quote', "'; drop table patients"],
    ['a letter that no name begins with', 'q'],
    ['two', 'q z'],
  ])('and no patient by %s', async ([, search = ''], { as, make }) => {
    await make.patient()
    expect(await searchPatients(as('admin'), { searchQuery: search })).toEqual({ patients: [] })
    expect((await listPatients(as('admin'), { search })).pagination.total).toBe(
      search.trim() === '' ? 1 : 0,
    )
  })

  test.for([
    ['a UUID', uuidv7()],
    ['a text of an older form', 'num'],
  ] as const)(
    'by an answer whose field is marked as searchable, and not before; its id is %s',
    async ([, attribute_id], { as, make, db }) => {
      const { id } = await make.patient({ hometown: 'Rastan' })
      await db
        .insertInto('patient_additional_attributes')
        .values({
          id: uuidv7(),
          patient_id: id,
          attribute_id,
          attribute: 'tent',
          string_value: 'Tent 41B',
        })
        .execute()
      const found = async (searchQuery: string) =>
        (await searchPatients(as('admin'), { searchQuery })).patients.length
      // where a patient lives is searched without a mark
      expect([await found('41B'), await found('rastan')]).toEqual([0, 1])

      const fields = [
        { id: attribute_id, column: 'tent', isSearchField: true },
        { id: BASE_FIELDS.hometown, column: 'hometown', baseField: true, isSearchField: true },
      ]
      await db
        .insertInto('registration_forms')
        .values({ id: uuidv7(), name: 'Second', fields: JSON.stringify(fields) })
        .execute()
      expect([await found('41B'), await found('rastan')]).toEqual([1, 1])
      await db
        .updateTable('patient_additional_attributes')
        .set({ string_value: 'Tent 7' })
        .where('patient_id', '=', id)
        .execute()
      expect([await found('41B'), await found('tent 7')]).toEqual([0, 1])
    },
  )

  test('by every base column of texts that a form marks as searchable', async ({
    as,
    make,
    db,
  }) => {
    const columns = BASE_COLUMNS.filter((column) => !['date_of_birth', 'sex'].includes(column))
    await db
      .updateTable('registration_forms')
      .set({
        fields: JSON.stringify(
          columns.map((column) => ({
            id: BASE_FIELDS[column],
            column,
            baseField: true,
            isSearchField: true,
          })),
        ),
      })
      .execute()
    const texts = {
      ...Object.fromEntries(columns.map((column, at) => [column, `qyz${at}`])),
      phone: '0501234567',
    }
    const { id } = await make.patient(texts)
    for (const searchQuery of Object.values(texts))
      expect((await searchPatients(as('admin'), { searchQuery })).patients).toMatchObject([{ id }])
  })
})

test('the mother comes before the baby that is named by her, whatever was typed of her name', async ({
  as,
  make,
}) => {
  const baby = await make.patient({ given_name: 'Baby of Fatima', surname: 'Hassan' })
  const mother = await make.patient({ given_name: 'Fatima', surname: 'Hassan' })
  for (const searchQuery of ['fatima', 'fatima hassan', 'fat', 'hassan fatima']) {
    const { patients } = await searchPatients(as('admin'), { searchQuery })
    expect(patients.map(({ id }) => id)).toEqual([mother.id, baby.id])
  }
})

describe('a patient is found by the birth', () => {
  test.for([
    ['12/3/1985', ['march']],
    ['3/12/1985', ['march']],
    ['12.03.85', ['march']],
    ['1985-03-12', ['march']],
    ['12 March 1985', ['march']],
    ['12 de marzo de 1985', ['march']],
    ['١٢ آذار ١٩٨٥', ['march']],
    ['١٢/٣/١٩٨٥', ['march']],
    ['Layla 12/3/1985', ['march']],
    ['12/3/1985 ليلى', ['march']],
    ['Salma 12/3/1985', []],
    ['13/3/1985', []],
    ['5/2024', ['may', 'aMonth']],
    ['May 2024', ['may', 'aMonth']],
    ['17/5/2024', ['may']],
  ] as const)('%s: %o', async ([searchQuery, expected], { as, make }) => {
    const births = {
      march: { given_name: 'Layla', date_of_birth: '1985-03-12' },
      may: { given_name: 'Yara', date_of_birth: '2024-05-17' },
      aMonth: {
        given_name: 'Nour',
        date_of_birth: '2024-05-15',
        metadata: JSON.stringify({ date_of_birth_precision: 'month' }),
      },
      // 1 January and 1 July stand for a year, and are nobody's birthday
      aYear: {
        given_name: 'Hana',
        date_of_birth: '1985-01-01',
        metadata: JSON.stringify({ date_of_birth_precision: 'year' }),
      },
    }
    const ids = new Map<string, string>()
    for (const [name, person] of Object.entries(births))
      ids.set((await make.patient({ surname: null, ...person })).id, name)
    const { patients } = await searchPatients(as('admin'), { searchQuery })
    expect(new Set(patients.map(({ id }) => ids.get(id)))).toEqual(new Set(expected))
    const list = await listPatients(as('admin'), { search: searchQuery })
    expect(list.pagination.total).toBe(expected.length)
  })

  test('a corrected birth finds the patient, the earlier one no longer; a year alone is no day', async ({
    as,
    make,
    db,
  }) => {
    const { id } = await make.patient({ date_of_birth: '1985-03-12' })
    const found = async (searchQuery: string) =>
      (await searchPatients(as('admin'), { searchQuery })).patients.length
    await db
      .updateTable('patients')
      .set({ date_of_birth: '1986-03-12' })
      .where('id', '=', id)
      .execute()
    expect([await found('12/3/1985'), await found('12/3/1986')]).toEqual([0, 1])
    await db
      .updateTable('patients')
      .set({ metadata: JSON.stringify({ date_of_birth_precision: 'year' }) })
      .where('id', '=', id)
      .execute()
    expect(await found('12/3/1986')).toBe(0)
  })

  test('only patients that the user may know are found', async ({ asUser, make }) => {
    const [here, elsewhere] = [await make.clinic(), await make.clinic()]
    const mine = await make.patient({ date_of_birth: '1985-03-12', primary_clinic_id: here.id })
    await make.patient({ date_of_birth: '1985-03-12', primary_clinic_id: elsewhere.id })
    const me = asUser(await make.user(), { [here.id]: [...see] })
    const { patients } = await searchPatients(me, { searchQuery: '12/3/1985' })
    expect(patients.map(({ id }) => id)).toEqual([mine.id])
  })
})

test('a patient is found by the village and the camp, with a name beside it, and no longer after a move', async ({
  as,
  make,
  db,
}) => {
  const { id } = await make.patient({
    given_name: 'Layla',
    surname: 'Mansour',
    hometown: 'كفر نبل',
    camp: 'Camp 12 East',
  })
  await make.patient({ given_name: 'Layla', surname: 'Mansour', hometown: 'Idlib', camp: null })
  const found = async (searchQuery: string) =>
    (await searchPatients(as('admin'), { searchQuery })).patients.map((patient) => patient.id)
  for (const searchQuery of ['كفر نبل', 'kfr nbl', 'layla east', 'camp 12', 'mansour نبل'])
    expect([searchQuery, await found(searchQuery)]).toEqual([searchQuery, [id]])
  await db.updateTable('patients').set({ hometown: 'Homs' }).where('id', '=', id).execute()
  expect([await found('كفر نبل'), await found('homs')]).toEqual([[], [id]])
})

test('the exact id comes first, then the same name, then a name that begins so, then one that sounds so', async ({
  as,
  make,
}) => {
  const sounds = await make.patient({ given_name: 'سمير', surname: null })
  const begins = await make.patient({ given_name: 'Samirah', surname: null })
  const same = await make.patient({ given_name: 'Samir', surname: null })
  const id = await make.patient({ given_name: 'Rosa', surname: null, government_id: 'Samir 1' })

  const names = async (searchQuery: string) =>
    (await searchPatients(as('admin'), { searchQuery })).patients.map((patient) => patient.id)
  expect(await names('samir')).toEqual([same.id, begins.id, sounds.id])
  expect((await names('samir1'))[0]).toBe(id.id)
})

test('a changed name is found, the old one is not; a deleted person is not found, a restored one is', async ({
  as,
  make,
  db,
}) => {
  const { id } = await make.patient({ given_name: 'Zubaida', surname: null })
  const found = async (searchQuery: string) =>
    (await searchPatients(as('admin'), { searchQuery })).patients.length
  await db.updateTable('patients').set({ given_name: 'Ghazal' }).where('id', '=', id).execute()
  expect([await found('zubaida'), await found('ghazal')]).toEqual([0, 1])

  const { deletionId } = await deletePatientWithRecords(as('admin'), { id })
  expect(await found('ghazal')).toBe(0)
  await restoreDeletion(as('admin'), { id: deletionId })
  expect(await found('ghazal')).toBe(1)
})

test('the total of a user’s clinics counts each linked patient once and no deleted one', async ({
  as,
  make,
  db,
}) => {
  const [here, there] = [await make.clinic(), await make.clinic()]
  const provider = as('provider', { [here.id]: [...see] })
  const known = await make.patient({ primary_clinic_id: here.id })
  await make.visit({ patient_id: known.id, clinic_id: here.id })
  const deleted = await make.patient({ primary_clinic_id: there.id })
  await make.patient({ primary_clinic_id: there.id })
  await db
    .insertInto('patient_links')
    .values({ patient_id: deleted.id, clinic_id: here.id, source: 'explicit' })
    .execute()
  const totals = async () => {
    const lists = [
      listPatients(provider, {}),
      listPatients(provider, { clinicId: here.id }),
      listPatients(provider, { clinicId: there.id }),
      listPatients(as('admin'), { clinicId: here.id }),
    ]
    return (await Promise.all(lists)).map(({ pagination, patients }) => {
      expect(patients).toHaveLength(pagination.total)
      return pagination.total
    })
  }
  expect(await totals()).toEqual([2, 2, 1, 2])

  await deletePatientWithRecords(as('admin'), { id: deleted.id })
  expect(await totals()).toEqual([1, 1, 0, 1])
})

test('a picker gets ten results at most, each with its identity', async ({ as, make }) => {
  for (let i = 0; i < 11; i += 1)
    await make.patient({
      given_name: 'Nour',
      metadata: JSON.stringify({ date_of_birth_precision: 'year' }),
    })
  const { patients } = await searchPatients(as('admin'), { searchQuery: 'nour' })
  expect(patients).toHaveLength(10)
  expect(Object.keys(patients[0]!).toSorted()).toEqual([
    'date_of_birth',
    'died_on',
    'external_patient_id',
    'given_name',
    'government_id',
    'id',
    'isApproximate',
    'phone',
    'sex',
    'surname',
  ])
  expect(patients[0]).toMatchObject({
    given_name: 'Nour',
    date_of_birth: '1990-05-17',
    isApproximate: true,
  })
})

test('a search without a match folds its text once, before it reads similar spellings', async ({
  as,
  make,
}) => {
  const patient = await make.patient({ given_name: 'Amal', surname: 'Haddad' })
  for (const read of [
    (ctx: Context) => searchPatients(ctx, { searchQuery: 'hadadd' }),
    (ctx: Context) => listPatients(ctx, { search: 'hadadd' }),
  ]) {
    const { ctx, statements } = recording(as('admin'))
    expect((await read(ctx)).patients.map(({ id }) => id)).toEqual([patient.id])
    expect(statements.filter((statement) => statement.includes('search_text('))).toHaveLength(1)
  }
})

describe('the list', () => {
  test('shows a page of fifty with the total, the newest first', async ({ as, make }) => {
    for (let i = 1; i <= 51; i += 1)
      await make.patient({ given_name: `P${i}`, created_at: new Date(Date.UTC(2024, 0, i)) })
    const first = await listPatients(as('admin'), null)
    expect(first.pagination).toEqual({ page: 1, pageSize: 50, total: 51 })
    expect(first.error).toBeNull()
    expect(first.patients[0]).toMatchObject({ given_name: 'P51', clinics: [], attributes: [] })
    expect((await listPatients(as('admin'), { page: 2 })).patients).toMatchObject([
      { given_name: 'P1' },
    ])
    expect(await listPatients(as('admin'), { page: 9 })).toMatchObject({
      patients: [],
      pagination: { total: 51 },
    })
  })

  test('is narrowed by clinic, sex, age, registration and visit', async ({ as, make }) => {
    const clinic = await make.clinic()
    const year = new Date().getUTCFullYear()
    const rana = await make.patient({
      given_name: 'Rana',
      sex: 'female',
      date_of_birth: `${year - 30}-01-01`,
      primary_clinic_id: clinic.id,
      created_at: '2024-03-05T10:00:00Z',
    })
    const omar = await make.patient({
      given_name: 'Omar',
      sex: 'male',
      date_of_birth: `${year - 5}-01-01`,
      created_at: '2024-04-05T23:59:00Z',
    })
    await make.visit({
      patient_id: omar.id,
      clinic_id: clinic.id,
      check_in_timestamp: '2024-05-01T00:00:00Z',
    })
    await make.visit({
      patient_id: rana.id,
      clinic_id: clinic.id,
      check_in_timestamp: '2023-05-01T00:00:00Z',
      is_deleted: true,
    })
    const found = async (filter: Parameters<typeof listPatients>[1]) =>
      (await listPatients(as('admin'), filter)).patients
        .map(({ given_name }) => given_name ?? '')
        .toSorted()

    expect(await found({ clinicId: clinic.id })).toEqual(['Omar', 'Rana'])
    expect(await found({ sex: 'female' })).toEqual(['Rana'])
    expect(await found({ ageFrom: 30, ageTo: 30 })).toEqual(['Rana'])
    expect(await found({ ageTo: 29 })).toEqual(['Omar'])
    expect(await found({ registeredFrom: '2024-04-05', registeredTo: '2024-04-05' })).toEqual([
      'Omar',
    ])
    expect(await found({ registeredTo: '2024-04-04' })).toEqual(['Rana'])
    expect(await found({ visitedFrom: '2024-05-01', visitedTo: '2024-05-01' })).toEqual(['Omar'])
    expect(await found({ visitedTo: '2024-04-30' })).toEqual([])
    expect(await found({ search: 'omar', sex: 'female' })).toEqual([])
    expect(await found({ search: 'omar', sex: 'male', clinicId: clinic.id })).toEqual(['Omar'])
  })

  test('is sorted as its headings say, who has no date of birth at the end', async ({
    as,
    make,
  }) => {
    await make.patient({ given_name: 'Zaid', surname: 'Amari', date_of_birth: '2001-01-01' })
    await make.patient({ given_name: 'أمل', surname: 'Zidan', date_of_birth: null })
    await make.patient({ given_name: 'Ángel', surname: 'Bakr', date_of_birth: '1950-01-01' })
    const sorted = async (
      sort: 'given_name' | 'surname' | 'date_of_birth',
      direction: 'asc' | 'desc',
    ) =>
      (await listPatients(as('admin'), { sort, direction })).patients.map(
        (patient) => patient.given_name,
      )
    expect(await sorted('given_name', 'asc')).toEqual(['Ángel', 'Zaid', 'أمل'])
    expect(await sorted('surname', 'desc')).toEqual(['أمل', 'Ángel', 'Zaid'])
    expect(await sorted('date_of_birth', 'asc')).toEqual(['Ángel', 'Zaid', 'أمل'])
    expect(await sorted('date_of_birth', 'desc')).toEqual(['Zaid', 'Ángel', 'أمل'])
  })

  test('a registrar finds the patients of own clinics without visits; a provider those with readable history', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const here = await make.patient({ given_name: 'Nour', primary_clinic_id: mine.id })
    await make.patient({ given_name: 'Nour', primary_clinic_id: theirs.id })
    await make.visit({ patient_id: here.id, clinic_id: mine.id })
    const registrar = as('registrar', { [mine.id]: see })
    const provider = as('provider', { [mine.id]: ['can_view_history'] })

    for (const ctx of [registrar, provider]) {
      expect((await listPatients(ctx, { search: 'nour' })).patients.map(({ id }) => id)).toEqual([
        here.id,
      ])
      expect(
        (await searchPatients(ctx, { searchQuery: 'نور' })).patients.map(({ id }) => id),
      ).toEqual([here.id])
      expect((await listPatients(ctx, { clinicId: theirs.id })).pagination.total).toBe(0)
    }
    expect((await listPatients(registrar, { visitedFrom: '2000-01-01' })).pagination.total).toBe(0)
    expect((await listPatients(provider, { visitedFrom: '2000-01-01' })).pagination.total).toBe(1)
    await expect(listPatients(as('provider'), null)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('with and without words it shows the same people, whatever opens and ends their links', async ({
    as,
    make,
    db,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const { id } = await make.patient({ given_name: 'Nour', primary_clinic_id: theirs.id })
    const registrar = as('registrar', { [mine.id]: see })
    const shown = async () => {
      const [listed, found] = [
        await listPatients(registrar, null),
        await listPatients(registrar, { search: 'nour' }),
      ]
      expect(found.pagination.total).toBe(listed.pagination.total)
      return listed.pagination.total
    }
    expect(await shown()).toBe(0)
    const visit = await make.visit({ patient_id: id, clinic_id: mine.id })
    expect(await shown()).toBe(1)
    await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', visit.id).execute()
    expect(await shown()).toBe(0)
    await db
      .insertInto('patient_links')
      .values({ patient_id: id, clinic_id: mine.id, source: 'explicit' })
      .execute()
    expect(await shown()).toBe(1)
    await db
      .updateTable('patients')
      .set({ primary_clinic_id: mine.id })
      .where('id', '=', id)
      .execute()
    await sql`delete from patient_links where patient_id = ${id} and source = 'explicit'`.execute(
      db,
    )
    expect(await shown()).toBe(1)
    const { deletionId } = await deletePatientWithRecords(as('admin'), { id })
    expect(await shown()).toBe(0)
    await restoreDeletion(as('admin'), { id: deletionId })
    expect(await shown()).toBe(1)
  })

  test('a long list is paged in its sort order, without deleted patients and other clinics', async ({
    as,
    make,
    db,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    await sql`insert into patients (id, given_name, surname, sex, primary_clinic_id, is_deleted)
      select gen_random_uuid(), 'N' || n, 'S' || n % 7, case when n % 50 = 0 then 'male' else 'female' end,
        case when n % 20 = 0 then ${theirs.id}::uuid else ${mine.id}::uuid end, n % 30 = 1
      from generate_series(1, 2300) n`.execute(db)
    const provider = as('provider', { [mine.id]: ['can_view_history'] })
    const { rows } = await sql<{
      id: string
      sex: string
    }>`select id, sex from patients where not is_deleted
      and primary_clinic_id = ${mine.id} order by surname collate names, given_name collate names, id`.execute(
      db,
    )
    const idsOf = async (filter: { clinicId?: string; sex?: string }, page: number) => {
      const { patients, pagination } = await listPatients(provider, {
        ...filter,
        sort: 'surname',
        page,
      })
      return { ids: patients.map(({ id }) => id), total: pagination.total }
    }

    expect(rows.length).toBeGreaterThan(2000)
    expect(await idsOf({}, 3)).toEqual({
      ids: rows.slice(100, 150).map(({ id }) => id),
      total: rows.length,
    })
    // a page far into the list reads the links of the clinic first
    for (const page of [21, 40]) {
      const ids = rows.slice((page - 1) * 50, page * 50).map(({ id }) => id)
      expect(await idsOf({}, page)).toEqual({ ids, total: rows.length })
      expect(await idsOf({ clinicId: mine.id }, page)).toEqual({ ids, total: rows.length })
      const { patients } = await listPatients(as('admin'), {
        clinicId: mine.id,
        sort: 'surname',
        page,
      })
      expect(patients.map(({ id }) => id)).toEqual(ids)
    }
    const men = rows.filter(({ sex }) => sex === 'male').map(({ id }) => id)
    expect(await idsOf({ sex: 'male', clinicId: mine.id }, 1)).toEqual({
      ids: men.slice(0, 50),
      total: men.length,
    })
    expect(await idsOf({ clinicId: theirs.id }, 1)).toEqual({ ids: [], total: 0 })
    expect(await idsOf({}, 99)).toEqual({ ids: [], total: rows.length })
  })

  test.for([
    [{ sort: 'phone' }, 'sort', 'validation.option'],
    [{ ageFrom: -1 }, 'ageFrom', 'validation.tooSmall'],
    [{ registeredFrom: '2024-02-30' }, 'registeredFrom', 'validation.wrongType'],
    [{ clinicId: 'x' }, 'clinicId', 'validation.id'],
    [{ page: 0 }, 'page', 'validation.tooSmall'],
    [{ search: 'x'.repeat(201) }, 'search', 'validation.tooLong'],
  ] as const)('refuses %j beside its field', async ([input, field, key], { as }) => {
    await expect(listPatients(as('admin'), input as never)).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: { key } },
    })
  })
})

describe('deleting', () => {
  const may = ['can_view_history', 'can_delete_patient_records'] as const

  test('includes all dependent records, and needs the right in every clinic with records of the patient', async ({
    as,
    make,
    db,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const { id } = await make.patient({ primary_clinic_id: mine.id })
    const visit = await make.visit({ patient_id: id, clinic_id: theirs.id })

    await expect(
      deletePatientWithRecords(as('registrar', { [mine.id]: may }), { id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      deletePatientWithRecords(as('provider', { [mine.id]: may }), { id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      deletePatientWithRecords(as('provider', { [(await make.clinic()).id]: may }), { id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    await deletePatientWithRecords(as('provider', { [mine.id]: may, [theirs.id]: may }), { id })
    expect(
      await db
        .selectFrom('visits')
        .select('is_deleted')
        .where('id', '=', visit.id)
        .executeTakeFirst(),
    ).toEqual({
      is_deleted: true,
    })
  })

  test('a patient of no clinic is deleted by an administrator only', async ({ as, make, db }) => {
    const clinic = await make.clinic()
    const { id } = await make.patient()
    await sql`insert into patient_links (patient_id, clinic_id, source)
      values (${id}, ${clinic.id}, 'explicit')`.execute(db)
    await expect(
      deletePatientWithRecords(as('provider', { [clinic.id]: may }), { id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await deletePatientWithRecords(as('admin'), { id })
  })

  test('many at once: all or none, with the reason for each', async ({ as, make, db }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const provider = as('provider', { [mine.id]: may })
    const [a, b] = [
      await make.patient({ primary_clinic_id: mine.id }),
      await make.patient({ primary_clinic_id: mine.id }),
    ]
    const shared = await make.patient({
      given_name: 'Rana',
      surname: 'Saleh',
      primary_clinic_id: mine.id,
    })
    await make.visit({ patient_id: shared.id, clinic_id: theirs.id })

    await expect(
      deletePatients(provider, { ids: [a.id, shared.id, uuidv7()] }),
    ).rejects.toMatchObject({
      code: 'conflict',
      fields: {
        'ids.1': { key: 'patients.cannotDelete', values: { name: 'Rana Saleh' } },
        'ids.2': { key: 'patients.notFound' },
      },
    })
    const { deleted } = await deletePatients(provider, { ids: [a.id, b.id, a.id] })
    expect(deleted.map(({ id }) => id).toSorted()).toEqual([a.id, b.id].toSorted())
    await restoreDeletion(as('admin'), { id: deleted[0]!.deletionId })
    expect(
      (
        await db
          .selectFrom('patients')
          .select('id')
          .where('is_deleted', '=', true)
          .where('id', 'in', [a.id, b.id])
          .execute()
      ).length,
    ).toBe(1)
    await expect(
      deletePatients(provider, { ids: Array.from({ length: 201 }, () => uuidv7()) }),
    ).rejects.toMatchObject({
      code: 'invalid',
    })
  })
})

test('registering a patient looks up the words of the name and does not read all words', async ({
  db,
  make,
}) => {
  const read = async () => {
    const { rows } = await sql<{ scans: number }>`
      select seq_scan as scans from pg_stat_xact_user_tables where relname = 'name_words'`.execute(
      db,
    )
    return rows[0]?.scans ?? 0
  }
  await make.patient({ given_name: 'Mohammed', surname: 'Haddad' })
  const before = await read()
  await make.patient({ given_name: 'Mohammed', surname: 'Oneword' })
  expect((await read()) - before).toBe(0)
  const { rows } =
    await sql`select word from name_words where word in ('mohammed', 'oneword')`.execute(db)
  expect(rows).toHaveLength(2)
})
