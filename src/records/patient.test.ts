import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { patientRecord } from './patient'

test('every column of the patients table has a line in its record, and every line a column', async ({
  db,
}) => {
  const { rows } = await sql<{ name: string }>`select column_name as name
    from information_schema.columns where table_name = 'patients'`.execute(db)
  const stamped = [
    'id',
    'created_at',
    'updated_at',
    'last_modified',
    'server_created_at',
    'is_deleted',
    'deleted_at',
    // of phones (src/sync/schema/tables.ts)
    'unknown_columns',
  ]
  expect(
    [...stamped, ...patientRecord.names].toSorted(),
    'a column needs a line in src/records/patient.ts (CONTRIBUTING.md, "Add a field to a record")',
  ).toEqual(rows.map(({ name }) => name).toSorted())
})
