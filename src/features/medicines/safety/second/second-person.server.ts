import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { guessInTurn } from '~/features/office/sessions/passwords/throttle.server'
import { refusedField } from '~/features/office/sessions/session'
import { verifyCredentials, verifyAhead } from '~/features/office/sessions/setup/owner.server'
import { isSecondFactor } from '~/features/office/sessions/two-factor/second-factor.server'
import { requirePatient } from '~/policy/require.server'
import { dispenseTo, editHistory, knowPatient, prescribeAt, readForSafety } from '~/policy/rules'
import { usersWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import { type Context, mutation } from '~/server/operation'
import { somewhere } from '~/policy/facts'
import type { Message } from '~/shared/errors'
import { EMERGENCY, type Override } from '../override'
import { isGrave, type Warning } from '../rules/warning'
import { ConfirmOverride } from './second-person'

/** As long as it takes to finish the prescription. */
const VALID = sql`interval '30 minutes'`

/** Whether the installation asks for a second person's sign-in. */
export async function asksSecondPerson(db: Kysely<DB>): Promise<boolean> {
  const setting = await db
    .selectFrom('app_config')
    .select('value')
    .where('namespace', '=', 'care')
    .where('key', '=', 'second-sign-in')
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  return setting?.value === 'true'
}

/**
 * Checks the sign-in of a second person who may prescribe at the clinic, limited as any sign-in. The answer names a
 * confirmation that counts for this warning, this patient, the user who asked, and one save.
 */
export const confirmOverride = mutation('safety.confirm', {
  input: ConfirmOverride,
  allow: somewhere([...prescribeAt, ...dispenseTo.permissions, ...editHistory.permissions]),
  async before(ctx, { email, password }) {
    await verifyAhead(ctx, email, password)
  },
  inTurn: guessInTurn,
  async run(ctx, { patientId, clinicId, key, email, password, code }) {
    await requirePatient(ctx, patientId, [...readForSafety, knowPatient])
    const owner = await verifyCredentials(ctx, email, password)
    // a refusal is returned: an error would take back the count of the wrong guess
    if (!owner) return refusedField('password', 'sessions.wrong')
    if (owner.hasSecondFactor && !code) return refusedField('code', 'validation.required')
    if (owner.hasSecondFactor && code && !(await isSecondFactor(ctx, owner.userId, code)))
      return refusedField('code', 'sessions.wrongCode')
    if (owner.isClosed) return refusedField('password', 'sessions.passwordOver')
    if (owner.userId === ctx.actor.userId) return refusedField('email', 'safety.secondIsSame')
    const person = await ctx.db
      .selectFrom('users')
      .select(['name', usersWhere(prescribeAt, clinicId ?? undefined).as('is_permitted')])
      .where('id', '=', owner.userId)
      .executeTakeFirstOrThrow()
    if (!person.is_permitted) return refusedField('email', 'safety.secondMayNot')
    await ctx.db
      .deleteFrom('override_confirmations')
      .where(sql<boolean>`at < clock_timestamp() - ${VALID}`)
      .execute()
    const id = randomUUID()
    await ctx.db
      .insertInto('override_confirmations')
      .values({
        id,
        asked_by: ctx.actor.userId,
        confirmed_by: owner.userId,
        patient_id: patientId,
        warning_key: key,
      })
      .execute()
    await audit(ctx, {
      action: 'safety.confirm',
      table: 'users',
      recordId: owner.userId,
      patientId,
    })
    return { ok: true as const, id, by: person.name }
  },
})

type Where = { patientId: string; clinicId: string | null }

/**
 * The users who confirmed these grave warnings, by the key of the warning. Of a warning that needs a second person and
 * has none, the error by the path of its override. In an emergency nobody is asked.
 */
export async function findConfirmers(
  { db, actor }: Context,
  { patientId, clinicId }: Where,
  warnings: readonly Warning[],
  overrides: readonly Override[],
) {
  const grave = overrides.flatMap((override, at) => {
    const warning = warnings.find(({ key }) => key === override.key)
    return warning && isGrave(warning) && override.code !== EMERGENCY ? [{ ...override, at }] : []
  })
  const confirmed = new Map<string, string>()
  const missing: Record<string, Message> = {}
  if (grave.length === 0 || !(await asksSecondPerson(db))) return { confirmed, missing }
  const rows = await db
    .selectFrom('override_confirmations as c')
    .innerJoin('users', 'users.id', 'c.confirmed_by')
    .select(['c.id', 'c.confirmed_by', 'c.warning_key'])
    .where('c.asked_by', '=', actor.userId)
    .where('c.patient_id', '=', patientId)
    .where('users.is_deleted', '=', false)
    .where(usersWhere(prescribeAt, clinicId ?? undefined))
    .where(sql<boolean>`c.at > clock_timestamp() - ${VALID}`)
    // a confirmation counts for one save: another one at the same moment waits, and finds it used
    .orderBy('c.id')
    .forUpdate('c')
    .execute()
  for (const { key, second, at } of grave) {
    const row = rows.find(({ id, warning_key }) => id === second && warning_key === key)
    if (row) confirmed.set(key, row.confirmed_by)
    else missing[`overrides.${at}.second`] = { key: 'safety.secondRequired' }
  }
  return { confirmed, missing }
}

/** A confirmation counts for one save. */
export async function endConfirmations(db: Kysely<DB>, overrides: readonly Override[]) {
  const ids = overrides.flatMap(({ second }) => second ?? [])
  if (ids.length === 0) return
  await db.deleteFrom('override_confirmations').where('id', 'in', ids).execute()
}
