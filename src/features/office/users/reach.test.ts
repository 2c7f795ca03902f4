import fc from 'fast-check'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test as plain } from 'vitest'
import { type Context, parse } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { type Permission, PERMISSIONS, roleRank, type Role, ROLES } from '~/shared/permissions'
import { aRequest, cloneTemplate, test } from '../../../../test/harness'
import { makeFactories } from '../../../../test/factories'
import { giveClinic, revokeClinic, savePermissions } from './permissions.server'
import {
  personClinics,
  mayManage,
  maySeeUser,
  mayTakeOver,
  rightsToGive,
  rolesToGive,
} from './reach'
import { findPerson, seenBy } from './reach.server'
import { SaveUser } from './user'
import { deleteUser, resetPassword, saveUser } from './users.server'

const CLINICS = ['a', 'b', 'c'].map((letter) => `00000000-0000-7000-8000-00000000000${letter}`)
const grants = fc.dictionary(fc.constantFrom(...CLINICS), fc.subarray([...PERMISSIONS]), {
  maxKeys: 3,
})
const person = fc
  .record({
    role: fc.constantFrom(...ROLES),
    grants,
    clinicId: fc.option(fc.constantFrom(...CLINICS)),
    userId: fc.uuid(),
  })
  .map((values): Actor => ({ ...values, name: 'Test user', language: 'en' }))

/** Likely to reach one another: few roles, often in one clinic, often administering it. */
const worker = fc
  .tuple(person, fc.constantFrom<Role>('registrar', 'provider', 'provider', 'admin'), fc.boolean())
  .map(([actor, role, isSmall]) => ({
    ...actor,
    role,
    ...(isSmall && { clinicId: CLINICS[0]!, grants: { [CLINICS[0]!]: PERMISSIONS } }),
  }))

describe('who may change which user', () => {
  const staff: Actor = {
    userId: 'x',
    name: '',
    language: 'en',
    role: 'provider',
    clinicId: null,
    grants: {},
  }
  const as = (role: Role, held: Actor['grants'] = {}, userId = 'actor') => ({
    ...staff,
    userId,
    role,
    grants: held,
  })
  const [a, b] = ['clinic a', 'clinic b']
  const targets = {
    registrar: as('registrar', { [a]: ['can_register_patients'] }, 'r'),
    provider: as('provider', { [a]: ['can_view_history'] }, 'p'),
    'provider of two clinics': as(
      'provider',
      { [a]: ['can_view_history'], [b]: ['can_view_history'] },
      'p2',
    ),
    'provider of no clinic': as('provider', {}, 'p0'),
    admin: as('admin', {}, 'ad'),
    super_admin: as('super_admin', {}, 'su'),
  }
  plain.for([
    ['registrar', as('registrar', { [a]: ['can_register_patients'] }), []],
    ['provider', as('provider', { [a]: ['can_view_history'] }), []],
    ['clinic admin', as('provider', { [a]: PERMISSIONS }), ['registrar', 'provider']],
    ['registrar who is clinic admin', as('registrar', { [a]: PERMISSIONS }), ['registrar']],
    [
      'clinic admin of both',
      as('provider', { [a]: PERMISSIONS, [b]: PERMISSIONS }),
      ['registrar', 'provider', 'provider of two clinics'],
    ],
    [
      'admin',
      as('admin'),
      ['registrar', 'provider', 'provider of two clinics', 'provider of no clinic'],
    ],
    ['super_admin', as('super_admin'), Object.keys(targets)],
  ] as const)('a %s: %j', ([, actor, expected]) => {
    const reached = Object.entries(targets).filter(([, target]) => mayManage(actor, target))
    expect(reached.map(([name]) => name)).toEqual(expected)
    expect(mayManage(actor, actor)).toBe(false)
  })

  plain(
    'no user takes over an account with more rights, or gives a role or right that they lack',
    () => {
      fc.assert(
        fc.property(person, person, (actor, other) => {
          for (const role of rolesToGive(actor, other))
            expect(roleRank(role)).toBeLessThanOrEqual(roleRank(actor.role))
          for (const clinic of CLINICS) {
            const given = rightsToGive(actor, other.role, clinic)
            expect(given.every((right) => holds(actor, right, clinic))).toBe(true)
          }
          expect(!mayTakeOver(actor, other) || isWithin(other, actor)).toBe(true)
        }),
        { numRuns: 500 },
      )
    },
  )
})

test('the list shows exactly the users that the rule permits', async ({ db, make }) => {
  for (const id of CLINICS) await make.clinic({ id })
  await fc.assert(
    fc.asyncProperty(person, fc.array(person, { maxLength: 4 }), async (actor, others) => {
      await sql`savepoint try`.execute(db)
      for (const other of others) {
        const user = await make.user({ role: other.role, clinic_id: other.clinicId })
        for (const [clinic, held] of Object.entries(other.grants))
          await make.permission(user, clinic, held)
      }
      const all = await db.selectFrom('users').select('id').execute()
      const seen = await db.selectFrom('users').select('id').where(seenBy(actor)).execute()
      const expected = []
      for (const { id } of all)
        if (maySeeUser(actor, (await findPerson(db, id))!)) expected.push(id)
      expect(seen.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
      await sql`rollback to savepoint try`.execute(db)
    }),
    { numRuns: 40 },
  )
})

/**
 * Whatever users do to each other's accounts, in any order, the rights that each can use (their own
 * and those of every account whose password they set) stay within what they had, unless a user who
 * had more gave them some.
 */
test('no sequence of calls raises a user’s rights without a more powerful user', async ({
  db,
  make,
}) => {
  const step = fc.record({
    call: fc.constantFrom('save', 'create', 'reset', 'delete', 'give', 'revoke', 'permissions'),
    by: fc.nat(5),
    target: fc.nat(5),
    role: fc.constantFrom(...ROLES),
    clinic: fc.constantFrom(...CLINICS),
    withPassword: fc.boolean(),
    held: fc.subarray([...PERMISSIONS]),
  })
  for (const id of CLINICS) await make.clinic({ id })
  await fc.assert(
    fc.asyncProperty(
      fc.array(worker, { minLength: 3, maxLength: 4 }),
      fc.array(step, { minLength: 3, maxLength: 10 }),
      async (people, steps) => {
        await sql`savepoint sequence`.execute(db)
        const ids: string[] = []
        for (const { role, clinicId, grants } of people) {
          const user = await make.user({ role, clinic_id: clinicId })
          for (const [clinic, held] of Object.entries(grants))
            await make.permission(user, clinic, held)
          ids.push(user.id)
        }
        // the first user acts alone, with every account whose password that user learns
        const before = (await findPerson(db, ids[0]!))!
        const accounts = new Set([ids[0]!])
        for (const { call, by, target, role, clinic, withPassword, held } of steps) {
          const id = ids[target % ids.length]!
          const actor = await findPerson(db, [...accounts][by % accounts.size]!)
          if (!actor) continue
          const ctx: Context = { db, request: aRequest(), actor: { ...actor, language: 'en' } }
          const password = withPassword ? 'six green birds' : null
          const knows = await did(ctx, call, { id, role, clinic, held, password })
          if (knows) accounts.add(knows)
          if (knows && !ids.includes(knows)) ids.push(knows)
          for (const account of accounts) {
            const now = await findPerson(db, account)
            if (now && !isWithin(now, before))
              throw new Error(`${call} raised ${before.role}: ${JSON.stringify({ before, now })}`)
          }
        }
        await sql`rollback to savepoint sequence`.execute(db)
      },
    ),
    { numRuns: 30 },
  )
})

type Step = { id: string; role: Role; clinic: string; held: Permission[]; password: string | null }

/** Tries a call. Returns whose password the caller then knows. */
async function did(
  ctx: Context,
  call: string,
  { id, role, clinic, held, password }: Step,
): Promise<string | undefined> {
  const here = { userId: id, clinicId: clinic }
  try {
    if (call === 'delete') await deleteUser(ctx, { id })
    if (call === 'give') await giveClinic(ctx, here)
    if (call === 'revoke') await revokeClinic(ctx, here)
    if (call === 'reset') return (await resetPassword(ctx, { id, password }), id)
    if (call === 'permissions') {
      const row = await ctx.db
        .selectFrom('user_clinic_permissions')
        .select('last_modified')
        .where('user_id', '=', id)
        .where('clinic_id', '=', clinic)
        .executeTakeFirst()
      const rights = Object.fromEntries(
        PERMISSIONS.map((right) => [right, held.includes(right)]),
      ) as Record<Permission, boolean>
      await savePermissions(ctx, { ...here, last_modified: row?.last_modified, ...rights })
    }
    if (call === 'create' || call === 'save') {
      const user =
        call === 'save'
          ? await ctx.db
              .selectFrom('users')
              .select(['id', 'email', 'last_modified'])
              .where('id', '=', id)
              .executeTakeFirstOrThrow()
          : { id: uuidv7(), email: `${uuidv7()}@a.example`, last_modified: null }
      await saveUser(
        ctx,
        parse(SaveUser, { ...user, name: 'Test user', role, clinic_id: clinic, password }),
      )
      return password ? user.id : undefined
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  return undefined
}

const isAll = ({ role }: Pick<Actor, 'role'>) => roleRank(role) >= roleRank('admin')
const holds = (actor: Pick<Actor, 'role' | 'grants'>, right: Permission, clinic: string) =>
  isAll(actor) || (actor.grants[clinic]?.includes(right) ?? false)
const isWithin = (inner: Pick<Actor, 'role' | 'grants'>, outer: Pick<Actor, 'role' | 'grants'>) =>
  roleRank(inner.role) <= roleRank(outer.role) &&
  Object.entries(inner.grants).every(([clinic, held]) =>
    held.every((right) => holds(outer, right, clinic)),
  )

test('an administrator demoted during a promotion promotes no user; two who demote each other leave one', async () => {
  const db = await cloneTemplate(`users_race_${process.pid}`)
  try {
    const make = makeFactories(db)
    const [first, second] = [
      await make.user({ role: 'super_admin' }),
      await make.user({ role: 'super_admin' }),
    ]
    await make.user({ role: 'super_admin' })
    const demotes = (by: typeof first, user: typeof first) => {
      const actor: Actor = {
        userId: by.id,
        name: by.name,
        role: 'super_admin',
        language: 'en',
        clinicId: null,
        grants: {},
      }
      const { id, name, email, last_modified } = user
      return saveUser(
        { db, request: aRequest(), actor },
        { id, name, email, last_modified, role: 'admin', clinic_id: null },
      )
    }
    const outcomes = await Promise.allSettled([demotes(first, second), demotes(second, first)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const left = await db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'super_admin')
      .execute()
    expect(left).toHaveLength(2)
    expect(personClinics({ userId: '', role: 'admin', clinicId: null, grants: {} })).toEqual([])
  } finally {
    await db.destroy()
  }
})
