import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import sharp from 'sharp'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { aRequest, test, urlsOf } from '../../../../../test/harness'
import type { DB } from '~/db/types'
import { importHikma } from './hikma.server'
import { newReport } from './run'
import { openHikma } from './source.server'

const NAME = `hikma_${process.pid}_${process.env['VITEST_POOL_ID'] ?? ''}`
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const OPEN = id(1)
const ARCHIVED = id(2)
const USER = id(3)
const ALI = id(4)
const BEA = id(5)
const VISIT = id(6)
const EVENT = id(7)

let source: pg.Client

/** An older server: fewer tables, and columns that came later are missing. */
beforeAll(async () => {
  const owner = new pg.Client(urlsOf('postgres').ownerUrl)
  await owner.connect()
  await owner.query(`create database ${NAME}`)
  await owner.end()
  source = new pg.Client(urlsOf(NAME).ownerUrl)
  await source.connect()
  const common = `id uuid primary key, is_deleted boolean default false, deleted_at timestamptz,
    created_at timestamptz default '2024-01-01Z', updated_at timestamptz default '2024-01-01Z'`
  await source.query(`
    create table clinics (${common}, name text, is_archived boolean default false);
    create table users (${common}, name text, role text, email text, hashed_password text, clinic_id uuid);
    create table patients (${common}, given_name text, surname text, date_of_birth date, hometown text, phone text,
      sex varchar(24), metadata jsonb default '{}', primary_clinic_id uuid);
    create table visits (${common}, patient_id uuid, clinic_id uuid, provider_id uuid, check_in_timestamp timestamptz);
    create table event_forms (${common}, name text, form_fields jsonb default '[]');
    create table events (${common}, patient_id uuid, visit_id uuid, form_id uuid, event_type text,
      form_data jsonb default '[]')`)
})
afterAll(() => source.end())

const fill = () =>
  source.query(`truncate clinics, users, patients, visits, event_forms, events;
    insert into clinics (id, name, is_archived) values ('${OPEN}', 'North', false), ('${ARCHIVED}', 'South', true);
    insert into users (id, name, role, email, hashed_password)
      values ('${USER}', 'Amal', 'super_admin', 'Amal@Old.Example', '$2b$10$${'a'.repeat(53)}');
    insert into patients (id, given_name, hometown, phone, primary_clinic_id) values
      ('${ALI}', 'Ali', 'Old town', '1', '${OPEN}'), ('${BEA}', 'Bea', 'Old town', '2', '${ARCHIVED}');
    insert into visits (id, patient_id, clinic_id) values ('${VISIT}', '${ALI}', '${ARCHIVED}');
    insert into events (id, patient_id, visit_id, event_type) values ('${EVENT}', '${ALI}', '${VISIT}', 'Note')`)

async function run(db: Kysely<DB>, isDryRun = false, files?: string) {
  const opened = await openHikma(urlsOf(NAME).ownerUrl)
  const report = newReport()
  const differences: string[] = []
  try {
    const ctx = { db, actor: null, request: aRequest('command') }
    await importHikma(ctx, opened, report, {
      isDryRun,
      files,
      onDifference: (table, { column }) => void differences.push(`${table}.${column}`),
    })
  } finally {
    await opened.end()
  }
  return { report, differences }
}

const written = async (db: Kysely<DB>) => {
  const { rows } = await sql`select (select count(*) from audit_log) as audited,
    (select count(*) from import_rows) as rows, (select max(xid::text) from sync_rows) as synced,
    (select count(*) from patients) as patients`.execute(db)
  return rows[0]
}
const patient = (db: Kysely<DB>, one: string) =>
  db.selectFrom('patients').selectAll().where('id', '=', one).executeTakeFirstOrThrow()

test('a rehearsal writes nothing, the import does, and a second run without news writes nothing', async ({
  db,
}) => {
  await fill()
  const empty = await written(db)
  expect((await run(db, true)).report.hasNews).toBe(true)
  expect(await written(db)).toEqual(empty)

  const { report } = await run(db)
  expect(report.missing).toContain('patients.photo_url')
  expect(report.missing).toContain('prescriptions')
  expect(await patient(db, ALI)).toMatchObject({
    given_name: 'Ali',
    created_at: new Date('2024-01-01'),
    primary_clinic_id: OPEN,
  })
  const clinic = db.selectFrom('clinics').select('is_archived').where('id', '=', ARCHIVED)
  expect(await clinic.executeTakeFirst()).toEqual({ is_archived: true })
  const entry = db.selectFrom('audit_log').select(['action', 'via', 'user_id'])
  expect(await entry.where('record_id', '=', ALI).executeTakeFirst()).toEqual({
    action: 'imports.hikma',
    via: 'command',
    user_id: null,
  })

  const after = await written(db)
  const second = await run(db)
  expect(second.report.hasNews).toBe(false)
  expect(await written(db)).toEqual(after)
})

test('a repeated run takes what changed at the source, and keeps what changed in Sanad', async ({
  db,
}) => {
  await fill()
  await run(db)
  await source.query(`update patients set phone = '11', hometown = 'New town', updated_at = '2024-02-01Z'
    where id = '${ALI}'`)
  await sql`update patients set hometown = 'Here' where id = ${ALI}`.execute(db)
  // a new row of a clinic that is archived here by now
  await source.query(
    `insert into visits (id, patient_id, clinic_id) values ('${id(8)}', '${BEA}', '${ARCHIVED}')`,
  )

  const { report, differences } = await run(db)

  expect(await patient(db, ALI)).toMatchObject({ phone: '11', hometown: 'Here' })
  expect(differences).toEqual(['patients.hometown'])
  expect(report.tables.find(({ table }) => table === 'visits')).toMatchObject({ inserted: 1 })
  expect((await run(db)).report.hasNews).toBe(false)
})

test('what the source deletes is deleted here, to be undone from the trash', async ({ db }) => {
  await fill()
  await run(db)
  await source.query(
    `update patients set is_deleted = true, deleted_at = '2024-03-01Z' where id = '${BEA}'`,
  )
  // Sanad deletes no clinic with records
  await source.query(`delete from events where id = '${EVENT}';
    delete from clinics where id = '${ARCHIVED}'`)

  await run(db)

  expect(await patient(db, BEA)).toMatchObject({
    is_deleted: true,
    deleted_at: new Date('2024-03-01'),
  })
  const trash = await db.selectFrom('deletions').select(['table_name', 'deleted_by']).execute()
  expect(trash).toEqual(
    expect.arrayContaining([
      { table_name: 'patients', deleted_by: null },
      { table_name: 'events', deleted_by: null },
    ]),
  )
})

test('a tombstone of the source brings its live rows along, and the trash restores them together', async ({
  db,
}) => {
  await fill()
  await source.query(`update patients set is_deleted = true where id = '${ALI}';
    update visits set clinic_id = '${OPEN}'`)
  await run(db)
  const deletion = await db.selectFrom('deletions').select('id').executeTakeFirstOrThrow()
  await sql`select undo_deletion(${deletion.id}, null)`.execute(db)

  expect(await patient(db, ALI)).toMatchObject({ is_deleted: false })
  const visit = db.selectFrom('visits').select('is_deleted').where('id', '=', VISIT)
  expect(await visit.executeTakeFirst()).toEqual({ is_deleted: false })
})

test('photos and files come from a folder, once', async ({ db }) => {
  await fill()
  const folder = await mkdtemp(join(tmpdir(), 'hikma-files-'))
  const image = sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
  await writeFile(join(folder, `${ALI}.png`), await image.png().toBuffer())
  await writeFile(join(folder, `${id(9)}.pdf`), '%PDF-1.4')
  const answer = JSON.stringify([{ fieldId: 'scan', fieldType: 'file', value: id(9) }])
  await source.query('update events set form_data = $1', [answer])

  await run(db, false, folder)

  const { photo_url, updated_at } = await patient(db, ALI)
  expect(photo_url).toContain(`/api/photos/${ALI}?v=`)
  expect(updated_at).toEqual(new Date('2024-01-01'))
  const kept = await db
    .selectFrom('event_files')
    .select(['id', 'event_id', 'field_id', 'mime_type', 'name'])
    .execute()
  expect(kept).toEqual([
    {
      id: id(9),
      event_id: EVENT,
      field_id: 'scan',
      mime_type: 'application/pdf',
      name: `${id(9)}.pdf`,
    },
  ])
  expect((await run(db, false, folder)).report.hasNews).toBe(false)
  await rm(folder, { recursive: true })
})

test('a database that is none of a Hikma server is refused, and so is no address', async () => {
  await expect(openHikma(urlsOf('postgres').ownerUrl)).rejects.toThrow('has no table clinics')
  await expect(openHikma(urlsOf('template').ownerUrl)).rejects.toThrow('one of Sanad')
  await expect(openHikma('mysql://x')).rejects.toThrow('looks like postgres://')
})

test('what a clinician has to look at is listed once, and a rehearsal lists nothing', async ({
  db,
}) => {
  await fill()
  await source.query(`update patients set sex = case id when '${ALI}' then 'M' else 'female' end`)
  const reviews = () =>
    db
      .selectFrom('moved_in_reviews')
      .select(['patient_id', 'rule', 'column_name', 'word'])
      .execute()
  await run(db, true)
  expect(await reviews()).toEqual([])
  await run(db)
  await run(db)
  expect(await reviews()).toEqual([
    { patient_id: ALI, rule: 'unknownSex', column_name: 'sex', word: 'M' },
  ])
})
