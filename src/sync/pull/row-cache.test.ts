import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import { asOwner, cloneTemplate, test, urlsOf } from '../../../test/harness'
import { makeFactories } from '../../../test/factories'
import type { DB } from '~/db/types'
import { allTables, type TableName, wireText } from '../schema/tables'
import { rowCacheTable } from './row-cache'
import { keepRowCaches } from './row-cache.server'

/** Rows whose cached form differs from what phones would receive now, by table. */
async function stale(db: Kysely<DB>): Promise<Partial<Record<TableName, string[]>>> {
  const found: Partial<Record<TableName, string[]>> = {}
  for (const [name, table] of allTables) {
    const { rows } = await sql<{ id: string }>`
      select coalesce(t.id, w.row_id) as id from (select * from ${sql.table(name)} where not is_deleted) t
      full join ${sql.table(rowCacheTable(name))} w on w.row_id = t.id
      where w.text is distinct from ${sql.raw(wireText(table))}`.execute(db)
    if (rows.length > 0) found[name] = rows.map(({ id }) => id)
  }
  return found
}

const world = test.extend('own', async ({}, { onCleanup }) => {
  const name = `wires_${crypto.randomUUID().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  onCleanup(() => db.destroy())
  return { name, db, url: urlsOf(name).ownerUrl }
})

test('the cached row follows the row: inserted, changed, deleted, restored, removed', async ({
  owner: db,
}) => {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const written = async () =>
    (
      await sql<{
        text: string
      }>`select text from wire_patients where row_id = ${patient.id}`.execute(db)
    ).rows
  expect(JSON.parse((await written())[0]!.text)).toMatchObject({
    id: patient.id,
    surname: patient.surname,
  })

  // whatever a session prefers
  await sql`set local datestyle = 'SQL, DMY'`.execute(db)
  const change = { surname: 'Ḥaddād "the \\ elder"', date_of_birth: '1931-02-03' }
  await db.updateTable('patients').set(change).where('id', '=', patient.id).execute()
  await sql`set local datestyle = 'ISO, YMD'`.execute(db)
  expect(JSON.parse((await written())[0]!.text)).toMatchObject(change)
  expect(await stale(db)).toEqual({})

  for (const is_deleted of [true, false]) {
    await db.updateTable('patients').set({ is_deleted }).where('id', '=', patient.id).execute()
    expect(await written()).toHaveLength(is_deleted ? 0 : 1)
  }
  expect(await stale(db)).toEqual({})
  await db.deleteFrom('clinic_departments').where('clinic_id', '=', clinic.id).execute()
  await db.deleteFrom('patient_links').where('patient_id', '=', patient.id).execute()
  await db.deleteFrom('patients').where('id', '=', patient.id).execute()
  expect(await written()).toEqual([])
  expect(await stale(db)).toEqual({})
})

world(
  'a server that tells rows otherwise than the one before writes them down anew, and only these',
  async ({ own }) => {
    const make = makeFactories(own.db)
    const patient = await make.patient({ primary_clinic_id: (await make.clinic()).id })
    expect(await keepRowCaches(own.url)).toEqual([])
    await asOwner(own.name, (owner) =>
      sql`create or replace function write_down_patients() returns trigger language plpgsql as
      'begin update wire_patients set text = ''{}''; return null; end'`.execute(owner),
    )
    await own.db
      .updateTable('patients')
      .set({ surname: 'As the one before says' })
      .where('id', '=', patient.id)
      .execute()
    expect(await stale(own.db)).toEqual({ patients: [patient.id] })
    expect(await keepRowCaches(own.url)).toEqual(['patients'])
    expect(await stale(own.db)).toEqual({})
    expect(await keepRowCaches(own.url)).toEqual([])
  },
)

world('a restore rebuilds all caches, several at a time', async ({ own }) => {
  const make = makeFactories(own.db)
  const patient = await make.patient({ primary_clinic_id: (await make.clinic()).id })
  await asOwner(own.name, async (owner) => {
    for (const name of ['patients', 'clinics'])
      await sql
        .raw(
          `create or replace function write_down_${name}() returns trigger language plpgsql
           as 'begin return null; end'; delete from wire_${name}`,
        )
        .execute(owner)
  })
  expect((await stale(own.db))['patients']).toContain(patient.id)
  const rebuilt = await keepRowCaches(own.url, { isOffline: true })
  expect(rebuilt.toSorted()).toEqual(['clinics', 'patients'])
  expect(await stale(own.db)).toEqual({})
  expect(await keepRowCaches(own.url, { isOffline: true })).toEqual([])
})

world('no write is missed while the cache is filled again', async ({ own }) => {
  const make = makeFactories(own.db)
  const patient = await make.patient({ primary_clinic_id: (await make.clinic()).id })
  await asOwner(own.name, (owner) =>
    sql`create or replace function write_down_patients() returns trigger language plpgsql
      as 'begin return null; end'`.execute(owner),
  )
  const slow = new pg.Client(own.url)
  await slow.connect()
  await slow.query('begin')
  await slow.query('update patients set surname = $1 where id = $2', ['Slowly', patient.id])
  const kept = keepRowCaches(own.url)
  // until it stands behind the slow one
  while ((await slow.query('select from pg_locks where not granted')).rowCount === 0);
  await slow.query('commit')
  await slow.end()
  expect(await kept).toEqual(['patients'])
  expect(await stale(own.db)).toEqual({})
})

world('a rebuilt cache grows no further, and leaves no deleted row to read', async ({ own }) => {
  const make = makeFactories(own.db)
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await asOwner(own.name, (owner) =>
    sql`insert into patient_vitals (id, patient_id, timestamp, heart_rate, recorded_clinic_id)
      select gen_random_uuid(), ${patient.id}, now(), 60, ${clinic.id} from generate_series(1, 300)`.execute(
      owner,
    ),
  )
  const rebuild = async (isOffline: boolean) => {
    const size = await asOwner(own.name, async (owner) => {
      const { rows } = await sql<{ bytes: number }>`
        select pg_relation_size('wire_patient_vitals')::integer as bytes`.execute(owner)
      await sql`create or replace function write_down_patient_vitals() returns trigger
        language plpgsql as 'begin return null; end'`.execute(owner)
      return rows[0]!.bytes
    })
    expect(await keepRowCaches(own.url, { isOffline })).toEqual(['patient_vitals'])
    return size
  }
  const first = await rebuild(false)
  // the earlier rows' space is used again
  const second = await rebuild(false)
  expect(await rebuild(false)).toBeLessThanOrEqual(second)
  await rebuild(true)
  expect(await rebuild(true)).toBeLessThanOrEqual(first)
})
