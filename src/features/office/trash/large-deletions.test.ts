import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { deletePatient } from '~/features/people/patients/patient-deletions.server'
import { test } from '../../../../test/harness'
import { restoreDeletion } from './trash.server'

const answer = (db: Kysely<DB>, patientId: string, count: number) =>
  sql`insert into patient_additional_attributes (id, patient_id, attribute_id, attribute, string_value)
    select gen_random_uuid(), ${patientId}::uuid, gen_random_uuid()::text, 'x', 'y'
    from generate_series(1, ${count}::integer)`.execute(db)

const live = async (db: Kysely<DB>, patientId: string) =>
  (
    await sql`select from patient_additional_attributes
      where patient_id = ${patientId} and not is_deleted`.execute(db)
  ).rows.length

test(
  'a patient with 20,000 answers is deleted and restored, also on a connection with plans for one row',
  {
    timeout: 120_000,
  },
  async ({ db, make, asUser }) => {
    const admin = asUser(await make.user({ role: 'super_admin' }))
    const [small, large] = [await make.patient(), await make.patient()]
    await sql`update patient_additional_attributes set attribute = 'y'`.execute(db)
    await answer(db, small.id, 1)
    await deletePatient(admin, { id: small.id })
    await answer(db, large.id, 20_000)
    const { deletionId } = await deletePatient(admin, { id: large.id })
    expect(await live(db, large.id)).toBe(0)
    await restoreDeletion(admin, { id: deletionId })
    expect(await live(db, large.id)).toBe(20_000)
  },
)
