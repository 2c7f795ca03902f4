import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { DEMO_PAGES } from './demo'
import { SAMPLES, samplePage } from './samples'
import { nameStore } from './name-store'
import { greet, serverTime } from './demo.server'

test('there are the eight specified sample pages', () => {
  expect(DEMO_PAGES.map(({ path }) => path)).toEqual([
    '/demo/store',
    '/demo/table',
    '/demo/tanstack-query',
    '/demo/form/address',
    '/demo/form/simple',
    '/demo/sentry/testing',
    '/demo/start/api-request',
    '/demo/start/server-funcs',
  ])
})

test('the samples are found, sorted and paged as the address says', () => {
  expect(samplePage({}).pagination).toEqual({ page: 1, pageSize: 20, total: SAMPLES.length })
  expect(samplePage({ page: 4 }).rows).toHaveLength(10)
  expect(samplePage({ search: 'quispe' }).pagination.total).toBe(10)
  const born = samplePage({ sort: 'born', direction: 'desc' }).rows.map((row) => row.born)
  expect(born).toEqual(born.toSorted((a, b) => b - a))
})

test('a subscriber of the store is notified of changes until it unsubscribes', () => {
  const heard: string[] = []
  const stop = nameStore.subscribe(() => heard.push(nameStore.get().given))
  nameStore.set({ given: 'Amal', family: 'Haddad' })
  stop()
  nameStore.set({ given: 'Jane', family: 'Doe' })

  expect(heard).toEqual(['Amal'])
})

test('the server says its time, and a name back; no name is refused beside its field', async ({
  anonymous,
}) => {
  expect(await serverTime(anonymous, null)).toMatchObject({
    at: expect.any(Date) as Date,
    timeZone: 'UTC',
  })
  expect(await greet(anonymous, { name: ' Amal ' })).toEqual({ name: 'Amal', length: 4 })
  await expect(greet(anonymous, { name: '' })).rejects.toMatchObject({
    fields: { name: { key: 'validation.required' } },
  })
})
