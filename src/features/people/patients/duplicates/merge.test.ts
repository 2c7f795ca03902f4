import fc from 'fast-check'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { loadActiveAllergies, recordNoAllergies } from '~/features/care/allergies/allergies.server'
import type { Context } from '~/server/operation'
import { auditOf, test } from '../../../../../test/harness'
import { listMerges, mergePatients, mergePreview, unmergePatients } from './merge.server'
import { listPatients } from '../search/search.server'

const field = uuidv7()
const answer = (db: Kysely<DB>, patient_id: string, string_value: string, attribute_id = field) =>
  db
    .insertInto('patient_additional_attributes')
    .values({ id: uuidv7(), patient_id, attribute_id, attribute: 'allergy', string_value })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Every row that knows one of the two, but for the stamps of the last change. */
async function everythingOf(db: Kysely<DB>, ids: string[]) {
  const columns = await sql<{
    table_name: string
    column_name: string
  }>`select * from patient_columns
    union all values ('patients', 'id'), ('patient_search', 'patient_id')`.execute(db)
  const all: Record<string, unknown> = {}
  for (const { table_name, column_name } of columns.rows) {
    const { rows } = await sql<{
      row: unknown
    }>`select to_jsonb(t) - 'last_modified' - 'updated_at' - 'deleted_at' as row
      from ${sql.table(table_name)} t where ${sql.ref(column_name)} in (${sql.join(ids)}) order by 1`.execute(
      db,
    )
    all[table_name] = rows.map(({ row }) => row)
  }
  const links = await sql`select patient_id, clinic_id, source from patient_links
      where until is null and patient_id in (${sql.join(ids)}) order by 1, 2, 3`.execute(db)
  return { ...all, links: links.rows }
}

test('every table that knows a patient is merged, but for those that keep no records', async ({
  db,
}) => {
  const { rows } = await sql<{
    name: string
  }>`select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'patients'::regclass
      and conrelid::regclass::text not in (select table_name from patient_columns) order by 1`.execute(
    db,
  )
  // a new table with patients in it: let `keep_record` look after it, or say here why a merge
  // leaves it alone
  const moveByThemselves = [
    'contact_consents',
    'follow_up_calls',
    'follow_up_items',
    'follow_up_stale',
    'merged_arrivals',
    'messages',
    'patient_links',
    'patient_search',
  ]
  const notes = ['import_duplicates', 'patient_merges', 'undone_patients']
  expect(
    rows.map(({ name }) => name).filter((name) => ![...moveByThemselves, ...notes].includes(name)),
  ).toEqual([])

  const fixed = await sql<{ name: string }>`select conname as name from pg_constraint
    where contype = 'f' and confrelid = 'patients'::regclass and not condeferrable
      and conrelid::regclass::text in (select table_name from patient_columns)`.execute(db)
  // a key to patients is deferrable, so that a merge can move rows in any order
  expect(fixed.rows).toEqual([])
})

test('everything moves to the winner; the loser becomes a tombstone that points to the winner', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const winner = await make.patient({ phone: null, primary_clinic_id: clinic.id })
  const loser = await make.patient({ phone: '0944', given_name: 'Leila' })
  const visit = await make.visit({ patient_id: loser.id, clinic_id: clinic.id })
  const vital = await make.vital({ patient_id: loser.id, visit_id: visit.id })

  expect(await mergePreview(as('admin'), { winnerId: winner.id, loserId: loser.id })).toMatchObject(
    {
      moves: [
        { table: 'patient_vitals', count: 1 },
        { table: 'visits', count: 1 },
      ],
      entries: { winner: 0, loser: 2 },
      fields: expect.arrayContaining([
        { name: 'phone', winner: null, loser: '0944', keeps: 'loser' },
        { name: 'given_name', winner: 'Layla', loser: 'Leila', keeps: 'winner' },
      ]),
    },
  )
  const id = uuidv7()
  await mergePatients(as('admin'), {
    id,
    winnerId: winner.id,
    loserId: loser.id,
    choices: { given_name: 'loser' },
  })

  expect(
    await db
      .selectFrom('visits')
      .select('patient_id')
      .where('id', '=', visit.id)
      .executeTakeFirst(),
  ).toEqual({
    patient_id: winner.id,
  })
  expect(
    await db
      .selectFrom('patient_vitals')
      .select('patient_id')
      .where('id', '=', vital.id)
      .executeTakeFirst(),
  ).toEqual({ patient_id: winner.id })
  expect((await listPatients(as('admin'), null)).patients).toMatchObject([
    { id: winner.id, phone: '0944', given_name: 'Leila' },
  ])
  const living = await sql`select living_patient(${loser.id}) as id`.execute(db)
  expect(living.rows).toEqual([{ id: winner.id }])
  expect(await auditOf(db, id)).toMatchObject([
    { action: 'patients.merge', changes: { loser_id: [loser.id, winner.id] } },
  ])
})

test('the record with more in it is proposed to keep; of two as full the older one', async ({
  as,
  make,
}) => {
  const older = await make.patient({ created_at: new Date('2026-01-05T09:00:00Z') })
  const newer = await make.patient({ created_at: new Date('2026-01-06T09:00:00Z') })
  const proposes = async (winnerId: string, loserId: string) =>
    (await mergePreview(as('admin'), { winnerId, loserId })).proposed
  const both = async () => [await proposes(older.id, newer.id), await proposes(newer.id, older.id)]
  expect(await both()).toEqual(['winner', 'loser'])
  await make.visit({ patient_id: newer.id })
  expect(await both()).toEqual(['loser', 'winner'])
  await make.visit({ patient_id: older.id })
  await make.problem({ patient_id: older.id })
  expect(await both()).toEqual(['winner', 'loser'])
})

describe('a merge leaves no contradiction, and each fact once', () => {
  const merged = async (
    admin: Context,
    [winner, loser]: readonly [{ id: string }, { id: string }],
  ) => {
    const id = uuidv7()
    await mergePatients(admin, { id, winnerId: winner.id, loserId: loser.id, choices: {} })
    return id
  }
  const activeOf = async (db: Kysely<DB>, { id }: { id: string }) =>
    (await loadActiveAllergies(db, id)).map(({ substance }) => substance)

  test.for(['winner', 'loser'] as const)(
    'no known allergies of the %s end with an allergy of the other, and return with the undo',
    async (side, { as, asUser, make, db }) => {
      const pair = [await make.patient(), await make.patient()] as const
      const [asked, allergic] = side === 'winner' ? pair : [pair[1], pair[0]]
      const admin = as('admin')
      const nurse = asUser(await make.user({ role: 'admin' }))
      await recordNoAllergies(nurse, { id: uuidv7(), patientId: asked.id })
      await make.allergy({ patient_id: allergic.id })
      const mergeId = await merged(admin, pair)
      expect(await activeOf(db, pair[0])).toEqual(['Amoxicillin'])
      await unmergePatients(admin, { mergeId })
      expect(await activeOf(db, asked)).toEqual(['No known allergies'])
      expect(await activeOf(db, allergic)).toEqual(['Amoxicillin'])
    },
  )

  test('no known allergies return with the undo of the merge that ended them only', async ({
    as,
    make,
    db,
  }) => {
    const [asked, allergic, other] = [
      await make.patient(),
      await make.patient(),
      await make.patient(),
    ]
    await make.noAllergies(asked.id)
    const { id } = await make.allergy({ patient_id: allergic.id })
    const mergeId = await merged(as('admin'), [asked, allergic])
    await db
      .updateTable('patient_allergies')
      .set({ status: 'inactive' })
      .where('id', '=', id)
      .execute()
    await unmergePatients(as('admin'), { mergeId: await merged(as('admin'), [asked, other]) })
    expect(await activeOf(db, asked)).toEqual([])
    await unmergePatients(as('admin'), { mergeId })
    expect(await activeOf(db, asked)).toEqual(['No known allergies'])
  })

  test('an allergy, a problem and a dose that both have are there once, with what either says', async ({
    as,
    make,
    db,
  }) => {
    const pair = [await make.patient(), await make.patient()] as const
    const [winner, loser] = pair
    for (const { id: patient_id } of pair) {
      await make.allergy({ patient_id })
      await make.problem({ patient_id })
      await make.immunization({ patient_id, given_on: '2026-01-02' })
    }
    // says more than the other: both are kept
    await make.allergy({
      patient_id: winner.id,
      substance: 'Latex',
      substance_kind: 'other',
      substance_code: null,
    })
    await make.allergy({
      patient_id: loser.id,
      substance: 'latex',
      substance_kind: 'other',
      substance_code: null,
      reaction: 'rash',
    })
    const count = async (table: 'patient_problems' | 'patient_immunizations') =>
      (
        await db
          .selectFrom(table)
          .select('id')
          .where('patient_id', '=', winner.id)
          .where('is_deleted', '=', false)
          .execute()
      ).length
    const mergeId = await merged(as('admin'), pair)
    expect((await activeOf(db, winner)).toSorted()).toEqual(['Amoxicillin', 'Latex', 'latex'])
    expect([await count('patient_problems'), await count('patient_immunizations')]).toEqual([1, 1])
    await unmergePatients(as('admin'), { mergeId })
    expect((await activeOf(db, loser)).toSorted()).toEqual(['Amoxicillin', 'latex'])
  })
})

test('an answer that both gave is kept once, and the other is shown in the list of merges', async ({
  as,
  make,
  db,
}) => {
  const [winner, loser] = [
    await make.patient({ given_name: 'Rana', surname: 'Saleh' }),
    await make.patient({ given_name: 'Rana', surname: 'Salih' }),
  ]
  await answer(db, winner.id, 'penicillin')
  await answer(db, loser.id, 'latex')
  const only = await answer(db, loser.id, 'nuts', uuidv7())

  const mergeId = uuidv7()
  await mergePatients(as('admin'), {
    id: mergeId,
    winnerId: winner.id,
    loserId: loser.id,
    choices: { [`answers.${field}`]: 'loser' },
  })
  const kept = db
    .selectFrom('patient_additional_attributes')
    .select(['string_value'])
    .where('patient_id', '=', winner.id)
    .where('is_deleted', '=', false)
  expect((await kept.orderBy('string_value').execute()).map((row) => row.string_value)).toEqual([
    'latex',
    'nuts',
  ])
  expect((await listMerges(as('admin'), null)).rows).toMatchObject([
    {
      id: mergeId,
      winner: 'Rana Saleh',
      loser: 'Rana Salih',
      notKept: [{ name: 'allergy', value: 'penicillin' }],
    },
  ])

  await unmergePatients(as('admin'), { mergeId })
  expect((await kept.execute()).map((row) => row.string_value)).toEqual(['penicillin'])
  expect(
    await db
      .selectFrom('patient_additional_attributes')
      .select('patient_id')
      .where('id', '=', only.id)
      .executeTakeFirst(),
  ).toEqual({ patient_id: loser.id })
})

test('a home clinic that is archived moves with the record, and back', async ({ as, make, db }) => {
  const clinic = await make.clinic()
  const winner = await make.patient({ primary_clinic_id: null })
  const loser = await make.patient({ primary_clinic_id: clinic.id })
  await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', clinic.id).execute()
  const homeOf = async ({ id }: { id: string }) =>
    (await db.selectFrom('patients').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
      .primary_clinic_id
  const mergeId = uuidv7()
  const ids = { winnerId: winner.id, loserId: loser.id }
  await mergePatients(as('admin'), { id: mergeId, ...ids, choices: {} })
  expect(await homeOf(winner)).toBe(clinic.id)
  await unmergePatients(as('admin'), { mergeId })
  expect([await homeOf(winner), await homeOf(loser)]).toEqual([null, clinic.id])
})

test('merged and taken apart again, every row is as it was', async ({ as, make, db }) => {
  const clinics = [await make.clinic(), await make.clinic(), await make.clinic()]
  const archived = clinics[2]!
  const name = fc.constantFrom('Layla', 'ليلى', 'Leila', null)
  const person = fc.record({
    given_name: name,
    surname: name,
    phone: fc.option(fc.constantFrom('0944112233', '0933'), { nil: null }),
    date_of_birth: fc.constantFrom('1990-05-17', '1991-01-01', null),
    primary: fc.option(fc.nat(2), { nil: null }),
    visits: fc.array(fc.record({ clinic: fc.nat(2), vitals: fc.nat(2), isDeleted: fc.boolean() }), {
      maxLength: 3,
    }),
    answers: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
    explicit: fc.array(fc.nat(2), { maxLength: 2 }),
  })
  type Person = typeof person extends fc.Arbitrary<infer P> ? P : never
  const attributes = [uuidv7(), uuidv7(), uuidv7()]
  await fc.assert(
    fc.asyncProperty(person, person, fc.constantFrom('winner', 'loser'), async (a, b, choice) => {
      await sql`savepoint property`.execute(db)
      try {
        await returnsToItself(a, b, choice)
      } finally {
        await sql`rollback to savepoint property`.execute(db)
      }
    }),
    { numRuns: 15 },
  )

  async function returnsToItself(a: Person, b: Person, choice: string) {
    const ids: string[] = []
    for (const {
      given_name,
      surname,
      phone,
      date_of_birth,
      primary,
      visits,
      answers,
      explicit,
    } of [a, b]) {
      const patient = await make.patient({
        given_name,
        surname,
        phone,
        date_of_birth,
        primary_clinic_id: primary === null ? null : clinics[primary]!.id,
      })
      ids.push(patient.id)
      for (const { clinic, vitals, isDeleted } of visits) {
        const visit = await make.visit({
          patient_id: patient.id,
          clinic_id: clinics[clinic]!.id,
          is_deleted: isDeleted,
        })
        for (let i = 0; i < vitals; i += 1)
          await make.vital({ patient_id: patient.id, visit_id: visit.id, is_deleted: isDeleted })
      }
      for (const at of answers) await answer(db, patient.id, `of ${ids.length}`, attributes[at])
      for (const at of new Set(explicit)) {
        await sql`insert into patient_links (patient_id, clinic_id, source)
            values (${patient.id}, ${clinics[at]!.id}, 'explicit')`.execute(db)
      }
    }
    await db
      .updateTable('clinics')
      .set({ is_archived: true })
      .where('id', '=', archived.id)
      .execute()
    const before = await everythingOf(db, ids)
    const mergeId = uuidv7()
    const choices = Object.fromEntries(
      ['given_name', 'phone', 'date_of_birth', ...attributes.map((id) => `answers.${id}`)].map(
        (key) => [key, choice],
      ),
    )
    await mergePatients(as('admin'), {
      id: mergeId,
      winnerId: ids[0]!,
      loserId: ids[1]!,
      choices,
    } as never)
    const loserHas = await sql<{
      n: number
    }>`select count(*) as n from visits where patient_id = ${ids[1]}`.execute(db)
    expect(loserHas.rows[0]!.n).toBe(0)
    await unmergePatients(as('admin'), { mergeId })
    expect(await everythingOf(db, ids)).toEqual(before)
  }
})

describe('after a merge', () => {
  test('what was recorded since stays with the one who stayed, but for what belongs to a visit that goes back', async ({
    as,
    make,
    db,
  }) => {
    const [winner, loser] = [await make.patient(), await make.patient()]
    const visit = await make.visit({ patient_id: loser.id })
    const mergeId = uuidv7()
    await mergePatients(as('admin'), { id: mergeId, winnerId: winner.id, loserId: loser.id })
    const since = await make.visit({ patient_id: winner.id })
    const vital = await make.vital({ patient_id: winner.id, visit_id: visit.id })
    await db.updateTable('patients').set({ hometown: 'Homs' }).where('id', '=', winner.id).execute()

    await unmergePatients(as('admin'), { mergeId })
    const owner = async (table: 'visits' | 'patient_vitals', id: string) =>
      (
        await db
          .selectFrom(table)
          .select('patient_id')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).patient_id
    expect(await owner('visits', since.id)).toBe(winner.id)
    expect(await owner('visits', visit.id)).toBe(loser.id)
    expect(await owner('patient_vitals', vital.id)).toBe(loser.id)
    expect(
      (
        await db
          .selectFrom('patients')
          .select('hometown')
          .where('id', '=', winner.id)
          .executeTakeFirstOrThrow()
      ).hometown,
    ).toBe('Homs')
  })

  test('the same request again, for merging or taking apart, changes nothing more', async ({
    as,
    make,
    db,
  }) => {
    const [winner, loser] = [await make.patient(), await make.patient()]
    const input = { id: uuidv7(), winnerId: winner.id, loserId: loser.id }
    await mergePatients(as('admin'), input)
    await mergePatients(as('admin'), input)
    await unmergePatients(as('admin'), { mergeId: input.id })
    await unmergePatients(as('admin'), { mergeId: input.id })
    expect(await auditOf(db, input.id)).toHaveLength(2)
    await expect(unmergePatients(as('admin'), { mergeId: uuidv7() })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('the clinic that cared for the other goes on seeing the history', async ({ as, make }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const [winner, loser] = [
      await make.patient({ primary_clinic_id: theirs.id }),
      await make.patient({ primary_clinic_id: mine.id }),
    ]
    await mergePatients(as('admin'), { id: uuidv7(), winnerId: winner.id, loserId: loser.id })
    expect(
      (
        await listPatients(as('provider', { [mine.id]: ['can_view_history'] }), {
          visitedFrom: '1999-01-01',
        })
      ).pagination.total,
    ).toBe(0)
    expect(
      (await listPatients(as('provider', { [mine.id]: ['can_view_history'] }), null)).patients,
    ).toMatchObject([{ id: winner.id }])
  })
})

describe('who may merge', () => {
  const full = ['can_register_patients', 'can_edit_records', 'can_delete_patient_records'] as const
  test('needs the right to change and to delete both, in every clinic where they have records', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const [winner, loser] = [
      await make.patient({ primary_clinic_id: mine.id }),
      await make.patient({ primary_clinic_id: mine.id }),
    ]
    const input = { id: uuidv7(), winnerId: winner.id, loserId: loser.id }

    await expect(mergePatients(as('registrar', { [mine.id]: full }), input)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      mergePatients(as('provider', { [mine.id]: ['can_edit_records', 'can_view_history'] }), input),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(mergePatients(as('provider', { [theirs.id]: full }), input)).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    )
    await make.visit({ patient_id: loser.id, clinic_id: theirs.id })
    await expect(mergePatients(as('provider', { [mine.id]: full }), input)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await mergePatients(as('provider', { [mine.id]: full, [theirs.id]: full }), input)
  })

  test('a patient is not merged with itself', async ({ as, make }) => {
    const { id } = await make.patient()
    await expect(
      mergePatients(as('admin'), { id: uuidv7(), winnerId: id, loserId: id }),
    ).rejects.toMatchObject({
      fields: { loserId: { key: 'merge.samePatient' } },
    })
    await expect(
      mergePreview(as('admin'), { winnerId: id, loserId: uuidv7() }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
