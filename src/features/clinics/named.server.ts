import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { byName } from '~/server/scope'
import { conflict, notFound } from '~/shared/errors'

/** The clinic that a command names, by its id or its name in any capitals. Throws when there is none, or it is archived. */
export async function clinicNamed(
  db: Kysely<DB>,
  nameOrId: string,
): Promise<{ id: string; name: string }> {
  const clinic = await db
    .selectFrom('clinics')
    .select(['id', 'name', 'is_archived'])
    .where(({ eb, or, fn, val, cast }) =>
      or([
        eb(cast('id', 'text'), '=', nameOrId.toLowerCase()),
        eb(fn('lower', ['name']), '=', fn('lower', [val(nameOrId)])),
      ]),
    )
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!clinic) throw notFound('clinics.notFound')
  if (clinic.is_archived) throw conflict('clinics.archivedReadOnly')
  return clinic
}

/** The first names by the alphabet of the clinics that are open, for whoever named none of them. */
export async function openClinicNames(db: Kysely<DB>, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('clinics')
    .select('name')
    .where('is_deleted', '=', false)
    .where('is_archived', '=', false)
    .orderBy(byName('name'))
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}
