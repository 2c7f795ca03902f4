import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'

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
  const { rows } = await sql<{
    name: string
  }>`select tgrelid::regclass::text as name from pg_trigger
    where tgname = 'recorded_clinic_kept' order by 1`.execute(db)
  expect(rows.map(({ name }) => name)).toEqual(TABLES)
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
  db,
  make,
}) => {
  const [home, here] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: home.id })
  const provider = await make.user({ role: 'provider' })
  await make.permission(provider, here.id, ['can_edit_records'])
  const visit = await make.visit({ patient_id: patient.id, clinic_id: here.id })
  const of = { patient_id: patient.id }
  const inVisit = await make.vital({ ...of, visit_id: visit.id })
  const bySender = await make.problem({ ...of, recorded_by_user_id: provider.id })
  const byNobody = await make.problem({ ...of, problem_code: 'E11', recorded_by_user_id: null })
  const stamps = async () =>
    (
      await sql`select row_id, xid, columns from sync_rows
        where row_id in (${visit.id}, ${inVisit.id}, ${bySender.id}, ${byNobody.id}) order by 1`.execute(
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
  expect(await clinicOf('patient_problems', byNobody.id)).toBe(home.id)
  expect(await stamps()).toEqual(before)
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
