import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { deleteClinic } from '~/features/office/clinics/clinics.server'
import { deleteDepartment } from '~/features/office/clinics/departments.server'
import { deletePatients } from '~/features/people/patients/deletions/deletions.server'
import { listTrash, restoreDeletion } from './trash.server'

const administering = (clinicId: string) => ({ [clinicId]: ['is_clinic_admin' as const] })

test('only the user who deleted a record, or an administrator, can undo it within the hour', async ({
  asUser,
  make,
  db,
}) => {
  const department = await make.department()
  const grants = administering(department.clinic_id)
  const [deleter, colleague] = [await make.user(), await make.user()]
  const { deletionId } = await deleteDepartment(asUser(deleter, grants), { id: department.id })
  const id = deletionId!

  await expect(restoreDeletion(asUser(colleague, grants), { id })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await db
    .updateTable('deletions')
    .set({ deleted_at: sql`now() - interval '61 minutes'` })
    .where('id', '=', id)
    .execute()
  await expect(restoreDeletion(asUser(deleter, grants), { id })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await db
    .updateTable('deletions')
    .set({ deleted_at: sql`now()` })
    .where('id', '=', id)
    .execute()
  await restoreDeletion(asUser(deleter, grants), { id })
})

test('the trash says what was deleted, by which user and with how much, and finds it by name', async ({
  asUser,
  make,
}) => {
  const admin = asUser(await make.user({ role: 'admin', name: 'Amal' }))
  const clinic = await make.clinic({ name: '100% Health' })
  await make.department({ clinic_id: clinic.id })
  await deleteClinic(admin, { id: clinic.id })
  await deleteClinic(admin, { id: (await make.clinic({ name: 'Another' })).id })

  expect(await listTrash(admin, { search: '100%' })).toMatchObject({
    rows: [{ label: '100% Health', deleted_by: 'Amal', records: 2 }],
    pagination: { total: 1 },
  })
  expect((await listTrash(admin, {})).pagination.total).toBe(2)
  expect((await listTrash(admin, { table: 'users' })).rows).toEqual([])
})

test('of patients deleted together, each comes back with its own records, and with those alone', async ({
  as,
  make,
  db,
}) => {
  const admin = as('admin')
  const visits = [await make.visit(), await make.visit(), await make.visit()] as const
  const event = await make.event({ patient_id: visits[1].patient_id, visit_id: visits[1].id })
  const { deleted } = await deletePatients(admin, {
    ids: visits.map(({ patient_id }) => patient_id),
  })
  expect(new Set(deleted.map(({ deletionId }) => deletionId)).size).toBe(3)
  expect(deleted.map(({ id }) => id).toSorted()).toEqual(
    visits.map(({ patient_id }) => patient_id).toSorted(),
  )

  const second = deleted.find(({ id }) => id === visits[1].patient_id)!
  const items = await db
    .selectFrom('deletion_items')
    .select(['table_name', 'record_id'])
    .where('deletion_id', '=', second.deletionId)
    .where('unlinked_column', 'is', null)
    .execute()
  expect(items.map(({ table_name, record_id }) => `${table_name} ${record_id}`).toSorted()).toEqual(
    [`events ${event.id}`, `patients ${second.id}`, `visits ${visits[1].id}`].toSorted(),
  )

  await restoreDeletion(admin, { id: second.deletionId })
  const live = await db
    .selectFrom('visits')
    .select('id')
    .where('is_deleted', '=', false)
    .where(
      'id',
      'in',
      visits.map(({ id }) => id),
    )
    .execute()
  expect(live).toEqual([{ id: visits[1].id }])
})
