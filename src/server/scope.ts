import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, clinicsWhere } from '~/shared/actor'
import type { Permission } from '~/shared/permissions'

/** A `where` that keeps the rows of the clinics in which the actor holds one of the permissions. */
export function inPermittedClinics(
  actor: Actor,
  column: string,
  ...permissions: Permission[]
): Expression<SqlBool> {
  const clinics = clinicsWhere(actor, ...permissions)
  if (clinics === 'all') return sql<boolean>`true`
  return sql<boolean>`${sql.ref(column)} = any(${clinics}::uuid[])`
}

/** A `like` pattern that finds the text anywhere, with the pattern's own signs taken literally. */
export const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

/** Sorts names as people do, alike on every server. */
export const byName = (column: string) => sql`${sql.ref(column)} collate names`

/** How many rows a subquery finds, as a column. */
// oxlint-disable-next-line typescript/no-explicit-any -- of whatever tables, as it is only counted
export const countSubquery = (rows: SelectQueryBuilder<any, any, object>) =>
  sql<number>`${rows.select(sql<number>`count(*)`.as('count'))}`

/**
 * The name of the user whose phone sent the row of `table`, where that is not its author; both are
 * shown then.
 */
export const sentBy = (table: string, author: string) =>
  sql<string | null>`(select sender.name from users sender
    where sender.id = ${sql.ref(`${table}.sent_by_user_id`)}
      and sender.id is distinct from ${sql.ref(`${table}.${author}`)})`.as('sent_by')
