import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  readListElements,
  hasMoreElements,
  listsIn,
  membersIn,
  shortValue,
} from './json-lists.server'
import type { SpooledBody } from './spooled-bodies.server'

/** Runs `work` with a text in a file. */
async function inFile<R>(
  text: string | Buffer,
  work: (body: SpooledBody) => Promise<R>,
): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-json-'))
  writeFileSync(join(folder, 'body'), text)
  const file = await open(join(folder, 'body'))
  try {
    return await work({ file, length: Buffer.byteLength(text) })
  } finally {
    await file.close()
    rmSync(folder, { recursive: true })
  }
}

/** The lists of a body, parsed. */
const read = (text: string | Buffer) =>
  inFile(text, async (body) => {
    const found: [string, string, unknown[]][] = []
    for (const range of await listsIn(body)) {
      const elements: unknown[] = []
      for await (const { element } of readListElements(body, range)) elements.push(element)
      found.push([range.table, range.list, elements])
    }
    return found
  })

/** The members of an object, each parsed. */
const members = (text: string) =>
  inFile(text, async (body) => {
    const found: [string, unknown][] = []
    for (const [name, span] of await membersIn(body))
      found.push([name, await shortValue(body, span)])
    return found
  })

test('the elements of every list are those that JSON.parse finds, whatever they hold', async () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 8 })
  const changes = fc.dictionary(
    name,
    fc.dictionary(name, fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }), { maxKeys: 3 }),
    { maxKeys: 3, noNullPrototype: true },
  )
  await fc.assert(
    fc.asyncProperty(changes, fc.constantFrom(undefined, 2), async (set, indent) => {
      const expected = Object.entries(set).flatMap(([table, lists]) =>
        Object.entries(lists).map(([list, elements]) => [
          table,
          list,
          JSON.parse(JSON.stringify(elements)) as unknown,
        ]),
      )
      expect(await read(JSON.stringify(set, null, indent))).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})

test('a body with changed bytes is read as JSON.parse reads it, or refused', async () => {
  const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 })
  const table = fc.record({ created: list, deleted: list })
  const change = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('{}[],:"\\ 0a')))
  await fc.assert(
    fc.asyncProperty(
      fc.record({ patients: table, visits: table }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (set, changes) => {
        const bytes = Buffer.from(JSON.stringify(set))
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        const expected = changeSetIn(bytes.toString())
        const lists = await read(bytes).catch((error: { code?: string }) => error.code)
        // what is no change set may be refused for its shape, or only where a row is parsed
        const isRight = Array.isArray(lists) || lists === 'invalid'
        expect(expected ? lists : isRight).toEqual(expected ?? true)
      },
    ),
    { numRuns: 400 },
  )
})

/** The lists of a text, if JSON.parse reads it and it is a change set. */
function changeSetIn(text: string) {
  try {
    const set = z
      .record(z.string(), z.record(z.string(), z.array(z.unknown())))
      .parse(JSON.parse(text))
    return Object.entries(set).flatMap(([table, lists]) =>
      Object.entries(lists).map(([list, elements]) => [table, list, elements]),
    )
  } catch {
    return undefined
  }
}

test('texts longer than a chunk, with quotes, backslashes and brackets, stay whole', async () => {
  const long = '\\"]},{[ كبير 🩺'.repeat(60_000)
  const set = {
    patients: { created: [{ id: 'a', long }, { id: 'b' }], updated: [], deleted: ['c'] },
  }
  expect(await read(JSON.stringify(set))).toEqual([
    ['patients', 'created', set.patients.created],
    ['patients', 'updated', []],
    ['patients', 'deleted', ['c']],
  ])
})

test.for([
  ['', 'nothing'],
  ['[]', 'a list'],
  ['{"a":{"created":[{}]}', 'a body that was cut off'],
  ['{"a":{"created":[{}}}', 'brackets that do not match'],
  ['{"a":["created",[{}]]}', 'a table that is a list'],
  ['{"a":{"created":[{"x":}]}}', 'an element that is no JSON'],
  ['{"a":{"created":[{}]}} {}', 'more than one value'],
  ['{"a":"created"}', 'a table that is a text'],
])('%s is no change set: %s', async ([text]) => {
  await expect(read(text!)).rejects.toMatchObject({ code: 'invalid' })
})

test('the members of an object are those that JSON.parse finds', async () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 8 })
  const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
  await fc.assert(
    fc.asyncProperty(object, fc.constantFrom(undefined, 2), async (set, indent) => {
      const text = JSON.stringify(set, null, indent)
      const parsed = JSON.parse(text) as Record<string, unknown>
      expect(Object.fromEntries(await members(text))).toEqual({ ...parsed })
    }),
    { numRuns: 150 },
  )
  expect(await members(' { "a" : [1, {"b": "},"}] , "c" : -2.5e3 } ')).toEqual([
    ['a', [1, { b: '},' }]],
    ['c', -2500],
  ])
  for (const text of ['', '[1]', '"a"', '{"a": 1', '{"a": 1} 2', '{"a": x}', '{"a": "b'])
    await expect(members(text)).rejects.toMatchObject({ code: 'invalid' })
})

test('elements are counted without being parsed, whatever texts they hold', () => {
  const has = (rows: unknown[], most: number) =>
    hasMoreElements(
      Buffer.from(JSON.stringify({ patients: { created: rows }, x: { y: [] } })),
      most,
    )
  const row = { a: '"],[\\",{', b: [1, 2, { c: [3, 4] }], '\\"': '\\' }
  expect(
    has(
      Array.from({ length: 10 }, () => row),
      10,
    ),
  ).toBe(false)
  expect(
    has(
      Array.from({ length: 11 }, () => row),
      10,
    ),
  ).toBe(true)
  expect(
    hasMoreElements(Buffer.from(JSON.stringify({ d: { c: { t: { l: [1, 2, 3] } } } })), 2, 5),
  ).toBe(true)
  expect(hasMoreElements(Buffer.from('{"t":{"l":["unclosed'), 1)).toBe(false)
})
