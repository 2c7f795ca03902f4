import { openConnection } from './connect'
import { perProcess } from './per-process'
import { Refusal } from './refusal'

/**
 * Two roles (docs/decisions/0026): the owner makes tables, functions and triggers; the application reads and writes
 * rows. They are the same role where an external database has only one.
 */
export type DatabaseUrls = { appUrl: string; ownerUrl: string }

/** Set at the start of the process; false before. */
export const trail = perProcess('trail', () => ({ isUnprotected: false }))

/**
 * Gives the application its privileges in a prepared database. Returns whether the application can neither rewrite the
 * audit trail nor become a role that can.
 */
export async function grantApplication({ appUrl, ownerUrl }: DatabaseUrls): Promise<boolean> {
  const app = await openConnection(appUrl, { name: 'sanad start' })
  const owner = await openConnection(ownerUrl, { name: 'sanad start' })
  try {
    const { rows: roles } = await app.query<{ name: string }>('select current_user as name')
    await owner.query('select grant_application($1)', [roles[0]!.name])
    const places = [await app.query(placeQuery), await owner.query(placeQuery)]
    if (places[0]!.rows[0].place !== places[1]!.rows[0].place)
      throw new Refusal(
        'DATABASE_URL and DATABASE_OWNER_URL lead to different databases or schemas: ' +
          'name the same database in both, with two users.',
      )
    const { rows } = await app.query<{ is_protected: boolean }>(
      'select trail_is_protected() as is_protected',
    )
    trail.isUnprotected = !rows[0]!.is_protected
    return rows[0]!.is_protected
  } finally {
    await app.end()
    await owner.end()
  }
}

const placeQuery = `
  select concat_ws(' ', (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()), current_schema()) as place`
