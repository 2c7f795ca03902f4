import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { operations } from '~/rpc/operations'
import { tokenFor } from './sessions'
import { type makeWorld, newId } from './world'

/** Users of one clinic who use the ids of another clinic's records. */
export const OF_ANOTHER_CLINIC = [
  'anonymous',
  'registrar',
  'provider',
  'clinic admin',
  'deleted user',
] as const
/** And administrators: some operations are refused to them in every clinic. */
export const HOSTILE = [...OF_ANOTHER_CLINIC, 'admin', 'super_admin'] as const
export type Hostile = (typeof HOSTILE)[number]

export const REFUSED = [401, 403, 404]

/** The rows of docs/operations.md: operation -> kind of user -> cell. */
const [header = [], , ...lines] = readFileSync('docs/operations.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
const table = new Map(
  lines.map((cells) => [cells[1], Object.fromEntries(cells.map((cell, at) => [header[at], cell]))]),
)

/** The operations that the table refuses to this user for another clinic's records. */
export const refusedTo = (kind: Hostile) =>
  [...operations].filter(([name, { facts }]) => !facts.open && table.get(name)![kind] !== 'yes')

/** A Bearer token for each user but "anonymous"; that of the deleted user was given before the deletion. */
export async function tokensOf(db: Kysely<DB>, { actors }: Awaited<ReturnType<typeof makeWorld>>) {
  const tokens: Partial<Record<Hostile, string>> = {}
  for (const kind of ['registrar', 'provider', 'clinic admin', 'admin', 'super_admin'] as const)
    tokens[kind] = await tokenFor(db, actors[kind]!.userId)
  const id = newId()
  const user = { id, name: 'Huda', email: `${id}@clinic.example`, role: 'admin' }
  await db.insertInto('users').values(user).execute()
  tokens['deleted user'] = await tokenFor(db, id)
  await db.updateTable('users').set({ is_deleted: true }).where('id', '=', id).execute()
  return tokens
}
