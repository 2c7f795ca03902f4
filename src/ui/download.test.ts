import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { PAGE_USER, setPageUser } from '~/shared/page-user'
import { download } from './download'

test('a list is asked for as the user of the page', async () => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers[PAGE_USER])
    response.end('a\n')
  }).listen(0, '127.0.0.1')
  try {
    const { port } = await new Promise<AddressInfo>((resolve) =>
      server.once('listening', () => resolve(server.address() as AddressInfo)),
    )
    setPageUser({ userId: 'of-this-page', name: 'Amal' })
    await download(`http://127.0.0.1:${port}/`, {}, new AbortController().signal, () => {})
    expect(asked).toEqual(['of-this-page'])
  } finally {
    setPageUser(null)
    server.close()
  }
})
