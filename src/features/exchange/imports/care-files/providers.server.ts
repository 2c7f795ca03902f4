import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Message } from '~/shared/errors'
import type { RecordValues } from '../record-files/record-file.server'
import { several } from '../record-files/clinics-file.server'

/** The user that each row names as provider, by e-mail address or name; null where it names none. */
export async function providersNamed(
  db: Kysely<DB>,
  rows: readonly RecordValues[],
): Promise<({ providerId: string | null } | { refused: Message })[]> {
  const names = rows.flatMap(({ provider }) =>
    typeof provider === 'string' ? [provider.toLowerCase()] : [],
  )
  const users =
    names.length === 0
      ? []
      : await db
          .selectFrom('users')
          .select(['id', 'name', 'email'])
          .where(sql<boolean>`(lower(name) = any(${names}) or lower(email) = any(${names}))`)
          .where('is_deleted', '=', false)
          .execute()
  return rows.map(({ provider }) => {
    if (typeof provider !== 'string') return { providerId: null }
    const found = users.filter(({ name, email }) =>
      [name, email].some((text) => text.toLowerCase() === provider.toLowerCase()),
    )
    if (found.length > 1) return { refused: several(provider) }
    return found[0]
      ? { providerId: found[0].id }
      : {
          refused: { key: 'imports.reasons.noProvider', values: { value: provider.slice(0, 60) } },
        }
  })
}
