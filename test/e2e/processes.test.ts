import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { applicationUrl, databaseUrl, freePort } from '../commands/sanad'
import { administrator, emailOf, rpc, test, tokenOf } from './browser'

test('two processes on one database serve the same people', async ({ site, start }) => {
  await administrator(site)
  const other = {
    url: await start({
      DATABASE_URL: applicationUrl(site.dataDir),
      DATABASE_OWNER_URL: databaseUrl(site.dataDir),
      SANAD_DATA_DIR: site.dataDir,
      PORT: await freePort(),
    }).ready,
  }

  // a session made by one is known to the other
  const token = await tokenOf(site, emailOf('admin'))
  expect((await rpc(other, 'users.current', {}, token)).data).toMatchObject({ name: 'Amal' })

  // news of a change made through one reaches the screens of the other
  const news = await follow(`${other.url}/api/live`, token)
  await rpc(site, 'clinics.save', { id: newId(), name: 'Riverside' }, token)
  await news.hears('clinics')
  news.close()

  // slowing down a guesser counts at both
  const guess = (at: { url: string }, n: number) =>
    fetch(`${at.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: emailOf('admin'), password: `wrong-${n}` }),
    })
  const statuses = []
  for (let n = 0; n < 30 && statuses.at(-1) !== 429; n += 1)
    statuses.push((await guess(n % 2 ? site : other, n)).status)
  expect(statuses.at(-1)).toBe(429)
  const [here, there] = [await guess(site, 98), await guess(other, 99)]
  expect([here.status, there.status]).toEqual([429, 429])
  expect(Number(here.headers.get('retry-after'))).toBeGreaterThan(0)

  // what one ends is over at the other
  await rpc(site, 'sessions.signOut', {}, token)
  expect((await rpc(other, 'users.current', {}, token)).status).toBe(401)
})

/** Reads server-sent events as a screen does. */
async function follow(url: string, token: string) {
  const aborter = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: aborter.signal,
  })
  expect(response.status).toBe(200)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ''
  return {
    async hears(table: string) {
      while (!heard.includes(`data: ${table}\n`)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`The stream ended after: ${heard}`)
        heard += value
      }
    },
    close: () => aborter.abort(),
  }
}
