import { isDeepStrictEqual } from 'node:util'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { deleteClinic } from '~/features/office/clinics/clinics.server'
import { deleteDepartment } from '~/features/office/clinics/departments.server'
import { mayEdit, rolesToGive } from '~/features/office/users/reach'
import { lockBoth } from '~/features/office/users/reach.server'
import { deleteUser } from '~/features/office/users/users.server'
import type { Context } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { PERMISSIONS, type Role } from '~/shared/permissions'
import { loadPermissionRows } from '../record-files/users-file.server'
import { inSavepoint, setValues } from './changes.server'
import { CHANGED, type Left, type UndoOutcome, type UndoStep, USED } from './left'

type RecordTable =
  | 'clinics'
  | 'clinic_departments'
  | 'users'
  | 'appointments'
  | 'visits'
  | 'patient_vitals'

type Row = {
  id: string
  name: string
  before: Values | null
  after: Values
  is_same: boolean
}

type Values = Record<string, unknown>

type Undo = {
  table: RecordTable
  /** SQL for how a record is listed; `t` is its row. */
  label?: RawBuilder<string>
  /** Deletes by the operation of the product, with its rules. */
  remove: (ctx: Context, id: string) => Promise<{ deletionId: string | null }>
  /** Records that were used since. */
  used: (db: Kysely<DB>, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Gives a changed record its former values, where that takes more than its columns. Throws why it may not. */
  giveBack?: (ctx: Context, row: { id: string; before: Values; after: Values }) => Promise<void>
}

/**
 * Deletes the records that the import made, and gives the others their former values. What was changed or used since,
 * and what the operation refuses to delete, stays and is reported.
 */
async function undoRecords(
  ctx: Context,
  { table, label = sql<string>`t.name`, remove, used, giveBack }: Undo,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome & { deleted: { id: string; deletionId: string }[] }> {
  const { rows } = await sql<Row>`
    select t.id, ${label} as name, c.before, c.after,
      t.last_modified = (c.after ->> 'last_modified')::timestamptz as is_same
    from import_changes c join ${sql.table(table)} t on t.id = c.row_id
    where c.import_id = ${importId} and c.table_name = ${table} and t.id = any(${ids}::uuid[])
      and not t.is_deleted
    order by t.id for update of t`.execute(ctx.db)
  const inUse = await used(
    ctx.db,
    rows.map(({ id }) => id),
  )
  const left: Left[] = []
  const keep = ({ id, name }: Row, reason: Left['reason']) => left.push({ table, id, name, reason })
  const deleted: { id: string; deletionId: string }[] = []
  const undoOne = async ({ id, before, after }: Row) => {
    if (before && giveBack) await giveBack(ctx, { id, before, after })
    // the columns of a change are those of its row of the file
    else if (before) await setValues(ctx.db, table, Object.keys(before), [{ id, values: before }])
    else {
      const { deletionId } = await remove({ ...ctx, isInner: true }, id)
      if (deletionId) deleted.push({ id, deletionId })
    }
  }
  for (const row of rows) {
    if (!row.is_same) keep(row, CHANGED)
    else if (!row.before && inUse.has(row.id)) keep(row, USED)
    else
      try {
        await inSavepoint(ctx.db, () => undoOne(row))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        keep(row, error.text)
      }
  }
  return { undone: rows.length - left.length, left, deleted }
}

export const undoingRecords =
  (undo: Undo): UndoStep =>
  (db, ctx, importId, ids) =>
    undoRecords({ ...ctx, db }, undo, importId, ids)

export const undoClinics = undoingRecords({
  table: 'clinics',
  remove: (ctx, id) => deleteClinic(ctx, { id }),
  used: (db, clinics) => withChildren(db, 'clinics', clinics),
})

/** Records that others have come to belong to: these would be deleted with them. */
export async function withChildren(db: Kysely<DB>, parent: string, ids: readonly string[]) {
  const { rows: children } = await sql<{ child: string; child_column: string }>`
    select child, child_column from cascade_rules where parent = ${parent}`.execute(db)
  const each = children.map(
    ({ child, child_column }) => sql<{ id: string }>`
      select ${sql.id(child_column)} as id from ${sql.table(child)}
      where ${sql.id(child_column)} = any(${ids}::uuid[]) and not is_deleted`,
  )
  if (each.length === 0) return new Set<string>()
  const { rows } = await sql<{ id: string }>`${sql.join(each, sql` union `)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export const undoDepartments = undoingRecords({
  table: 'clinic_departments',
  remove: (ctx, id) => deleteDepartment(ctx, { id }),
  async used(db, departments) {
    const { rows } = await sql<{ id: string }>`
      select id from unnest(${departments}::uuid[]) as given(id) where department_in_use(id)`.execute(
      db,
    )
    return new Set(rows.map(({ id }) => id))
  },
})

/** Users who have signed in stay. The deleted ones come back when the same file is imported again. */
export const undoUsers: UndoStep = async (db, ctx, importId, ids) => {
  const { deleted, ...outcome } = await undoRecords(
    { ...ctx, db },
    {
      table: 'users',
      remove: (inner, id) => deleteUser(inner, { id }),
      giveBack: giveBackUser,
      async used(inner, users) {
        const { rows } = await sql<{ id: string }>`
          select id from unnest(${users}::uuid[]) as given(id)
          where exists (select from audit_log a
            where a.user_id = given.id and a.action = 'sessions.signIn' and a.record_id = given.id)`.execute(
          inner,
        )
        return new Set(rows.map(({ id }) => id))
      },
    },
    importId,
    ids,
  )
  await sql`
    insert into undone_users (user_id, deletion_id)
    select id, "deletionId" from jsonb_to_recordset(${JSON.stringify(deleted)}::jsonb)
      as given(id uuid, "deletionId" uuid)
    on conflict (user_id) do update set deletion_id = excluded.deletion_id`.execute(db)
  return outcome
}

/** By the rules of saving a user: a role above those that the requester may give does not come back. */
async function giveBackUser(
  ctx: Context,
  { id, before, after }: { id: string; before: Values; after: Values },
) {
  const { me, them } = await lockBoth(ctx, id)
  if (!them || !mayEdit(me, them)) throw new AppError('forbidden', { key: 'users.roleAbove' })
  const { permissions, ...values } = before
  const role = values['role'] as Role
  if (role !== them.role && !rolesToGive(me, them).includes(role))
    throw new AppError('forbidden', { key: 'users.roleAbove' })
  const now = await loadPermissionRows(ctx.db, id)
  if (permissions && !isDeepStrictEqual(now.permissions, after['permissions']))
    throw new AppError('conflict', CHANGED)
  await setValues(ctx.db, 'users', Object.keys(values), [{ id, values }])
  if (!permissions) return
  const former = permissions as (typeof now)['permissions']
  const none = Object.fromEntries(PERMISSIONS.map((permission) => [permission, false]))
  const each = now.permissions.map((held) => {
    const {
      id: row,
      clinic_id: _clinic,
      ...rights
    } = former.find((one) => one.id === held.id) ?? {
      ...held,
      ...none,
    }
    return { id: row, values: rights }
  })
  await setValues(ctx.db, 'user_clinic_permissions', PERMISSIONS, each)
}

/** Codes have no record of their own: the key is their system and code. A recorded problem keeps its words. */
export const undoCodes: UndoStep = async (db, _ctx, importId, ids) => {
  const { rows } = await sql<{
    row_id: string
    system: string
    code: string
    is_new: boolean
    is_same: boolean
    is_used: boolean
    label_en: string | null
    label_ar: string | null
    label_es: string | null
    imported_at: string | null
  }>`
    select c.row_id, p.system, p.code, c.before is null as is_new,
      (c.after ->> 'label_en' is null or p.label_en = c.after ->> 'label_en')
        and (c.after ->> 'label_ar' is null or p.label_ar = c.after ->> 'label_ar')
        and (c.after ->> 'label_es' is null or p.label_es = c.after ->> 'label_es') as is_same,
      exists (select from patient_problems u
        where u.problem_code_system = p.system and u.problem_code = p.code) as is_used,
      c.before ->> 'label_en' as label_en, c.before ->> 'label_ar' as label_ar, c.before ->> 'label_es' as label_es,
      case when c.before ? 'imported_at' then c.before ->> 'imported_at' else p.imported_at::text end as imported_at
    from import_changes c
    join problem_codes p on p.system = c.after ->> 'system' and p.code = c.after ->> 'code'
    where c.import_id = ${importId} and c.table_name = 'problem_codes' and c.row_id = any(${ids}::uuid[])
    for update of p`.execute(db)
  const reasonFor = (row: (typeof rows)[number]) => {
    if (!row.is_same) return CHANGED
    if (row.is_new && row.is_used) return USED
    return null
  }
  const undone = rows.filter((row) => reasonFor(row) === null)
  const given = (some: typeof rows) => JSON.stringify(some)
  await sql`
    delete from problem_codes p using jsonb_to_recordset(${given(undone.filter(({ is_new }) => is_new))}::jsonb)
      as given(system text, code text)
    where p.system = given.system and p.code = given.code`.execute(db)
  await sql`
    update problem_codes p set label_en = given.label_en, label_ar = given.label_ar, label_es = given.label_es,
      imported_at = given.imported_at
    from jsonb_to_recordset(${given(undone.filter(({ is_new }) => !is_new))}::jsonb)
      as given(system text, code text, label_en text, label_ar text, label_es text, imported_at timestamptz)
    where p.system = given.system and p.code = given.code`.execute(db)
  const left = rows.flatMap((row): Left[] => {
    const reason = reasonFor(row)
    const { row_id: id, system, code } = row
    return reason ? [{ table: 'problem_codes', id, name: `${system} ${code}`, reason }] : []
  })
  return { undone: undone.length, left }
}
