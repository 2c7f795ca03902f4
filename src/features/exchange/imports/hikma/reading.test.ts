import { expect, test } from 'vitest'
import { parseTimestamp, parseSourceJson, reader, storable } from './reading'

test.for([
  ['2024-03-01T10:00:00.123456+00:00', '2024-03-01T10:00:00.123Z'],
  ['2024-03-01T10:00:00.9995+00:00', '2024-03-01T10:00:01.000Z'],
  ['2024-03-01T10:00:00', '2024-03-01T10:00:00.000Z'],
  ['2024-03-01T10:00:00+03', '2024-03-01T07:00:00.000Z'],
  ['infinity', undefined],
  ['0044-03-15T00:00:00+00:00 BC', undefined],
] as const)('the moment %s is read', ([text, moment]) => {
  expect(parseTimestamp(text)).toBe(moment)
})

test('numbers that JavaScript would change keep their digits', () => {
  expect(JSON.stringify(parseSourceJson('{"a":12345678901234567890,"b":1.10,"c":2}'))).toBe(
    '{"a":12345678901234567890,"b":1.10,"c":2}',
  )
})

test('characters that PostgreSQL cannot store are removed, also from keys', () => {
  expect(storable({ 'a\0': ['x\uD800y', '😀'] })).toEqual({ a: ['xy', '😀'] })
})

test('JSON with more levels than are stored keeps the deeper ones as a text, and is listed', () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const read = reader({ form_data: deep, metadata: '{"own":1}' })
  expect(JSON.stringify(read.json('form_data', [])).length).toBeGreaterThan(40_000)
  expect(read.metadata()).toEqual({ own: 1 })
  expect(read.done({} as never)).toMatchObject({ notes: [{ rule: 'deep', column: 'form_data' }] })
})

test('a text over a limit is cut, and the whole is kept', () => {
  const read = reader({ name: 'abcdef', metadata: '{"own":1}' })
  expect(read.text('name', 3)).toBe('abc')
  expect(read.metadata()).toEqual({ own: 1, hikma: { name: 'abcdef' } })
})

test('a tombstone without a moment was deleted when it changed last', () => {
  const { is_deleted, deleted_at } = reader({
    is_deleted: true,
    created_at: '2024-01-01T00:00:00+00:00',
    updated_at: '2024-02-01T00:00:00+00:00',
  }).stamps()
  expect({ is_deleted, deleted_at }).toEqual({
    is_deleted: true,
    deleted_at: '2024-02-01T00:00:00.000Z',
  })
})
