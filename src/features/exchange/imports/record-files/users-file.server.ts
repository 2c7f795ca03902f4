import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { mayManage } from '~/features/office/users/reach'
import { findPeople, loadGrants, lockBoth } from '~/features/office/users/reach.server'
import { saveUser } from '~/features/office/users/users.server'
import { userRecord } from '~/records/user'
import type { Context } from '~/server/operation'
import { isSuperAdmin } from '~/shared/actor'
import { AppError, type Message } from '~/shared/errors'
import type { Language } from '~/shared/language'
import {
  defaultPermissions,
  PERMISSIONS,
  PRESETS,
  type Preset,
  type Role,
} from '~/shared/permissions'
import { parseLanguage } from '../patients-file/language-words'
import { headingsOfTargets, labelIn } from '../reader/headings.server'
import { clinicsInRows, missing, notAnOption } from './clinics-file.server'
import type { KnownRecord, ImportedList, ResolvedRow } from './record-file.server'
import headings from './user-headings.json'
import { jobIn, presetIn } from './words'

const isAdministrator = (role: Role) => role === 'admin' || role === 'super_admin'

/**
 * Users by their e-mail addresses, without passwords: each new user gets a one-time password on a sheet afterwards. The
 * rules of roles and permissions are those of the operation that saves a user.
 */
export function usersFile(): ImportedList {
  const targets = [
    { name: 'name', label: labelIn(userRecord.fields.name.label), required: true },
    { name: 'email', label: labelIn(userRecord.fields.email.label), required: true },
    { name: 'role', label: labelIn(userRecord.fields.role.label), required: false },
    { name: 'permissions', label: labelIn('permissions.presets'), required: false },
    { name: 'clinic', label: labelIn('clinics.one'), required: false },
    { name: 'language', label: labelIn('shell.language'), required: false },
  ]
  return {
    table: 'users',
    targets,
    headings: headingsOfTargets(targets, [headings]),
    identities: new Set(['email']),
    texts: new Set(),
    read({ name, email, role, permissions, clinic, language }, { headings: columns }) {
      if (!name) return { refused: missing(columns, 'name') }
      if (!email) return { refused: missing(columns, 'email') }
      const job = role === undefined ? undefined : jobIn(role)
      if (job === null) return { refused: notAnOption(role!, columns['role']!) }
      const preset = permissions === undefined ? job?.preset : presetIn(permissions)
      if (preset === null) return { refused: notAnOption(permissions!, columns['permissions']!) }
      if (!job && !preset) return { refused: missing(columns, 'role') }
      const chosen = job?.role ?? (preset === 'registrar' ? 'registrar' : 'provider')
      const known = language === undefined ? undefined : parseLanguage(language)
      if (known === null) return { refused: notAnOption(language!, columns['language']!) }
      return {
        values: {
          name,
          email: email.toLowerCase(),
          role: chosen,
          ...(preset && { preset }),
          ...(permissions !== undefined && { statesPermissions: true }),
          ...(clinic && { clinic }),
          ...(known && { language: known }),
        },
      }
    },
    restore,
    beside: loadPermissionRows,
    async resolve(db, rows, { clinicId: ofImport }) {
      const clinics = await clinicsInRows(db, rows, ofImport)
      const stored = await db
        .selectFrom('users')
        .select(['id', 'last_modified', 'name', 'email', 'role', 'clinic_id', 'language'])
        .where(sql<boolean>`lower(email) = any(${rows.map(({ email }) => String(email))})`)
        .leftJoin('undone_users as undone', 'undone.user_id', 'users.id')
        .select('is_deleted')
        .where((eb) => eb.or([eb('is_deleted', '=', false), eb('undone.user_id', 'is not', null)]))
        .execute()
      const grants = await loadGrants(
        db,
        stored.map(({ id }) => id),
      )
      return rows.map((row, at): ResolvedRow => {
        const clinic = clinics[at]!
        if ('refused' in clinic) return clinic
        const { clinic: named, statesPermissions, ...values } = row
        const email = String(values['email'])
        const found = stored.find((one) => one.email.toLowerCase() === email)
        const role = values['role'] as Role
        // an administrator belongs to a clinic only if the list says so; a stored user stays in theirs
        const isPlaced = named !== undefined || (!found && !isAdministrator(role))
        const {
          id,
          last_modified,
          is_deleted: isUndone,
          ...kept
        } = found ?? { id: '', last_modified: new Date(), is_deleted: false }
        const clinicId = isPlaced ? clinic.id : found?.clinic_id
        const held = grants.find((one) => one.userId === id && one.clinic.id === clinicId)?.held
        const keepsPermissions =
          found !== undefined &&
          !isUndone &&
          statesPermissions === true &&
          !isAdministrator(role) &&
          !sameRights(PRESETS[values['preset'] as Preset], held ?? [])
        const notes: Message[] = keepsPermissions
          ? [{ key: 'imports.reasons.permissionsKept' }]
          : []
        return {
          values: { ...values, ...(isPlaced && { clinic_id: clinic.id }) },
          key: email,
          known: found ? { id, last_modified, values: kept, isUndone } : null,
          notes,
        }
      })
    },
    async save(ctx, values, known) {
      const { preset, language, ...user } = values as {
        preset?: Preset
        language?: Language
        role: Role
        name: string
        email: string
        clinic_id?: string | null
      }
      // saved with the language of the actor, as on the screen, unless the list has one
      const actor = { ...ctx.actor, ...(language && { language }) }
      const isMore = preset && !sameRights(PRESETS[preset], defaultPermissions(user.role))
      if (
        isMore &&
        !known &&
        !isSuperAdmin(ctx.actor) &&
        !(await isSuper(ctx.db, ctx.actor.userId))
      )
        throw new AppError('forbidden', { key: 'imports.reasons.presetAbove' })
      const saved = await saveUser(
        { ...ctx, actor },
        {
          clinic_id: null,
          ...(known && { clinic_id: known.values['clinic_id'] as string | null }),
          ...user,
          id: known?.id ?? uuidv7(),
          last_modified: known?.last_modified ?? null,
          password: null,
          ...(isMore && !known && { preset }),
        },
      )
      if (!known || !language) return saved
      const { last_modified } = await ctx.db
        .updateTable('users')
        .set({ language })
        .where('id', '=', saved.id)
        .returning('last_modified')
        .executeTakeFirstOrThrow()
      return { id: saved.id, last_modified }
    },
  }
}

const sameRights = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((right) => other.includes(right))

const isSuper = async (db: Kysely<DB>, id: string) =>
  Boolean(
    await db
      .selectFrom('users')
      .select('id')
      .where('id', '=', id)
      .where('role', '=', 'super_admin')
      .where('is_deleted', '=', false)
      .executeTakeFirst(),
  )

/** A user that an undo deleted comes back with the same address; a user deleted by a user stays deleted. */
async function restore(ctx: Context, known: KnownRecord): Promise<KnownRecord> {
  const { me } = await lockBoth(ctx, known.id)
  const [person] = await findPeople(ctx.db, [known.id])
  if (!person || !mayManage(me, person)) throw new AppError('forbidden', { key: 'users.roleAbove' })
  await sql`
    with undone as (delete from undone_users where user_id = ${known.id} returning deletion_id)
    select undo_deletion(deletion_id, null) from undone`.execute(ctx.db)
  const { last_modified } = await ctx.db
    .selectFrom('users')
    .select('last_modified')
    .where('id', '=', known.id)
    .executeTakeFirstOrThrow()
  return { ...known, last_modified }
}

/** A change of clinic or role alters them: the undo gives them back. */
export const loadPermissionRows = async (db: Kysely<DB>, userId: string) => ({
  permissions: await db
    .selectFrom('user_clinic_permissions')
    .select(['id', 'clinic_id', ...PERMISSIONS])
    .where('user_id', '=', userId)
    .where('is_deleted', '=', false)
    .orderBy('id')
    .execute(),
})
