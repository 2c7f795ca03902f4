import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { PHONE_DAYS } from '~/features/office/sessions/passwords/password.server'
import { mutation, NoInput, query } from '~/server/operation'
import { type Actor, isSuperAdmin } from '~/shared/actor'

/**
 * How many users `users.askForPasswords` would ask, and how many have been asked or have a password that another user
 * set.
 */
export const countPasswordsToAsk = query('users.passwordsToAsk', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db, actor }) {
    const { rows } = await sql<{ users: number; asked: number }>`
      select count(*) filter (where not is_marked)::int as users,
        count(*) filter (where is_marked)::int as asked
      from (${passwordsOfOthers(actor)}) p`.execute(db)
    return rows[0]!
  },
})

/**
 * Marks the password of every other user, also one of their own choice: its owner must replace it at the next sign-in.
 * Ends their sessions in browsers and programs. Phones use the password for 14 days more; app passwords and keys of
 * programs stay valid.
 */
export const askForPasswords = mutation('users.askForPasswords', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db, actor, request }) {
    const users = await marked(db, actor)
    await sql`insert into audit_log (user_id, action, via, request_id, table_name, record_id, clinic_id, changes)
      select ${actor.userId}, 'users.askForPasswords', ${request.via}, ${request.id}, 'users', u.id, u.clinic_id,
        jsonb_build_object('user_id', jsonb_build_array(null, u.id),
          'must_change', jsonb_build_array(false, true))
      from users u where u.id = any(${users}::uuid[])`.execute(db)
    return { users: users.length }
  },
})

/** Every other user who has a password. A mark of an earlier version set no time for phones: it counts as none. */
const passwordsOfOthers = ({ userId }: Actor) => sql`
  select u.id, case when c.user_id is null then f.must_change
      else c.must_change and c.phones_until is not null end as is_marked
  from users u
    left join credentials c on c.user_id = u.id
    left join credentials_bcrypt f on f.user_id = u.id and c.user_id is null
  where not u.is_deleted and u.id <> ${userId} and (c.user_id is not null or f.user_id is not null)`

async function marked(db: Kysely<DB>, actor: Actor): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with asked as (select id from (${passwordsOfOthers(actor)}) p where not is_marked order by id),
    own as (
      update credentials set must_change = true,
        phones_until = clock_timestamp() + make_interval(days => ${PHONE_DAYS})
      where user_id in (select id from asked) returning user_id),
    former as (
      update credentials_bcrypt set must_change = true
      where user_id in (select id from asked) and user_id not in (select user_id from own)
      returning user_id)
    select user_id as id from own union select user_id from former`.execute(db)
  return rows.map(({ id }) => id)
}
