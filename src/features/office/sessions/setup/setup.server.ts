import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { fieldsSchema } from '~/fields/field'
import { audit } from '~/server/audit'
import { NoInput, type OpenContext, openMutation, openQuery } from '~/server/operation'
import { conflict, invalid } from '~/shared/errors'
import { type Language, LANGUAGES } from '~/shared/language'
import { openSession, reusableToken } from '../issue.server'
import { setPassword } from '../passwords/password.server'
import { codeFrom, hashToken } from '~/server/secret.server'
import { isRestored, isSetupOpen, superAdmins } from '~/server/startup.server'
import { refusedField, restoredFields, setupFields } from '../session'
import { guessed, stranger } from '../passwords/throttle.server'

/**
 * `isOpen`: there is no user yet who can add others. `isRestored`: there is one, but after the restore of a
 * backup without credentials no user has a password.
 */
export const setupState = openQuery('setup.state', {
  input: NoInput,
  allow: () => true,
  run: async ({ db }) => ({ isOpen: await isSetupOpen(db), isRestored: await isRestored(db) }),
})

/**
 * Creates the first super_admin and the first clinic, and signs the user in. Needs the code that
 * the terminal printed.
 */
export const completeFirstSetup = openMutation('setup.complete', {
  input: fieldsSchema(setupFields).extend({
    language: z.enum(LANGUAGES, 'validation.option').optional(),
  }),
  allow: () => true,
  async run(ctx, { code, clinic, ...person }) {
    await takeTurns(ctx.db)
    if (!(await isSetupOpen(ctx.db))) throw conflict('setup.closed')
    if (!(await isRightCode(ctx, code))) return refusedField('code', 'setup.wrongCode')
    const { id } = await makeSuperAdmin(ctx, person, clinic)
    await audit(ctx, { action: 'setup.complete', table: 'users', recordId: id, userId: id })
    return { ok: true as const, token: await signedInAs(ctx, id) }
  },
})

/** After the restore of a backup without credentials: the users who may get the first password. Needs the code. */
export const restoredAdmins = openMutation('setup.restoredAdmins', {
  input: z.object({ code: restoredFields.code.schema }),
  allow: () => true,
  async run(ctx, { code }) {
    await refuseUnlessRestored(ctx)
    if (!(await isRightCode(ctx, code))) return refusedField('code', 'setup.wrongCode')
    const people = await superAdmins(ctx.db)
      .select(['users.id', 'name', 'email'])
      .orderBy('name')
      .execute()
    return { ok: true as const, people }
  },
})

/**
 * Sets the password of a super administrator and signs them in. The code works once: from then on a
 * user has a password.
 */
export const completeServerRestore = openMutation('setup.completeRestore', {
  input: fieldsSchema(restoredFields),
  allow: () => true,
  async run(ctx, { code, userId, newPassword }) {
    await refuseUnlessRestored(ctx)
    if (!(await isRightCode(ctx, code))) return refusedField('code', 'setup.wrongCode')
    const person = await superAdmins(ctx.db)
      .select(['users.id', 'email'])
      .where('users.id', '=', userId)
      .executeTakeFirst()
    if (!person) throw invalid({ userId: { key: 'validation.option' } })
    await setPassword(ctx.db, person, newPassword, { setBy: 'owner', field: 'newPassword' })
    await ctx.db.deleteFrom('setup_codes').execute()
    await audit(ctx, {
      action: 'setup.completeRestore',
      table: 'users',
      recordId: person.id,
      userId: person.id,
    })
    return { ok: true as const, token: await signedInAs(ctx, person.id) }
  },
})

async function refuseUnlessRestored({ db }: OpenContext) {
  await takeTurns(db)
  if (!(await isRestored(db))) throw conflict('setup.closed')
}

/** Counts wrong guesses: the caller must not throw after false. */
function isRightCode(ctx: OpenContext, code: string): Promise<boolean> {
  const source = stranger(ctx.request.address)
  const guess = { what: 'setup', of: 'code', guess: codeFrom(code), source } as const
  return guessed(ctx, guess, () => isSetupCode(ctx.db, code))
}

const signedInAs = (ctx: OpenContext, userId: string) =>
  ctx.request.via === 'web' ? openSession(ctx, userId, 'browser') : reusableToken(ctx, userId)

/**
 * The same from the command line, at any time: running commands on the server implies that trust.
 */
export const createSuperAdmin = openMutation('setup.createSuperAdmin', {
  input: z.object({
    ...fieldsSchema(setupFields).omit({ code: true }).shape,
    clinic: setupFields.clinic.schema.nullish(),
  }),
  allow: ({ request }) => request.via === 'command',
  run: (ctx, { clinic, ...person }) => makeSuperAdmin(ctx, person, clinic),
})

async function isSetupCode(db: Kysely<DB>, code: string): Promise<boolean> {
  const found = await db
    .selectFrom('setup_codes')
    .select('created_at')
    .where('code_hash', '=', hashToken(codeFrom(code)))
    .execute()
  return found.length > 0
}

/**
 * Of two that complete the set-up at the same moment, the second finds it closed. The trigger of
 * the last super_admin waits here as well.
 */
const takeTurns = (db: Kysely<DB>) =>
  sql`select pg_advisory_xact_lock(hashtext('sanad.super_admin'))`.execute(db)

type Person = { name: string; email: string; newPassword: string; language?: Language }

/** With the clinic of that name, created if missing. */
async function makeSuperAdmin(
  { db }: OpenContext,
  { newPassword, ...person }: Person,
  clinicName?: string | null,
) {
  const id = uuidv7()
  await sql`select set_config('sanad.user_id', ${id}, true)`.execute(db)
  const clinicId = clinicName ? await clinicNamed(db, clinicName) : null
  await db
    .insertInto('users')
    .values({ id, ...person, role: 'super_admin', clinic_id: clinicId })
    .execute()
  await setPassword(db, { id, email: person.email }, newPassword, {
    setBy: 'owner',
    field: 'newPassword',
  })
  return { id, clinicId }
}

async function clinicNamed(db: Kysely<DB>, name: string): Promise<string> {
  const found = await db
    .selectFrom('clinics')
    .select('id')
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (found) return found.id
  const id = uuidv7()
  await db.insertInto('clinics').values({ id, name }).execute()
  return id
}
