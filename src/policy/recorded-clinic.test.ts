import { readFileSync } from 'node:fs'
import { type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import { listVitals } from '~/features/care/vitals/vitals.server'
import { makeFactories } from '../../test/factories'
import { test } from '../../test/harness'

/** The tables that migration 0089 changes. */
const TABLES = [
  'appointments',
  'dispensing_records',
  'event_files',
  'events',
  'patient_allergies',
  'patient_medicines',
  'patient_pregnancies',
  'patient_problems',
  'patient_vitals',
  'prescription_items',
  'prescriptions',
  'visits',
]

test('every table of clinical rows keeps the clinic that recorded a row', async ({ db }) => {
  const tablesOf = async (source: RawBuilder<unknown>) => {
    const { rows } = await sql<{ name: string }>`select ${source} order by 1`.execute(db)
    return rows.map(({ name }) => name)
  }
  const clinical = await tablesOf(sql`attrelid::regclass::text as name from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind = 'r'
    where attname = 'recorded_clinic_id' and not starts_with(relname, 'wire_')`)
  expect(clinical).toEqual(expect.arrayContaining(TABLES))
  expect(
    await tablesOf(sql`tgrelid::regclass::text as name from pg_trigger
      where tgname = 'recorded_clinic_kept'`),
  ).toEqual(clinical)
})

test('a row belongs to the clinic of its visit, else to the sender’s, else to the home clinic', async ({
  db,
  make,
}) => {
  const [home, here] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: home.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: here.id })
  expect(visit.recorded_clinic_id).toBe(here.id)
  const ofVisit = await make.vital({ patient_id: patient.id, visit_id: visit.id })
  expect(ofVisit.recorded_clinic_id).toBe(here.id)
  // a row of no user, as an import writes it
  expect((await make.vital({ patient_id: patient.id })).recorded_clinic_id).toBe(home.id)

  const provider = await make.user({ role: 'provider' })
  await make.permission(provider, here.id, ['can_edit_records'])
  await sql`select set_config('sanad.user_id', ${provider.id}, true)`.execute(db)
  expect((await make.problem({ patient_id: patient.id })).recorded_clinic_id).toBe(here.id)
  const unknownHere = await make.patient({ primary_clinic_id: home.id })
  expect((await make.problem({ patient_id: unknownHere.id })).recorded_clinic_id).toBe(home.id)
  await sql`select set_config('sanad.user_id', '', true)`.execute(db)
})

test('nothing changes the clinic that recorded a row', async ({ db, make }) => {
  const vital = await make.vital()
  const other = await make.clinic()
  await sql`savepoint tried`.execute(db)
  await expect(
    db
      .updateTable('patient_vitals')
      .set({ recorded_clinic_id: other.id })
      .where('id', '=', vital.id)
      .execute(),
  ).rejects.toThrow('never changes')
  await sql`rollback to savepoint tried`.execute(db)
})

const backfill = readFileSync(
  new URL('../db/migrations/0089_recorded_clinic.sql', import.meta.url),
  'utf8',
)

test('an update finds the clinic of rows from before, and no phone pulls them again', async ({
  owner: db,
}) => {
  const make = makeFactories(db)
  const [home, here] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: home.id })
  const provider = await make.user({ role: 'provider' })
  await make.permission(provider, here.id, ['can_edit_records'])
  const visit = await make.visit({ patient_id: patient.id, clinic_id: here.id })
  const of = { patient_id: patient.id }
  const inVisit = await make.vital({ ...of, visit_id: visit.id })
  const bySender = await make.problem({ ...of, recorded_by_user_id: provider.id })
  const byNone = await make.problem({ ...of, problem_code: 'E11', recorded_by_user_id: null })
  const stamps = async () =>
    (
      await sql`select row_id, xid, columns from sync_rows
        where row_id in (${visit.id}, ${inVisit.id}, ${bySender.id}, ${byNone.id}) order by 1`.execute(
        db,
      )
    ).rows
  const before = await stamps()
  expect(before).toHaveLength(4)

  // the tables as they were
  const tables = [...TABLES, ...WIRES]
  await sql
    .raw(
      tables
        .map((name) => `alter table ${name} drop column recorded_clinic_id cascade;`)
        .join('\n'),
    )
    .execute(db)
  await sql.raw(backfill).execute(db)

  const clinicOf = async (table: 'visits' | 'patient_vitals' | 'patient_problems', id: string) =>
    (
      await db
        .selectFrom(table)
        .select('recorded_clinic_id')
        .where('id', '=', id)
        .executeTakeFirst()
    )?.recorded_clinic_id
  expect(await clinicOf('visits', visit.id)).toBe(here.id)
  expect(await clinicOf('patient_vitals', inVisit.id)).toBe(here.id)
  expect(await clinicOf('patient_problems', bySender.id)).toBe(here.id)
  expect(await clinicOf('patient_problems', byNone.id)).toBe(home.id)
  expect(await stamps()).toEqual(before)
})
const openings = readFileSync(
  new URL('../db/migrations/0090_history_openings.sql', import.meta.url),
  'utf8',
)

test('clinics that shared a patient before the update keep sight of it, and phones pull nothing again', async ({
  as,
  owner: db,
}) => {
  const make = makeFactories(db)
  const [home, here, alone] = [await make.clinic(), await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: home.id })
  await make.visit({ patient_id: patient.id, clinic_id: here.id })
  const theirs = await make.vital({ patient_id: patient.id })
  const own = await make.vital({
    patient_id: (await make.patient({ primary_clinic_id: alone.id })).id,
  })
  // the tables as they were
  await sql
    .raw(`drop table history_openings, emergency_accesses, identity_lookups cascade;
      drop index patient_links_opened_idx;
      alter table app_config drop constraint app_config_share_history_check;
      delete from app_config where namespace = 'care'`)
    .execute(db)
  await sql.raw(openings).execute(db)

  const { rows } = await sql`select clinic_id, reason, opened_by, is_deleted from history_openings
    where patient_id in (${patient.id}, ${own.patient_id}) order by clinic_id = ${home.id}`.execute(
    db,
  )
  // the home clinic sees the visit, and the clinic of the visit what the home clinic recorded
  const opening = { reason: 'before_update', opened_by: null, is_deleted: false }
  expect(rows).toEqual([
    { clinic_id: here.id, ...opening },
    { clinic_id: home.id, ...opening },
  ])
  const provider = { ...as('provider', { [here.id]: ['can_view_history'] }), db }
  const read = await listVitals(provider, { patientId: patient.id })
  expect(read.rows.map(({ id }) => id)).toEqual([theirs.id])
  const changed = await sql`select from patient_links
    where source = 'opened' and changed_xid <> '0'`.execute(db)
  expect(changed.rows).toEqual([])
})

const WIRES = [
  'wire_visits',
  'wire_events',
  'wire_patient_vitals',
  'wire_patient_problems',
  'wire_prescriptions',
  'wire_prescription_items',
  'wire_dispensing_records',
]
