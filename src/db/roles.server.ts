import pg from 'pg'
import { IDLE_TIMEOUT, inClientTransaction, onConnection, STATEMENT_TIMEOUT } from './connect'
import { perProcess } from './per-process'
import { Refusal } from './refusal'

/**
 * Two roles (docs/decisions/0026): the owner makes tables, functions and triggers; the application reads and writes
 * rows. They are the same role where an external database has only one.
 */
export type DatabaseUrls = {
  appUrl: string
  ownerUrl: string
  /** As the application past the pooler that `appUrl` leads to. */
  directUrl?: string
}

/** Set at the start of the process; false before. */
export const trail = perProcess('trail', () => ({ isUnprotected: false }))

/**
 * Gives the application its privileges in a prepared database. Returns whether the application can neither rewrite the
 * audit trail nor become a role that can.
 */
export const grantApplication = (
  { appUrl, ownerUrl, directUrl }: DatabaseUrls,
  owner?: pg.Client,
): Promise<boolean> =>
  onConnection(directUrl ?? appUrl, { name: 'sanad start' }, async (app) => {
    if (directUrl) await keepTimeouts(app)
    return onConnection(owner ?? ownerUrl, { name: 'sanad start' }, (client) => grant(app, client))
  })

const timeouts = {
  statement_timeout: STATEMENT_TIMEOUT,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT,
}

/**
 * Gives the application's role its timeouts in this database, as a pooler rejects them as startup parameters. Keeps
 * values that an administrator has set.
 */
const keepTimeouts = (app: pg.Client) =>
  inClientTransaction(app, async () => {
    // processes that start together take turns
    await app.query('select pg_advisory_xact_lock(7262026)')
    const { rows } = await app.query<{ database: string; set: string[] }>(
      `select current_database() as database, array(
         select split_part(unnest(setconfig), '=', 1) from pg_db_role_setting
         where setrole = current_user::regrole) as set`,
    )
    const { database, set } = rows[0]!
    for (const [name, value] of Object.entries(timeouts))
      if (!set.includes(name))
        await app.query(
          `alter role current_user in database ${pg.escapeIdentifier(database)} set ${name} = ${value}`,
        )
  })

async function grant(app: pg.Client, owner: pg.Client): Promise<boolean> {
  const { rows: roles } = await app.query<{ name: string }>('select current_user as name')
  await owner.query('select grant_application($1)', [roles[0]!.name])
  const places = [await app.query(placeQuery), await owner.query(placeQuery)]
  if (places[0]!.rows[0].place !== places[1]!.rows[0].place)
    throw new Refusal(
      'DATABASE_URL (or DATABASE_DIRECT_URL) and DATABASE_OWNER_URL lead to different databases or schemas: ' +
        'name the same database in both, with two users.',
    )
  const { rows } = await app.query<{ is_protected: boolean }>(
    'select trail_is_protected() as is_protected',
  )
  trail.isUnprotected = !rows[0]!.is_protected
  return rows[0]!.is_protected
}

const placeQuery = `
  select concat_ws(' ', (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()), current_schema()) as place`
