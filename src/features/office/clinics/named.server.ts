import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { byName } from '~/server/scope'
import { conflict, notFound } from '~/shared/errors'

/**
 * The clinic that a command names, by id or by name in any case. Throws if it is missing or
 * archived.
 */
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

/** The first names of the open clinics, for a command that named none. */
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
