import fc from 'fast-check'
import { describe, expect } from 'vitest'
import en from '../messages/en.json'
import { operations } from '~/rpc/operations'
import type { AnyOperation } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import {
  attempt,
  cellsOf,
  isAnswered,
  isScoped,
  seenElsewhere,
  throwBug,
  withAnswers,
  worldOf,
} from './access'
import { compoundGuards } from './compound-guards'
import { test as base } from './harness'
import { samples } from './samples'
import { ownMatters } from './session-samples'
import { newId } from './world'

/** One world for all tests of this file: whatever a call does in it is taken back at once. */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) =>
  withAnswers(await worldOf(onCleanup)),
)

const all = [...operations.values()].toSorted((a, b) => a.facts.name.localeCompare(b.facts.name))
const named = (some: AnyOperation[]) =>
  some.map((operation) => ({ name: operation.facts.name, operation }))

test('every operation is tried below', () => {
  expect(all.map(({ facts }) => facts.name).filter((name) => !(name in samples))).toEqual([])
})

test('who may do what', async ({ world }) => {
  const names = Object.keys(world.actors)
  const lines = []
  for (const operation of all) {
    const cells = await cellsOf(world, operation)
    lines.push(`| \`${operation.facts.name}\` | ${operation.facts.kind} | ${cells.join(' | ')} |`)
  }
  await expect(table(names, lines)).toMatchFileSnapshot('../docs/operations.md')
})

test('which users each combined guard allows', async ({ world }) => {
  const table = await compoundGuards(world)
  await expect(`${table}\n`).toMatchFileSnapshot('fixtures/compound-guards.txt')
})

test('what users learn of the other clinic by any call, with its ids or their own', async ({
  world,
}) => {
  const lines = []
  for (const operation of all) {
    const seen = await seenElsewhere(world, operation)
    if (seen.length > 0) lines.push(`${operation.facts.name}: ${seen.join(', ')}`)
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('fixtures/seen-elsewhere.txt')
})

test('which queries answer by the user’s clinics and rights', async ({ world }) => {
  const lines = []
  for (const operation of all)
    if (operation.facts.kind === 'query' && (await isScoped(world, operation)))
      lines.push(operation.facts.name)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('fixtures/scoped-queries.txt')
})

describe('a user who is not signed in', () => {
  test.for(named(all.filter(({ facts }) => !facts.open)))(
    'is refused $name',
    async ({ operation }, { world: { db, own } }) => {
      expect(await attempt(db, operation, null, samples[operation.facts.name]!(own))).toMatchObject(
        {
          code: 'unauthenticated',
        },
      )
    },
  )
})

describe('a user without any permission', () => {
  const open = ['clinics.names', 'users.names', ...ownMatters]
  test.for(named(all.filter(({ facts }) => !facts.open && !open.includes(facts.name))))(
    'is refused $name',
    async ({ operation }, { world: { db, own } }) => {
      const stranger: Actor = {
        userId: newId(),
        name: 'Stranger',
        role: 'registrar',
        language: 'en',
        clinicId: null,
        grants: {},
      }
      const outcome = await attempt(db, operation, stranger, samples[operation.facts.name]!(own))
      expect(isAnswered(outcome)).toBe(false)
    },
  )
})

describe('bad input', () => {
  const nasty = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '\0',
      '\uD800',
      '<script>alert(1)</script>',
      '😀',
      "'; drop table users",
      'x'.repeat(100_000),
      '2026-02-30',
    ),
    fc.constantFrom(
      -1,
      0,
      1e308,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      0.1,
      null,
      undefined,
      true,
    ),
    fc.constantFrom([], {}, [[]], { __proto__: null, constructor: 'x' }, ['\0'], { toString: 'x' }),
    fc.uuid(),
    fc.anything({ maxDepth: 2 }),
  )

  test.for(named(all))(
    '$name answers it with a sentence, never with a bug',
    async ({ operation }, { world: { db, own, actors } }) => {
      const right = samples[operation.facts.name]!(own) as Record<string, unknown>
      const fields = Object.keys(right ?? {})
      const spoilt = (names: string[]) =>
        fc
          .tuple(fc.constantFrom(...names), nasty)
          .map(([field, value]) => ({ ...right, [field]: value }))
      // an unknown field is ignored, so the whole call runs: it is tried less often than each known field
      const runs = {
        whole: fields.length ? 4 : 8,
        unknown: 1,
        field: Math.round((16 * fields.length) / (fields.length + 1)),
      }
      const inputs = fc.oneof(
        { weight: runs.whole, arbitrary: nasty },
        { weight: runs.unknown, arbitrary: spoilt(['unknown']) },
        ...(fields.length ? [{ weight: runs.field, arbitrary: spoilt(fields) }] : []),
      )
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          const outcome = await attempt(db, operation, actors['super_admin']!, input)
          throwBug(outcome)
          expect(keysOf(outcome).filter((key) => !isSentence(key))).toEqual([])
        }),
        { numRuns: runs.whole + runs.unknown + runs.field },
      )
    },
  )
})

describe('an input that is left out', () => {
  test.for(named(all))(
    'is to $name an empty one',
    async ({ operation }, { world: { db, actors } }) => {
      const issuesOf = async (input: unknown) => {
        const outcome = await attempt(db, operation, actors['super_admin']!, input)
        return outcome instanceof AppError ? outcome.fields : []
      }
      expect(await issuesOf(undefined)).toEqual(await issuesOf({}))
    },
  )
})

describe('a deleted clinic', () => {
  const named = ['clinic_id', 'clinicId', 'primary_clinic_id', 'pickup_clinic_id', 'toClinicId']
  test.for([
    'appointments.save',
    'batches.create',
    'departments.save',
    'imports.create',
    'inventory.transfer',
    'patients.create',
    'patients.link',
    'permissions.give',
    'prescriptions.save',
    'users.save',
    'visits.save',
  ])('is no place for %s', async (name, { world: { db, own, actors } }) => {
    const sample = samples[name]!(own) as Record<string, unknown>
    const there = named.filter((field) => field in sample).map((field) => [field, own.deleted.id])
    const input = { ...sample, ...Object.fromEntries(there) }
    expect(await attempt(db, operations.get(name)!, actors['super_admin']!, input)).toBeInstanceOf(
      AppError,
    )
  })
})

const keysOf = (outcome: unknown) =>
  outcome instanceof AppError
    ? [outcome.text, ...Object.values(outcome.fields)].map(({ key }) => key)
    : []

/** A schema's messages are texts to the compiler: whether each is a key of the message files is seen only here. */
const isSentence = (key: string) =>
  typeof key
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], en) ===
  'string'

const table = (names: string[], lines: string[]) => `# Who may do what

Made by \`test/operations.test.ts\`, which calls every operation as each of these users, for a clinic of theirs
and for another one, and fails when the answer differs from this page. After an intended change: \`npm test -- -u\`,
and read the difference.

“–”: refused. “own clinic”: only where the user holds the permission; a list contains the user's own rows in any case.
A clinic admin here is a provider who holds \`is_clinic_admin\`. The deleted user was an admin and still has the cookie
of the session.

| operation | kind | ${names.join(' | ')} |
| --- | --- | ${names.map(() => '---').join(' | ')} |
${lines.join('\n')}
`
