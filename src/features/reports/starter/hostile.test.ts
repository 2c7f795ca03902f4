import fc from 'fast-check'
import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { recording } from '../../../../test/statements'
import { runCells } from '../cells/cells.server'
import { checkDefinition, type ReportDefinition } from '../cells/definition'
import { readPeriod } from '../cells/period'
import { STARTER_REPORTS } from './starter-reports'

const HOSTILE = `x' or 1=1; drop table patients; -- "`
const values = fc.oneof(
  fc.constantFrom<unknown>(HOSTILE, [HOSTILE], { count: HOSTILE, in: 'period' }),
  fc.constantFrom<unknown>(
    'patient.sex',
    'visits',
    'period',
    'is',
    'cases',
    true,
    0,
    -1,
    1e9,
    null,
  ),
  fc.constantFrom<unknown>({ months: 3 }, { all: [] }, { any: [] }, { manual: 'integer' }, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Every place of a definition: the path of keys that leads there. */
function placesIn(part: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!part || typeof part !== 'object') return [path]
  return [path, ...Object.entries(part).flatMap(([key, each]) => placesIn(each, [...path, key]))]
}

const at = (part: unknown, path: readonly string[]) =>
  path.reduce((each, key) => (each as Record<string, unknown>)[key], part)

function replaced(part: unknown, [key, ...path]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const copy = (Array.isArray(part) ? [...part] : { ...(part as object) }) as Record<
    string,
    unknown
  >
  copy[key] = replaced(copy[key], path, value)
  return copy
}

test('a shipped report with any part replaced by anything is refused or reads alone', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const places = STARTER_REPORTS.map(({ definition }) => placesIn(definition))
  const { ctx, statements } = recording(as('admin'))
  let [refused, ran] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.nat(STARTER_REPORTS.length - 1),
      fc.nat(100_000),
      fc.oneof(
        values.map((value) => ({ value })),
        fc.nat(100_000),
      ),
      async (report, place, by) => {
        const { definition: shipped } = STARTER_REPORTS[report]!
        const path = places[report]![place % places[report]!.length]!
        // by any value, or by the value of the same key elsewhere
        const alike = places[report]!.filter((each) => each.at(-1) === path.at(-1))
        const value = typeof by === 'number' ? at(shipped, alike[by % alike.length]!) : by.value
        const changed = replaced(shipped, path, value)
        if (checkDefinition(changed).length > 0) {
          refused += 1
          return
        }
        ran += 1
        const definition = changed as ReportDefinition
        const text = {
          day: '2026-10-05',
          week: '2026-W42',
          month: '2026-10',
          quarter: '2026-Q4',
          year: '2026',
        }
        await runCells(ctx.db, {
          definition,
          clinicIds: [clinic.id],
          period: readPeriod(text[definition.period], 'UTC')!,
          zone: 'UTC',
          manual: new Map(),
          now: new Date('2026-11-20T08:00:00Z'),
        })
      },
    ),
    { numRuns: 60, seed: 20, endOnFailure: true },
  )
  expect([refused > 20, ran > 3]).toEqual([true, true])
  const kinds = statements.map((text) => /^\s*(\w+)/.exec(text)![1]!.toLowerCase())
  expect([...new Set(kinds)].toSorted()).toEqual([
    'release',
    'rollback',
    'savepoint',
    'select',
    'with',
  ])
  // what a definition says is a value, never a part of a statement
  expect(statements.filter((text) => text.includes('drop table'))).toEqual([])
})
