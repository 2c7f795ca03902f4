import { expect, test } from 'vitest'
import { toScreenAddress } from './screen-address'

test('the screen to open after sign-in is one of ours, as a header can hold it', () => {
  const kept = ['/app', '/app?page=2', '/app/patients?q=a%20b#top', '/app/#x']
  expect(kept.map(toScreenAddress)).toEqual(kept)
  expect(toScreenAddress('/app/patients?q=\r\nSet-Cookie: a=b')).toBe(
    '/app/patients?q=Set-Cookie:%20a=b',
  )
  expect(toScreenAddress('/app/مرحبا')).toBe('/app/%D9%85%D8%B1%D8%AD%D8%A8%D8%A7')
  expect(toScreenAddress('/app/a/../b')).toBe('/app/b')
  for (const other of [
    'https://evil.example/app',
    '//evil.example/app',
    '/\\evil.example/app',
    '/app/../../evil',
    '/app/..//evil.example',
    '/application',
    'app',
    '',
    'javascript:alert(1)',
  ])
    expect([other, toScreenAddress(other)]).toEqual([other, undefined])
})
