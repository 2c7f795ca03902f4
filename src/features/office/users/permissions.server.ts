import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { administerClinic } from '~/policy/rules'
import { type Context, mutation, type On, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { byName, inPermittedClinics } from '~/server/scope'
import { type Actor, isAdmin, isSuperAdmin } from '~/shared/actor'
import { AppError, conflict, forbidden, notFound } from '~/shared/errors'
import { defaultPermissions, type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import { mayGiveClinic, rightsToGive } from './reach'
import { lockBoth, seenUser, type StoredUser } from './reach.server'
import { InClinic, PermissionsOf, SavePermissions } from './user'

export type Held = Record<Permission, boolean>
export type PermissionRow = Awaited<ReturnType<typeof listPermissions>>[number]
const toPermissionFlags = (rights: readonly Permission[]) =>
  Object.fromEntries(
    PERMISSIONS.map((permission) => [permission, rights.includes(permission)]),
  ) as Held

/**
 * The permissions of a user, a row for each clinic; administrators hold all of them everywhere by
 * role. Clinic administrators see the rows of their clinics, every user sees their own.
 */
export const listPermissions = query('permissions.list', {
  input: PermissionsOf,
  on: seenUser((actor) => permitsSomewhere(administerClinic, actor)),
  async run({ db, actor }, { userId }, { person }) {
    const isOwn = actor.userId === userId
    if (person.role === 'admin' || person.role === 'super_admin') return byRole(db)
    const rows = await db
      .selectFrom('user_clinic_permissions as held')
      .innerJoin('clinics', 'clinics.id', 'held.clinic_id')
      .leftJoin('users as author', 'author.id', 'held.last_modified_by')
      .select([
        'held.id',
        'held.clinic_id',
        'clinics.name as clinic',
        'clinics.is_archived',
        ...PERMISSIONS,
      ])
      .select(['held.last_modified', 'author.name as last_modified_by'])
      .where('held.user_id', '=', userId)
      .where('held.is_deleted', '=', false)
      .where('clinics.is_deleted', '=', false)
      .$if(!isOwn, (q) => q.where(inPermittedClinics(actor, 'held.clinic_id', 'is_clinic_admin')))
      .orderBy(byName('clinics.name'))
      .execute()
    return rows.map((row) => ({
      ...row,
      last_modified: row.last_modified as Date | null,
      by_role: false,
    }))
  },
})

/** Another user, who is no administrator: for super_admins. Both are locked. */
const another: On<{ userId: string }, object> = {
  permits: isSuperAdmin,
  async rows(ctx, { userId }) {
    const { me, them } = await lockBoth(ctx, userId)
    if (!isSuperAdmin(me)) throw forbidden()
    if (!them) throw notFound('users.notFound')
    refuseOwn(me.userId, userId)
    refuseByRole(them.role)
    return {}
  },
}

/** Sets exactly these permissions in one clinic. Only super_admins may, and not their own. */
export const savePermissions = mutation('permissions.save', {
  input: SavePermissions,
  on: another,
  async run(ctx, { userId, clinicId, last_modified, ...held }) {
    const row = await findRow(ctx.db, userId, clinicId)
    const values = {
      id: row?.id ?? uuidv7(),
      last_modified,
      user_id: userId,
      clinic_id: clinicId,
      ...held,
    }
    return saveRecord(ctx, 'user_clinic_permissions', values, 'permissions.notFound')
  },
})

/**
 * Both users, locked: for administrators of the clinic. All names are public, so a refusal may say
 * its reason.
 */
const inOwnClinic: On<z.output<typeof InClinic>, { me: Actor; them: StoredUser }> = {
  permits: (actor, { clinicId }) => permitsIn(administerClinic, actor, clinicId),
  async rows(ctx, { userId, clinicId }) {
    const { me, them } = await lockBoth(ctx, userId)
    if (!them) throw notFound('users.notFound')
    refuseOwn(me.userId, userId)
    if (isAdmin(me)) refuseByRole(them.role)
    if (!mayGiveClinic(me, them, clinicId)) throw forbidden()
    return { me, them }
  },
}

/**
 * Gives a user the default permissions of the role in a clinic; a user with any permission there
 * keeps them as they are.
 */
export const giveClinic = mutation('permissions.give', {
  input: InClinic,
  on: inOwnClinic,
  async run(ctx, { userId, clinicId }, { me, them }) {
    if (them.grants[clinicId]) return { userId, clinicId }
    const held = toPermissionFlags(rightsToGive(me, them.role, clinicId))
    await ctx.db
      .insertInto('user_clinic_permissions')
      .values({ user_id: userId, clinic_id: clinicId, ...held })
      .onConflict((oc) =>
        oc
          .columns(['user_id', 'clinic_id'])
          .doUpdateSet({ ...held, updated_at: new Date() })
          .where('user_clinic_permissions.is_deleted', '=', false),
      )
      .execute()
    return { userId, clinicId }
  },
})

/**
 * Removes every permission in a clinic and the assignment to it.
 */
export const revokeClinic = mutation('permissions.revoke', {
  input: InClinic,
  on: inOwnClinic,
  async run(ctx, { userId, clinicId }) {
    await removePermissions(ctx.db, userId, clinicId)
    await ctx.db
      .updateTable('users')
      .set({ clinic_id: null, updated_at: new Date() })
      .where('id', '=', userId)
      .where('clinic_id', '=', clinicId)
      .execute()
    return { userId, clinicId }
  },
})

/** The row stays: phones learn of the change from it. */
export const removePermissions = (db: Kysely<DB>, userId: string, clinicId: string) =>
  db
    .updateTable('user_clinic_permissions')
    .set({ ...toPermissionFlags([]), updated_at: new Date() })
    .where('user_id', '=', userId)
    .where('clinic_id', '=', clinicId)
    .where('is_deleted', '=', false)
    .execute()

/**
 * Sets the permissions in each clinic where the user holds some to those of the role. Only a super administrator gives
 * what was not held before.
 */
export const takeRolePermissions = (
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  { id, role }: { id: string; role: Role },
) => {
  const ofRole = defaultPermissions(role)
  const held = Object.fromEntries(
    PERMISSIONS.map((permission) => {
      const stays = ofRole.includes(permission)
      return [permission, stays && !isSuperAdmin(actor) ? sql.ref(permission) : stays]
    }),
  )
  return db
    .updateTable('user_clinic_permissions')
    .set({ ...held, updated_at: new Date() })
    .where('user_id', '=', id)
    .where('is_deleted', '=', false)
    .where(({ or, eb }) => or(PERMISSIONS.map((permission) => eb(permission, '=', true))))
    .execute()
}

function refuseOwn(mine: string, theirs: string) {
  if (mine === theirs) throw new AppError('forbidden', { key: 'permissions.own' })
}

function refuseByRole(role: Role) {
  if (role === 'admin' || role === 'super_admin') throw conflict('permissions.byRoleAlready')
}

const findRow = (db: Kysely<DB>, userId: string, clinicId: string) =>
  db
    .selectFrom('user_clinic_permissions')
    .select('id')
    .where('user_id', '=', userId)
    .where('clinic_id', '=', clinicId)
    .executeTakeFirst()

async function byRole(db: Kysely<DB>) {
  const clinics = await db
    .selectFrom('clinics')
    .select(['id', 'name', 'is_archived'])
    .where('is_deleted', '=', false)
    .orderBy(byName('name'))
    .limit(1000)
    .execute()
  return clinics.map(({ id, name, is_archived }) => ({
    id,
    clinic_id: id,
    clinic: name,
    is_archived,
    ...toPermissionFlags(PERMISSIONS),
    last_modified: null,
    last_modified_by: null,
    by_role: true,
  }))
}
