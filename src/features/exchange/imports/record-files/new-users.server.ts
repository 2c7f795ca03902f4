import { sql } from 'kysely'
import { mayTakeOver } from '~/features/office/users/reach'
import { query } from '~/server/operation'
import { isAdmin } from '~/shared/actor'
import { ROLES } from '~/shared/permissions'
import { ImportId } from '../import'

/** More users are given passwords in a second sheet. */
const ON_ONE_SHEET = 200

/**
 * Users that an import added and who have no password yet, if the actor may give them one: at most 200, and how many
 * there are in all. `users.resetPassword` gives each a one-time password and returns it once.
 */
export const listNewUsers = query('imports.newUsers', {
  reads: ['users'],
  looksUp: ['clinics'],
  input: ImportId,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db, actor }, { id }) {
    // for administrators the rule reads nothing but the role
    const roles = ROLES.filter((role) =>
      mayTakeOver(actor, { userId: '', role, clinicId: null, grants: {} }),
    )
    const rows = await db
      .selectFrom('import_changes as change')
      .innerJoin('users', 'users.id', 'change.row_id')
      .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
      .select(['users.id', 'users.name', 'users.email', 'clinics.name as clinic'])
      .select(sql<number>`(count(*) over ())::int`.as('total'))
      .where('change.import_id', '=', id)
      .where('change.table_name', '=', 'users')
      .where('change.before', 'is', null)
      .where('users.is_deleted', '=', false)
      .where('users.id', '<>', actor.userId)
      .where(sql<boolean>`users.role = any(${roles}::text[])`)
      .where(
        sql<boolean>`not exists (select from credentials c where c.user_id = users.id)
          and not exists (select from credentials_bcrypt c where c.user_id = users.id)`,
      )
      .orderBy('users.name')
      .orderBy('users.id')
      .limit(ON_ONE_SHEET)
      .execute()
    return { total: rows[0]?.total ?? 0, users: rows.map(({ total: _total, ...user }) => user) }
  },
})
