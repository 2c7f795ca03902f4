import { expect, test } from 'vitest'
import { birthFrom } from '~/fields/birth'
import { PAIRS, UNSEEN } from './duplicate-pairs'

const pairs = [...PAIRS, ...UNSEEN]
const records = pairs.flatMap(({ what, a, b }) => [a, b].map((record) => ({ what, record })))

test('every record has a name, a possible birth, a sex and nothing missing', () => {
  const isComplete = ([given, surname, born, sex, ...others]: (typeof records)[0]['record']) =>
    Boolean(given || surname) &&
    (born === '' || birthFrom(born, '2026-01-01') !== null) &&
    ['', 'male', 'female'].includes(sex) &&
    others.length === 3
  expect(records.filter(({ record }) => !isComplete(record))).toEqual([])
})

test('no pair is listed twice', () => {
  const keys = pairs.map(({ a, b }) => JSON.stringify([a, b].map(String).toSorted()))
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
})

test('both lists have pairs of one patient and pairs of two', () => {
  for (const list of [PAIRS, UNSEEN])
    expect(new Set(list.map(({ isSame }) => isSame))).toEqual(new Set([true, false]))
})
