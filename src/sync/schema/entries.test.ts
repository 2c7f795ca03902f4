import { describe, expect, test } from 'vitest'
import { type EntryRule, isEditedIn, mergeEntries } from './entries'

const map: EntryRule = { by: 'key', keepsOmitted: true, latest: ['last'], ofApp: ['by'] }
const list: EntryRule = { by: 'id', keepsOmitted: false }
const answers: EntryRule = { by: 'fieldId', keepsOmitted: true }

function merged(rule: EntryRule, stored: unknown, sent: unknown, base: unknown) {
  const text = JSON.stringify
  const found = mergeEntries(rule, {
    stored: text(stored),
    sent: text(sent),
    base: base === undefined ? null : text(base),
  })
  return (
    found && {
      value: JSON.parse(found.value) as unknown,
      lost: found.lost && (JSON.parse(found.lost) as unknown),
    }
  )
}

describe('the entries of an object', () => {
  test('of both sides are kept, and one that only one side changed has its value', () => {
    const base = { a: 1, b: 1 }
    expect(merged(map, { a: 2, b: 1, c: 1 }, { a: 1, b: 2, d: 1 }, base)).toEqual({
      value: { a: 2, b: 2, c: 1, d: 1 },
      lost: null,
    })
  })

  test('that both sides changed keep the stored value, and the other one is lost', () => {
    expect(merged(map, { a: 2 }, { a: 3, b: 1 }, { a: 1 })).toEqual({
      value: { a: 2, b: 1 },
      lost: { a: 3, b: 1 },
    })
  })

  test('are contested if they differ and nobody knows what the user has seen', () => {
    expect(merged(map, { a: 2, b: 1 }, { a: 1, b: 1, c: 1 }, undefined)).toEqual({
      value: { a: 2, b: 1, c: 1 },
      lost: { a: 1, b: 1, c: 1 },
    })
  })

  test('with a time of the app keep the later one, and others of the app the newer one', () => {
    const [early, late] = ['2026-11-28T08:00:00.000Z', '2026-11-28T09:00:00.000Z']
    const base = { last: '2026-11-27T08:00:00.000Z' }
    expect(merged(map, { last: late, by: 'x' }, { last: early, by: 'y' }, base)).toEqual({
      value: { last: late, by: 'y' },
      lost: null,
    })
    expect(merged(map, { last: early }, { last: late }, base)?.value).toEqual({ last: late })
    expect(merged(map, { last: early }, { last: 'soon' }, { last: early })?.value).toEqual({
      last: early,
    })
  })
})

describe('the entries of a list', () => {
  test('are matched by their ids, in any order', () => {
    const base = [
      { id: 'a', status: 'pending' },
      { id: 'b', status: 'pending' },
    ]
    expect(
      merged(
        list,
        [base[1], { id: 'a', status: 'completed' }],
        [base[0], { id: 'b', status: 'completed' }],
        base,
      ),
    ).toEqual({
      value: [
        { id: 'b', status: 'completed' },
        { id: 'a', status: 'completed' },
      ],
      lost: null,
    })
  })

  test('that a phone does not send are removed where a screen removes entries, and stay elsewhere', () => {
    const [a, b] = [{ id: 'a' }, { id: 'b' }]
    expect(merged(list, [a, b], [a], [a, b])?.value).toEqual([a])
    expect(merged(list, [a, b], [a], [a])?.value).toEqual([a, b])
    expect(merged(list, [a, { id: 'b', n: 1 }], [a], [a, b])).toEqual({
      value: [a, { id: 'b', n: 1 }],
      lost: [a],
    })
    const [x, y] = [{ fieldId: 'x' }, { fieldId: 'y' }]
    expect(merged(answers, [x, y], [y], [x, y])?.value).toEqual([y, x])
  })

  test('of a form are answers: one that is empty counts as none, on either side', () => {
    const form: EntryRule = { ...answers, compared: 'value' }
    const q = (value: unknown) => ({ fieldId: 'q', value })
    // the form was saved without an answer on the one side, and with one on the other
    for (const none of ['', null, []]) {
      expect(merged(form, [q(none)], [q('typed')], [])).toEqual({ value: [q('typed')], lost: null })
      expect(merged(form, [q('typed')], [q(none)], [])).toEqual({ value: [q('typed')], lost: null })
    }
    expect(merged(form, [q('one')], [q('other')], [])).toEqual({
      value: [q('one')],
      lost: [q('other')],
    })
    expect(merged(form, [q('one')], [q('')], [q('one')])?.value).toEqual([q('')])
    expect(merged(form, [q(0)], [q(false)], [])?.lost).toEqual([q(false)])
  })

  test('without ids, or twice with one id, are no entries', () => {
    expect(merged(list, [{ id: 'a' }], ['a'], [])).toBe(null)
    expect(merged(list, [{ id: 'a' }], [{ id: 'a' }, { id: 'a' }], [])).toBe(null)
    expect(merged(list, {}, [], [])).toBe(null)
    expect(merged(map, [], {}, {})).toBe(null)
  })
})

test('only what a user changed counts as edited', () => {
  expect(isEditedIn(map, '{"a":1}', '{"a":1,"last":"x","by":"y"}')).toBe(false)
  expect(isEditedIn(map, '{"a":1}', '{"a":2}')).toBe(true)
  expect(isEditedIn(map, '[]', '{}')).toBe(true)
  const form: EntryRule = { ...answers, compared: 'value' }
  expect(isEditedIn(form, '[]', '[{"fieldId":"q","value":""}]')).toBe(false)
  expect(isEditedIn(form, '[]', '[{"fieldId":"q","value":0}]')).toBe(true)
})
