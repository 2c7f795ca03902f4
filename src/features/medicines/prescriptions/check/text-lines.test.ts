import fc from 'fast-check'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../../../../test/harness'
import { parseFreeText } from './text-lines'

/** As a phone may write them, and as JSON of any program may be. */
const known: unknown[] = [
  'Warfarin 5 mg',
  '',
  null,
  true,
  12,
  -0.5,
  1e-7,
  1e21,
  123456789012345680000,
  [],
  ['Iron', 3, '', null, { in: 'it' }],
  { name: 'Iron', note: '', amount: 2.5, days: null, in: { it: 1 } },
  { medication: 'Zinc', 10: 'ten', 9: 'nine', '007': 'not an index', 4294967295: 'neither' },
]
const key = fc.oneof(fc.nat(4294967296).map(String), fc.string({ maxLength: 4 }))
const part = fc.oneof(fc.string({ maxLength: 5 }), fc.double({ noNaN: true }), fc.integer())
const entry = fc.oneof(
  part,
  fc.constant(null),
  fc.boolean(),
  fc.array(fc.oneof(part, fc.constant(null)), { maxLength: 4 }),
  fc.dictionary(key, fc.oneof(part, fc.constant(null)), { maxKeys: 5 }),
)

test('SQL reads a line of text as the program does', async ({ db }) => {
  const generated = fc.sample(entry, { numRuns: 1_000, seed: 20 })
  // PostgreSQL stores no NUL and no half of a pair
  const entries = [...known, ...generated].filter((one) => {
    const text = JSON.stringify(one)
    return !text.includes(String.raw`\u0000`) && !/\\ud[89a-f]/i.test(text)
  })
  const stored = `[${entries.map((one) => JSON.stringify(one)).join()}, 1.0, 1e400, -1e400, 1e-400, {"n": 2.50}]`
  const { rows } = await sql<{ entry: unknown; text: string | null }>`
    select entry, line_text(entry) as text from jsonb_array_elements(${stored}::jsonb) entry`.execute(
    db,
  )
  expect(rows.length).toBe(entries.length + 5)
  const wrong = rows.filter((row) => (parseFreeText([row.entry])[0] ?? '') !== (row.text ?? ''))
  expect(wrong).toEqual([])
})
