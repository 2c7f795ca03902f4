import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { openEmergency } from '~/features/record/sharing/emergencies.server'
import { backupFile, downloadBackup } from '~/features/office/backups/backups.server'
import { isOldCopy } from '~/features/office/backups/copy-age'
import { runBackups } from '~/features/office/backups/run.server'
import { forgetFormerPasswords } from '~/features/office/sessions/passwords/password.server'
import { listSessions, signIn } from '~/features/office/sessions/sessions.server'
import { reusableToken } from '~/features/office/sessions/issue.server'
import {
  enableOwnTwoFactor,
  startTwoFactor,
} from '~/features/office/sessions/two-factor/two-factor.server'
import { isSecondFactor } from '~/features/office/sessions/two-factor/second-factor.server'
import { waitBeforeLookup } from '~/features/people/patients/lookups.server'
import { fhirExportStatus } from '~/fhir/export.server'
import { backupSettings } from '~/server/backup-settings'
import type { Context } from '~/server/operation'
import { findRequestActor, findRequestSession } from '~/server/session.server'
import { newId } from '~/shared/id'
import { makeFactories } from './factories'
import { cloneTemplate, test } from './harness'
import { asking, codeOf, givePassword, PASSWORD, sessionFor } from './sessions'

/**
 * The clock was 400 days ahead and is right again. What lasts for a time ends at the earlier of the two clocks; records
 * keep their times.
 */
const AHEAD = sql`interval '400 days'`

/** Moves the times of a user's sessions, as if the clock had been ahead at each of these moments. */
const moveSessions = (db: Kysely<DB>, userId: string, columns: string[]) =>
  sql`update sessions set ${sql.join(
    columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} + ${AHEAD}`),
  )} where user_id = ${userId}`.execute(db)

const opens = async (db: Kysely<DB>, token: string, via: 'web' | 'trpc' | 'phone' = 'web') => {
  const headers: HeadersInit =
    via === 'web' ? { cookie: `sanad_session=${token}` } : { authorization: `Bearer ${token}` }
  return (await findRequestActor(db, { headers: new Headers(headers) }, via)) !== null
}

test('a session that was opened while the clock was ahead is void, and not in the list', async ({
  db,
  make,
}) => {
  const user = await make.user({ role: 'admin' })
  const token = await sessionFor(db, user.id)
  const other = await sessionFor(db, user.id)
  await moveSessions(db, user.id, ['created_at', 'last_seen_at', 'expires_at'])
  expect(await opens(db, token)).toBe(false)
  expect(await opens(db, other)).toBe(false)
  const now = await sessionFor(db, user.id)
  const ctx = (await asking(db, { token: now })) as Context
  expect(await listSessions(ctx, {})).toHaveLength(1)
  // a correction of a minute voids nothing
  await sql`update sessions set created_at = created_at + interval '1 minute'`.execute(db)
  expect(await opens(db, now)).toBe(true)
})

test('a session that was used while the clock was ahead is locked, as one that nobody uses', async ({
  db,
  make,
}) => {
  const user = await make.user({ role: 'admin' })
  const token = await sessionFor(db, user.id)
  await moveSessions(db, user.id, ['last_seen_at'])
  const headers = new Headers({ cookie: `sanad_session=${token}` })
  expect(await findRequestSession(db, headers, 'web')).toMatchObject({ isLocked: true })
})

test('the token of a phone is void, and valid again from its next sign-in on, for 30 days', async ({
  db,
  make,
}) => {
  const user = await make.user({ role: 'admin' })
  const token = await reusableToken(await asking(db), user.id)
  await moveSessions(db, user.id, ['created_at', 'last_seen_at', 'expires_at'])
  expect(await opens(db, token, 'phone')).toBe(false)
  expect(await reusableToken(await asking(db), user.id)).toBe(token)
  expect(await opens(db, token, 'phone')).toBe(true)
  const { expires_at } = await db
    .selectFrom('sessions')
    .select('expires_at')
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(expires_at.getTime()).toBeLessThan(Date.now() + 31 * 86_400_000)
})

test('wrong passwords that were typed while the clock was ahead lock nobody out for longer', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const attempt = async (password: string) =>
    signIn(await asking(db), { email: user.email, password })
  for (let n = 0; n < 5; n += 1) await attempt(`wrong guess ${n}`)
  await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' })
  await sql`update wrong_guesses set at = at + ${AHEAD}`.execute(db)
  expect(await attempt(PASSWORD)).toMatchObject({ ok: true })
})

test('a code of the second factor that was taken while the clock was ahead blocks no later one', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const token = await sessionFor(db, user.id)
  const { secret } = (await startTwoFactor(await asking(db, { token }), {
    password: PASSWORD,
  })) as { secret: string }
  const code = codeOf(secret)
  await enableOwnTwoFactor(await asking(db, { token }), { password: PASSWORD, code })
  await sql`update second_factors set last_step = last_step + 400 * 2880`.execute(db)
  expect(await isSecondFactor(await asking(db), user.id, code)).toBe(true)
  expect(await isSecondFactor(await asking(db), user.id, code)).toBe(false)
})

test('emergency access that was opened while the clock was ahead has ended', async ({
  db,
  make,
}) => {
  const [user, patient] = [await make.user({ role: 'provider' }), await make.patient()]
  await make.permission(user, (await make.clinic()).id)
  const token = await sessionFor(db, user.id)
  const ctx = (await asking(db, { token })) as Context
  await openEmergency(ctx, { id: newId(), patientId: patient.id, reason: 'found unconscious' })
  const emergency = async () => (await asking(db, { token })).actor?.emergency
  expect(await emergency()).toEqual([patient.id])
  await sql`update emergency_accesses set created_at = created_at + ${AHEAD}, until = until + ${AHEAD}`.execute(
    db,
  )
  expect(await emergency()).toBeUndefined()
})

test('a ticket for a backup lasts five minutes of the right clock, too', async ({ db, make }) => {
  const user = await make.user({ role: 'super_admin' })
  await givePassword(db, user)
  const ctx = (await asking(db, { token: await sessionFor(db, user.id) })) as Context
  const folder = mkdtempSync(join(tmpdir(), 'sanad-clock-'))
  const settings = backupSettings()
  const before = { ...settings }
  Object.assign(settings, { folder })
  try {
    const id = newId()
    const file_name = 'sanad-2026-01-02-0100.backup'
    const done = { status: 'finished', file_name, bytes: 1, finished_at: new Date() } as const
    await db
      .insertInto('backups')
      .values({ id, kind: 'daily', ...done })
      .execute()
    const right = Date.now
    Date.now = () => right() + 400 * 86_400_000
    let answer
    try {
      answer = (await downloadBackup(ctx, { id, password: PASSWORD })) as { ticket: string }
    } finally {
      Date.now = right
    }
    await expect(backupFile(ctx, { id, ticket: answer.ticket })).rejects.toMatchObject({
      code: 'forbidden',
      text: { key: 'backups.noTicket' },
    })
  } finally {
    Object.assign(settings, before)
    rmSync(folder, { recursive: true })
  }
})

test('a backup of a clock that was ahead does not stop the daily one, and no copy of it is new', async ({
  onTestFinished,
}) => {
  const db = await cloneTemplate(`clock_ahead_${process.pid}`)
  onTestFinished(() => db.destroy())
  await makeFactories(db).user()
  const ahead = new Date(Date.now() + 400 * 86_400_000)
  const done = { file_name: 'sanad-2028-01-02-0100.backup', bytes: 1, finished_at: ahead }
  for (const status of ['finished', 'failed'] as const)
    await db
      .insertInto('backups')
      .values({ id: newId(), kind: 'daily', status, ...done })
      .execute()
  // it is planned; without a folder it fails, which is written down
  const settings = backupSettings()
  const before = { ...settings }
  Object.assign(settings, { folder: '/dev/null/none' })
  try {
    await runBackups(db)
  } finally {
    Object.assign(settings, before)
  }
  const made = await db
    .selectFrom('backups')
    .select('status')
    .where('finished_at', '<', ahead)
    .execute()
  expect(made).toEqual([{ status: 'failed' }])
  expect(isOldCopy({ madeAt: ahead, chosenAt: ahead, days: 2 }, new Date())).toBe(true)
})

test('an export that was asked for while the clock was ahead is void', async ({ db, make }) => {
  const user = await make.user({ role: 'admin' })
  const ctx = (await asking(db, { token: await sessionFor(db, user.id) })) as Context
  const id = newId()
  await db
    .insertInto('fhir_exports')
    .values({ id, user_id: user.id, scope: 'patient', request: '', base: '', types: [] })
    .execute()
  expect(await fhirExportStatus(ctx, { id })).toMatchObject({ id })
  await sql`update fhir_exports set created_at = created_at + ${AHEAD}`.execute(db)
  await expect(fhirExportStatus(ctx, { id })).rejects.toMatchObject({ status: 404 })
})

test('look-ups that were counted while the clock was ahead slow nobody down', async ({
  db,
  make,
}) => {
  const { id: user_id } = await make.user()
  const lookups = Array.from({ length: 40 }, () => ({ id: newId(), user_id }))
  await db.insertInto('identity_lookups').values(lookups).execute()
  expect(await waitBeforeLookup(db, user_id)).toBeGreaterThan(0)
  await sql`update identity_lookups set at = at + ${AHEAD}`.execute(db)
  expect(await waitBeforeLookup(db, user_id)).toBe(0)
})

test('the hash of a former server that was imported while the clock was ahead is kept for 90 days from now', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await db
    .insertInto('credentials_bcrypt')
    .values({ user_id: user.id, password: `$2b$10$${'a'.repeat(53)}` })
    .execute()
  await sql`update credentials_bcrypt set imported_at = imported_at + ${AHEAD}`.execute(db)
  await forgetFormerPasswords(db)
  const days = async () =>
    (
      await sql<{ days: number }>`
        select round(extract(epoch from now() - imported_at) / 86400)::int as days from credentials_bcrypt`.execute(
        db,
      )
    ).rows
  expect(await days()).toEqual([{ days: 0 }])
  await sql`update credentials_bcrypt set imported_at = imported_at - interval '91 days'`.execute(
    db,
  )
  await forgetFormerPasswords(db)
  expect(await days()).toEqual([])
})
