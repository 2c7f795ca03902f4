import { expect, test } from 'vitest'
import { forbidden, Unexpected } from '~/shared/errors'
import { HttpFailure } from '~/shared/httpFailure'
import { browserErrorText } from './explain'

test('an error of the browser is shown by its name, with the message only if the engine wrote it', () => {
  expect(browserErrorText(new TypeError('x is not a function'))).toBe(
    'TypeError: x is not a function',
  )
  expect(browserErrorText(new RangeError('Invalid time value'))).toBe(
    'RangeError: Invalid time value',
  )
  expect(browserErrorText(new Error('select * from patients'))).toBe('Error')
  expect(browserErrorText(new SyntaxError('Unexpected token L, "Layla Mansour"'))).toBe(
    'SyntaxError',
  )
})

test('a refusal and an error of the server have sentences and numbers of their own', () => {
  for (const error of [forbidden(), new HttpFailure(502), new Unexpected('abc'), 'text', undefined])
    expect(browserErrorText(error)).toBe(null)
})
