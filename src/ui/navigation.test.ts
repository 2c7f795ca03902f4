import { expect, test } from 'vitest'
import { screenAt } from './navigation'

test.each([
  ['/app', '/app'],
  ['/app/patients/register', '/app/patients/register'],
  ['/app/patients/0198', '/app/patients'],
  ['/app/settings/phones', '/app/settings/phones'],
  ['/app/settings/quarantine', '/app/settings/phones'],
  ['/app/settings/conflicts', '/app/settings/phones'],
  ['/app/account', undefined],
])('at %s the menu marks %s', (pathname, path) => {
  expect(screenAt(pathname)?.path).toBe(path)
})
