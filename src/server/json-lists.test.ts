import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementsOf, listsIn } from './json-lists.server'

/** The lists of a body in a file, parsed. */
async function read(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-json-'))
  writeFileSync(join(folder, 'body'), text)
  const file = await open(join(folder, 'body'))
  try {
    const body = { file, length: Buffer.byteLength(text) }
    const found: [string, string, unknown[]][] = []
    for (const range of await listsIn(body)) {
      const elements: unknown[] = []
      for await (const { element } of elementsOf(body, range)) elements.push(element)
      found.push([range.table, range.list, elements])
    }
    return found
  } finally {
    await file.close()
    rmSync(folder, { recursive: true })
  }
}

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
