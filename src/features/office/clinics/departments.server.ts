import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { askAboutExpected } from '~/features/rules/transitions/expected.server'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { clinicRow, type TableRow } from '~/policy/on.server'
import { requireClinic } from '~/policy/require.server'
import { administerClinic, workAt } from '~/policy/rules'
import { departmentRecord } from '~/records/department'
import { mutation, type On, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName, inPermittedClinics } from '~/server/scope'
import { mayAnywhere } from '~/shared/actor'
import { ConfirmedIfAsked, type EarlierDayQuestion } from '~/shared/earlier-day'
import { forbidden, invalid, notFound } from '~/shared/errors'
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

/** The departments of a clinic. The caller has checked access. */
export async function loadDepartments(db: Kysely<DB>, clinicId: string) {
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

export type Department = Awaited<ReturnType<typeof loadDepartments>>[number]

/** Users who work in the clinic read its departments. */
const readable = clinicRow('clinic_departments', { see: workAt })

/**
 * The department, locked: to administrators of its clinic. Clinic administrators elsewhere get
 * `forbidden`.
 */
const administered: On<{ id: string }, { existing: TableRow<'clinic_departments'> }> = {
  permits: (actor) => permitsSomewhere(administerClinic, actor),
  async rows({ db, actor }, { id }) {
    const existing = await db
      .selectFrom('clinic_departments')
      .selectAll()
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (!existing) throw notFound('departments.notFound')
    if (!permitsIn(administerClinic, actor, existing.clinic_id)) throw forbidden()
    return { existing }
  },
}

export const getDepartment = query('departments.get', {
  input: DepartmentId,
  on: readable,
  async run(_ctx, _input, { existing: { id, clinic_id, name, code, status } }) {
    return { id, clinic_id, name, code, status }
  },
})

/** The names of the departments in use of some clinics, for pickers. */
export const listDepartmentNames = query('departments.names', {
  reads: ['clinic_departments'],
  input: z.object({ clinicId: z.uuid('validation.id').optional() }).nullish(),
  allow: ({ actor }) => mayAnywhere(actor, ...PERMISSIONS),
  run: ({ db, actor }, input) =>
    db
      .selectFrom('clinic_departments')
      .select(['id', 'clinic_id', 'name'])
      .where('is_deleted', '=', false)
      .where('status', '=', 'active')
      .where(inPermittedClinics(actor, 'clinic_id', ...PERMISSIONS))
      .$if(input?.clinicId !== undefined, (q) => q.where('clinic_id', '=', input!.clinicId!))
      .orderBy(byName('name'))
      .limit(1000)
      .execute(),
})

/**
 * Whether a department has a capability: a switch by its name without `can_`, or one of its own
 * list.
 */
export const checkCapability = query('departments.hasCapability', {
  input: DepartmentId.extend({
    capability: z.string('validation.wrongType').max(100, 'validation.tooLong'),
  }),
  on: readable,
  async run(_ctx, { capability }, { existing }) {
    return { hasCapability: hasCapability(existing, capability) }
  },
})

export const saveDepartment = mutation('departments.save', {
  input: SaveDepartment,
  allow: ({ actor }, { clinic_id }) => permitsIn(administerClinic, actor, clinic_id),
  async run(ctx, department) {
    if (department.last_modified) await administered.rows(ctx, department)
    await requireClinic(ctx.db, department.clinic_id)
    await requireOwnCode(ctx.db, department)
    return saveRecord(ctx, 'clinic_departments', department)
  },
})

/**
 * A code that is shown like that of another department of the clinic, cut to four characters, names neither. A stored
 * code may stay, and initials of names may be equal.
 */
async function requireOwnCode(
  db: Kysely<DB>,
  { id, clinic_id, name, code }: z.output<typeof SaveDepartment>,
) {
  if (!code) return
  const others = await db
    .selectFrom('clinic_departments')
    .select(['id', 'name', 'code'])
    .where('clinic_id', '=', clinic_id)
    .where('is_deleted', '=', false)
    .limit(1000)
    .execute()
  if (others.find((one) => one.id === id)?.code === code) return
  const shown = displayCode({ name, code })
  const alike = others.find((one) => one.id !== id && one.code && displayCode(one) === shown)
  if (alike)
    throw invalid({
      code: { key: 'departments.sameCode', values: { code: shown, name: alike.name } },
    })
}

export const setDepartmentStatus = mutation('departments.setStatus', {
  input: DepartmentId.extend({ status: departmentStatus.schema, confirmed: ConfirmedIfAsked }),
  on: administered,
  async run({ db }, { id, status, confirmed }, { existing }) {
    if (status !== 'active' && status !== existing.status)
      await askAboutPatients(db, existing, confirmed)
    return live(db, id).set({ status }).executeTakeFirstOrThrow()
  },
})

export const toggleCapability = mutation('departments.toggleCapability', {
  input: DepartmentId.extend({ capability: Switch }),
  on: administered,
  run: ({ db }, { id, capability }) =>
    live(db, id)
      .set(capability, (eb) => eb.not(capability))
      .executeTakeFirstOrThrow(),
})

/**
 * Moves a department to the trash. One that appointments name becomes inactive instead; then
 * `deletionId` is null. The row is locked, so that no appointment can name it in between.
 */
export const deleteDepartment = mutation('departments.delete', {
  input: DepartmentId.extend({ confirmed: ConfirmedIfAsked }),
  on: administered,
  async run(ctx, { id, confirmed }, { existing }) {
    const { rows } = await sql<{
      used: boolean
    }>`select department_in_use(${id}::uuid) as used`.execute(ctx.db)
    if (rows[0]?.used) {
      if (existing.status !== 'inactive') await askAboutPatients(ctx.db, existing, confirmed)
      return makeInactive(ctx.db, id)
    }
    return { ...(await deleteRecord(ctx, 'clinic_departments', id, existing.name)), id }
  },
})

const askAboutPatients = (
  db: Kysely<DB>,
  { id, clinic_id, name }: TableRow<'clinic_departments'>,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) =>
  askAboutExpected(
    db,
    { clinicId: clinic_id, departmentId: id },
    { confirmed, field: 'status', key: 'departments.stillExpected', name },
  )

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
