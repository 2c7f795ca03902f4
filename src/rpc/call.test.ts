import { expect, test } from 'vitest'
import { AppError } from '~/shared/errors'
import { chosenOperation, type Method, httpMethod } from './call.server'
import { operations } from './operations'
import { READ_BY_POST } from './reads.gen'

const refused = (method: Method, call: unknown) => {
  try {
    return chosenOperation(method, call)[0].facts.name
  } catch (error) {
    return error instanceof AppError ? error.text.key : error
  }
}

test('a screen reads by GET and writes by POST, and reads what is long or personal by POST', () => {
  const readByPost = []
  for (const operation of operations.values()) {
    const { name, kind } = operation.facts
    const method = httpMethod(operation)
    expect(refused(method, { name, input: {} })).toBe(name)
    expect(refused(method === 'GET' ? 'POST' : 'GET', { name, input: {} })).toBe('errors.outOfDate')
    if (kind === 'query' && method === 'POST') readByPost.push(name)
  }
  expect(readByPost.toSorted()).toEqual(READ_BY_POST)
  // names that are typed to find a patient
  expect(READ_BY_POST).toContain('patients.search')
})

test.each([
  undefined,
  null,
  'clinics.list',
  [],
  {},
  { name: null },
  { name: ['clinics.list'] },
  { name: '' },
  { name: 'clinics' },
  { name: '__proto__' },
  { name: 'constructor' },
  { name: 'clinics.nothing' },
])('a call that names no operation is refused: %j', (call) => {
  expect(refused('GET', call)).toBe('errors.outOfDate')
  expect(refused('POST', call)).toBe('errors.outOfDate')
})
