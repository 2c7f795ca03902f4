import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { requireClinic } from '~/policy/require.server'
import { departmentRecord } from '~/records/department'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName, inClinicsOf } from '~/server/scope'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { PERMISSIONS } from '~/shared/permissions'
import {
  CAPABILITY_SWITCHES,
  DepartmentId,
  departmentStatus,
  type DepartmentStatus,
  displayCode,
  hasCapability,
  SaveDepartment,
  Switch,
} from './clinic'

/** The departments of a clinic that the caller has already been allowed to see. */
export async function departmentsOf(db: Kysely<DB>, clinicId: string) {
  const departments = await db
    .selectFrom('clinic_departments')
    .select([...departmentRecord.selected, 'clinic_id', 'status'])
    .select(sql<boolean>`department_in_use(id)`.as('is_in_use'))
    .where('clinic_id', '=', clinicId)
    .where('is_deleted', '=', false)
    .orderBy(byName('name'))
    .limit(1000)
    .execute()
  return departments.map((department) => ({
    ...department,
    status: department.status as DepartmentStatus,
    display_code: displayCode(department),
  }))
}

export type Department = Awaited<ReturnType<typeof departmentsOf>>[number]

/** The guard on departments: the caller administers the clinic that the department belongs to (decided). */
async function administers({ db, actor }: Context, { id }: z.output<typeof DepartmentId>) {
  const department = await db
    .selectFrom('clinic_departments')
    .select('clinic_id')
    .where('id', '=', id)
    .executeTakeFirst()
  return department
    ? mayIn(actor, 'is_clinic_admin', department.clinic_id)
    : mayAnywhere(actor, 'is_clinic_admin')
}

export const getDepartment = query('departments.get', {
  input: DepartmentId,
  allow: ({ actor }) => mayAnywhere(actor, ...PERMISSIONS),
  async run({ db, actor }, { id }) {
    const department = await db
      .selectFrom('clinic_departments')
      .select(['id', 'clinic_id', 'name', 'code', 'status'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(inClinicsOf(actor, 'clinic_id', ...PERMISSIONS))
      .executeTakeFirst()
    if (!department) throw notFound('departments.notFound')
    return department
  },
})

/** The names of the departments in use of some clinics, for pickers. */
export const listDepartmentNames = query('departments.names', {
  input: z.object({ clinicId: z.uuid('validation.id').optional() }).nullish(),
  allow: ({ actor }) => mayAnywhere(actor, ...PERMISSIONS),
  run: ({ db, actor }, input) =>
    db
      .selectFrom('clinic_departments')
      .select(['id', 'clinic_id', 'name'])
      .where('is_deleted', '=', false)
      .where('status', '=', 'active')
      .where(inClinicsOf(actor, 'clinic_id', ...PERMISSIONS))
      .$if(input?.clinicId !== undefined, (q) => q.where('clinic_id', '=', input!.clinicId!))
      .orderBy(byName('name'))
      .limit(1000)
      .execute(),
})

/** Whether a department can do something: a switch by its name without `can_`, or a capability of its own list. */
export const checkCapability = query('departments.hasCapability', {
  input: DepartmentId.extend({
    capability: z.string('validation.wrongType').max(100, 'validation.tooLong'),
  }),
  allow: ({ actor }) => mayAnywhere(actor, ...PERMISSIONS),
  async run({ db, actor }, { id, capability }) {
    const department = await db
      .selectFrom('clinic_departments')
      .select([...CAPABILITY_SWITCHES, 'additional_capabilities'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(inClinicsOf(actor, 'clinic_id', ...PERMISSIONS))
      .executeTakeFirst()
    if (!department) throw notFound('departments.notFound')
    return { hasCapability: hasCapability(department, capability) }
  },
})

export const saveDepartment = mutation('departments.save', {
  input: SaveDepartment,
  allow: async (ctx, department) =>
    mayIn(ctx.actor, 'is_clinic_admin', department.clinic_id) &&
    (await administers(ctx, department)),
  async run(ctx, department) {
    await requireClinic(ctx.db, department.clinic_id)
    return saveRecord(ctx, 'clinic_departments', department, 'departments.notFound')
  },
})

export const setDepartmentStatus = mutation('departments.setStatus', {
  input: DepartmentId.extend({ status: departmentStatus.schema }),
  allow: administers,
  run: ({ db }, { id, status }) => live(db, id).set({ status }).executeTakeFirstOrThrow(missing),
})

export const toggleCapability = mutation('departments.toggleCapability', {
  input: DepartmentId.extend({ capability: Switch }),
  allow: administers,
  run: ({ db }, { id, capability }) =>
    live(db, id)
      .set(capability, (eb) => eb.not(capability))
      .executeTakeFirstOrThrow(missing),
})

/**
 * Into the trash. A department that appointments name is made inactive instead: then `deletionId` is null. The row is locked
 * before asking, so that no appointment can name it in between.
 */
export const deleteDepartment = mutation('departments.delete', {
  input: DepartmentId,
  allow: administers,
  async run(ctx, { id }) {
    const department = await ctx.db
      .selectFrom('clinic_departments')
      .select('name')
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (!department) throw missing()
    const { rows } = await sql<{
      used: boolean
    }>`select department_in_use(${id}::uuid) as used`.execute(ctx.db)
    if (rows[0]?.used) return makeInactive(ctx.db, id)
    return {
      ...(await deleteRecord(
        ctx,
        'clinic_departments',
        id,
        department.name,
        'departments.notFound',
      )),
      id,
    }
  },
})

async function makeInactive(db: Kysely<DB>, id: string): Promise<{ id: string; deletionId: null }> {
  // from maintenance the only way to inactive is through active
  await live(db, id).set({ status: 'active' }).where('status', '=', 'maintenance').execute()
  await live(db, id).set({ status: 'inactive' }).where('status', '<>', 'inactive').execute()
  return { id, deletionId: null }
}

const live = (db: Kysely<DB>, id: string) =>
  db
    .updateTable('clinic_departments')
    .set('updated_at', new Date())
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .returning(['id', 'status', ...CAPABILITY_SWITCHES, 'last_modified'])
const missing = () => notFound('departments.notFound')
