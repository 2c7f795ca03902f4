import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseMessagesPart } from '../scripts/build/browser-messages'

const english = readFileSync('messages/en.json', 'utf8')

const keysOf = (tree: object, path = ''): string[] =>
  Object.entries(tree).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? keysOf(value, `${path}${name}.`)
      : [path + name],
  )

test('a browser gets each sentence in one of two parts, of which the first screen needs the small one', () => {
  const all = keysOf(JSON.parse(english) as object)
  const [first, rest] = [
    keysOf(parseMessagesPart(english, 'first')),
    keysOf(parseMessagesPart(english, 'rest')),
  ]
  expect([...first, ...rest].toSorted()).toEqual(all.toSorted())
  expect(first.length).toBeLessThan(all.length / 6)
  for (const key of ['nav.dashboard', 'shell.signOut', 'dashboard.waiting', 'errors.unreachable'])
    expect(first).toContain(key)
})

test('a browser gets sentences parsed, and those without values as texts', () => {
  expect(parseMessagesPart(english, 'first')).toMatchObject({
    common: { close: 'Close' },
    errors: {
      show: 'Show Error',
      tooManyRequests: expect.any(Array),
    },
  })
})
