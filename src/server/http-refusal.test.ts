import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { badRequestRefusal } from './http-refusal'

const OWN = 'http://clinic.example:3000'
const COOKIE = { cookie: 'sanad_session=a-token' }

const statusOf = (path: string, headers: Record<string, string>, method = 'GET') =>
  badRequestRefusal(new Request(OWN + path, { method, headers }))?.status ?? 200

/** The addresses that send a list as a file, as their routes are named. */
const FILES = readdirSync('src/routes/api')
  .filter((name) => name.endsWith('.export.ts'))
  .map((name) => `/api/${name.replace('.export.ts', '')}/export`)

const EXPORTS = [
  ...FILES,
  '/api/patients/export?format=csv&language=en',
  '/api/patients/export/',
  '/api/fhir/$export',
  '/api/fhir/%24export?_type=Patient',
  '/api/fhir//Patient/$export',
  '/api/fhir/Group/0198f000-0000-7000-8000-00000000000a/$export',
]

describe('with the cookie of a session and without Fetch Metadata', () => {
  test.for(EXPORTS)('%s begins only from a page of this server', (path) => {
    expect(statusOf(path, COOKIE)).toBe(403)
    expect(statusOf(path, { cookie: 'a=b; __Host-sanad_session=a-token' })).toBe(403)
    expect(statusOf(path, { ...COOKIE, referer: 'http://evil.example/page' })).toBe(403)
    expect(statusOf(path, { ...COOKIE, referer: `${OWN}.evil.example/` })).toBe(403)
    expect(statusOf(path, { ...COOKIE, origin: 'null' })).toBe(403)
    expect(statusOf(path, { ...COOKIE, origin: OWN.replace('3000', '8000') })).toBe(403)
    // a link on a screen, in an older browser or over http
    expect(statusOf(path, { ...COOKIE, referer: `${OWN}/app/patients?page=2` })).toBe(200)
    expect(statusOf(path, { ...COOKIE, origin: OWN })).toBe(200)
    expect(statusOf(path, { ...COOKIE, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(statusOf(path, { ...COOKIE, 'sec-fetch-site': 'none' })).toBe(200)
    // a program
    expect(statusOf(path, { authorization: 'Bearer a-token' })).toBe(200)
    expect(statusOf(path, { ...COOKIE, authorization: 'Bearer a-token' })).toBe(200)
  })

  test('other calls are refused to pages of other servers, and open without a page', () => {
    for (const path of [
      '/api/trpc/clinics.list',
      '/api/fhir/Patient',
      '/api/photos/1',
      '/rpc/query',
    ])
      for (const method of ['GET', 'POST']) {
        expect(statusOf(path, { ...COOKIE, origin: 'https://evil.example' }, method)).toBe(403)
        expect(statusOf(path, { ...COOKIE, referer: 'https://evil.example/' }, method)).toBe(403)
        expect(statusOf(path, { ...COOKIE, origin: OWN }, method)).toBe(200)
        expect(statusOf(path, COOKIE, method)).toBe(200)
      }
    for (const path of ['/app/patients', '/', '/api/health/live'])
      expect(statusOf(path, { ...COOKIE, referer: 'https://evil.example/' })).toBe(200)
  })
})
