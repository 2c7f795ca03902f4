import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forgetDraft, forgetDrafts, forgetDraftsOfOthers, keepDraft, keptDraft } from './keptDraft'

function memoryStorage(room = 1_000_000) {
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

test('a kept draft is returned as it was typed', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.constant(null)),
      ),
      (value) => {
        const storage = memoryStorage()
        keepDraft('amal', value, storage, now)
        expect(keptDraft('amal', storage, later(23))).toEqual({
          at: now,
          value: JSON.parse(JSON.stringify(value)) as object,
        })
      },
    ),
  )
})

test('a draft belongs to its user, until it is forgotten', () => {
  const storage = memoryStorage()
  keepDraft('amal', { a: 1 }, storage, now)
  expect(keptDraft('bashir', storage, now)).toBeNull()
  forgetDraft('amal', storage)
  expect(keptDraft('amal', storage, now)).toBeNull()
})

test('a draft is removed from the device after a day', () => {
  const storage = memoryStorage()
  keepDraft('amal', { a: 1 }, storage, now)
  expect(keptDraft('amal', storage, later(25))).toBeNull()
  expect(storage.length).toBe(0)
})

test('signing out removes every draft, and nothing else', () => {
  const storage = memoryStorage()
  keepDraft('a', {}, storage, now)
  keepDraft('b', {}, storage, now)
  storage.setItem('sanad_narrow_menu', 'true')
  forgetDrafts(storage)
  expect([storage.length, storage.key(0)]).toEqual([1, 'sanad_narrow_menu'])
})

test('another user finds no draft of the previous user, and no user an expired one', () => {
  const storage = memoryStorage()
  keepDraft('registration:amal', { a: 1 }, storage, now)
  keepDraft('event:amal:1:2', { a: 1 }, storage, later(-25))
  keepDraft('registration:bashir', { a: 1 }, storage, now)
  storage.setItem('sanad_narrow_menu', 'true')
  forgetDraftsOfOthers('amal', storage, now)
  expect(Array.from({ length: storage.length }, (_, at) => storage.key(at))).toEqual([
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
])('an entry that is not a draft is ignored: %s', (text) => {
  const storage = memoryStorage()
  storage.setItem('sanad_draft:amal', text)
  expect(keptDraft('amal', storage, now)).toBeNull()
})

test('a draft that does not fit on the device is removed, not kept in part', () => {
  const storage = memoryStorage(100)
  keepDraft('amal', { a: 1 }, storage, now)
  keepDraft('amal', { a: 'x'.repeat(200) }, storage, now)
  expect(keptDraft('amal', storage, now)).toBeNull()
})
