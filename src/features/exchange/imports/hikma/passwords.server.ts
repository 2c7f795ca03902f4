import { sql } from 'kysely'
import type { HikmaRun } from './run'

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/
/**
 * The password of `admin@hikmahealth.org` in every installation: the first migration of
 * github.com/hikmahealth/hikma-health-server (db/imported/20191125_create_initial_user.sql).
 */
const SHIPPED = '$2b$14$PPY9X2ZxFG93IU9CK4FUtOJW0d11zjHuODO6oJM5UNn59aXjp5h..'

/** Null: a password of nobody, or no hash at all. */
export const takenHash = (stored: unknown): string | null =>
  typeof stored === 'string' && BCRYPT.test(stored) && stored !== SHIPPED ? stored : null

/**
 * Keeps the hashes of users who have no password in Sanad yet, until they sign in for the first time. A user whose
 * e-mail address had to change gets none. Hashes are neither listed nor logged.
 */
export async function takePasswords({ source, steps, watch, report }: HikmaRun): Promise<void> {
  if (!source.has('users', 'hashed_password')) return
  const rows = await source.query<{ id: string; email: string; hash: string | null }>(
    `select id::text, lower(email) as email, hashed_password as hash from users
     where not coalesce(is_deleted, false) order by id`,
  )
  const given = rows.flatMap(({ id, email, hash }) => {
    const password = takenHash(hash)
    return password ? [{ id, email, password }] : []
  })
  for (const { id, hash } of rows)
    if (!takenHash(hash)) await watch.onNote?.('users', id, { rule: 'noPassword' })
  const written = await steps(async (db) => {
    const { rows: done } = await sql`
      insert into credentials_bcrypt as kept (user_id, password)
      select u.id, given.password
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, email text, password text)
      join users u on u.id = given.id and u.email = given.email and not u.is_deleted
      where not exists (select from credentials where user_id = u.id)
      on conflict (user_id) do update
        set password = excluded.password, imported_at = clock_timestamp(), must_change = true
        where kept.password <> excluded.password
      returning 1`.execute(db)
    return done.length
  })
  if (written > 0) report.hasNews = true
}
