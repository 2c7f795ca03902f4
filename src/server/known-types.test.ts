import { toJSON } from 'seroval'
import { expect, test } from 'vitest'
import { holdsKnownTypes } from './known-types'

const URL_OF_CALL = 'https://clinic.example/_serverFn/call'
const byPost = (body: string, type = 'application/json') =>
  new Request(URL_OF_CALL, { method: 'POST', body, headers: { 'content-type': type } })
const byGet = (payload: string) =>
  new Request(`${URL_OF_CALL}?${new URLSearchParams({ payload }).toString()}`)

const repeated = { id: 'a' }
const plain = {
  name: 'patients.save',
  input: { n: 1.5, text: '"t":25', on: true, none: null, left: undefined, at: new Date(0) },
  list: [repeated, repeated, [], {}],
}

test('what screens send is decoded: plain values, dates, and values that repeat', async () => {
  const text = JSON.stringify(toJSON({ data: plain }))
  const request = byPost(text)
  expect(await holdsKnownTypes(request)).toBe(true)
  expect(await request.text()).toBe(text)
  expect(await holdsKnownTypes(byGet(text))).toBe(true)
  expect(await holdsKnownTypes(new Request(URL_OF_CALL, { method: 'POST' }))).toBe(true)
})

test.for<[string, unknown]>([
  ['a map', new Map([[1, 2]])],
  ['a set', new Set([1])],
  ['a regular expression', /(a+)+$/],
  ['an error', new Error('refused')],
  ['a typed array', new Uint8Array([1])],
  ['a big integer', 10n],
  ['an object without a prototype', Object.create(null)],
])('%s is refused before it is made', async ([, value]) => {
  const text = JSON.stringify(toJSON({ data: { input: [{ value }] } }))
  expect(await holdsKnownTypes(byPost(text))).toBe(false)
  expect(await holdsKnownTypes(byGet(text))).toBe(false)
  // JSON has other ways to write the same name
  expect(await holdsKnownTypes(byPost(text.replaceAll('"t"', String.raw`"\u0074"`)))).toBe(false)
})

test('a form is no input of a call', async () => {
  const form = 'application/x-www-form-urlencoded'
  expect(await holdsKnownTypes(byPost('__TSS_CONTEXT=1', form))).toBe(false)
})
