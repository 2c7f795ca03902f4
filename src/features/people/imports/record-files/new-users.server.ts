import { sql } from 'kysely'
import { query } from '~/server/operation'
import { isAdmin } from '~/shared/actor'
import { ImportId } from '../import'

/** More users are given passwords in a second sheet. */
const ON_ONE_SHEET = 200

/**
 * Users that an import added and nobody has given a password: at most 200. `users.resetPassword` gives each a one-time
 * password and returns it once.
 */
export const listNewUsers = query('imports.newUsers', {
  reads: ['users'],
  input: ImportId,
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }, { id }) =>
    db
      .selectFrom('import_changes as change')
      .innerJoin('users', 'users.id', 'change.row_id')
      .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
      .select(['users.id', 'users.name', 'users.email', 'clinics.name as clinic'])
      .where('change.import_id', '=', id)
      .where('change.table_name', '=', 'users')
      .where('change.before', 'is', null)
      .where('users.is_deleted', '=', false)
      .where(
        sql<boolean>`not exists (select from credentials c where c.user_id = users.id)
          and not exists (select from credentials_bcrypt c where c.user_id = users.id)`,
      )
      .orderBy('users.name')
      .orderBy('users.id')
      .limit(ON_ONE_SHEET)
      .execute(),
})
