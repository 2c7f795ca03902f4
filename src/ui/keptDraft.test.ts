import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forgetDraft, forgetDrafts, forgetDraftsOfOthers, keepDraft, keptDraft } from './keptDraft'

function aShelf(room = 1_000_000) {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (at: number) => [...items.keys()][at] ?? null,
    getItem: (name: string) => items.get(name) ?? null,
    removeItem: (name: string) => void items.delete(name),
    setItem: (name: string, text: string) => {
      if (text.length > room) throw new DOMException('full', 'QuotaExceededError')
      items.set(name, text)
    },
  }
}
const now = new Date('2026-03-10T08:00:00Z')
const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

test('whatever was typed comes back as it was left', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.constant(null)),
      ),
      (value) => {
        const shelf = aShelf()
        keepDraft('amal', value, shelf, now)
        expect(keptDraft('amal', shelf, later(23))).toEqual({
          at: now,
          value: JSON.parse(JSON.stringify(value)) as object,
        })
      },
    ),
  )
})

test('a draft is its person’s own, until it is forgotten', () => {
  const shelf = aShelf()
  keepDraft('amal', { a: 1 }, shelf, now)
  expect(keptDraft('bashir', shelf, now)).toBeNull()
  forgetDraft('amal', shelf)
  expect(keptDraft('amal', shelf, now)).toBeNull()
})

test('a draft is removed from the device after a day', () => {
  const shelf = aShelf()
  keepDraft('amal', { a: 1 }, shelf, now)
  expect(keptDraft('amal', shelf, later(25))).toBeNull()
  expect(shelf.length).toBe(0)
})

test('signing out takes every draft, and nothing else', () => {
  const shelf = aShelf()
  keepDraft('a', {}, shelf, now)
  keepDraft('b', {}, shelf, now)
  shelf.setItem('sanad_narrow_menu', 'true')
  forgetDrafts(shelf)
  expect([shelf.length, shelf.key(0)]).toEqual([1, 'sanad_narrow_menu'])
})

test('another user finds no draft of the previous user, and no user an expired one', () => {
  const shelf = aShelf()
  keepDraft('registration:amal', { a: 1 }, shelf, now)
  keepDraft('event:amal:1:2', { a: 1 }, shelf, later(-25))
  keepDraft('registration:bashir', { a: 1 }, shelf, now)
  shelf.setItem('sanad_narrow_menu', 'true')
  forgetDraftsOfOthers('amal', shelf, now)
  expect(Array.from({ length: shelf.length }, (_, at) => shelf.key(at))).toEqual([
    'sanad_draft:registration:amal',
    'sanad_narrow_menu',
  ])
})

test.each([
  '',
  '{',
  'null',
  '7',
  '{"at":"x","value":{}}',
  '{"at":"2026-03-10T08:00:00Z","value":"text"}',
])('what is no draft is none: %s', (text) => {
  const shelf = aShelf()
  shelf.setItem('sanad_draft:amal', text)
  expect(keptDraft('amal', shelf, now)).toBeNull()
})

test('a device without room keeps no half of a draft', () => {
  const shelf = aShelf(100)
  keepDraft('amal', { a: 1 }, shelf, now)
  keepDraft('amal', { a: 'x'.repeat(200) }, shelf, now)
  expect(keptDraft('amal', shelf, now)).toBeNull()
})
