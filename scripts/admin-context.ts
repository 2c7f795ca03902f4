import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import type { TaskValues } from './admin-task'

/** A user who runs commands on the server may do everything; the audit trail names the command. */
export const adminCommandContext = (db: Kysely<DB>): Context => ({
  db,
  request: { id: randomUUID(), via: 'command', address: '', headers: new Headers() },
  actor: {
    userId: '00000000-0000-0000-0000-000000000000',
    name: 'Command line',
    role: 'super_admin',
    language: 'en',
    clinicId: null,
    grants: {},
  },
})

/** The user with an e-mail address, without deleted users. */
export async function personBy(db: Kysely<DB>, email: TaskValues[string]) {
  const person = await db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'clinic_id'])
    .where('email', '=', String(email).trim().toLowerCase())
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!person)
    throw new Refusal(
      `No user has the e-mail address "${email}". List all users: npm run admin -- list-users`,
    )
  return person
}

/** The first line of standard input with --password-stdin, so that no password is in the history of a shell. */
export async function passwordFrom(values: TaskValues): Promise<string | null> {
  if (!values['password-stdin']) return null
  let text = ''
  for await (const chunk of process.stdin) text += String(chunk)
  const [password = ''] = text.split(/\r?\n/, 1)
  if (!password)
    throw new Refusal(
      'Standard input is empty: pipe a password into the command, or omit --password-stdin.',
    )
  return password
}

export const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Columns as wide as their longest entry. */
export function table(rows: Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name]!.length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd()
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name]!)))].join('\n')
}
