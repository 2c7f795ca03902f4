import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { errorReporter, parseDsn } from './error-report'

type Received = { path: string; auth: string; lines: Record<string, unknown>[] }

/** A real receiver, like a self-hosted Sentry. */
async function receiver(status = 200) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      const lines = body.trim().split('\n')
      received.push({
        path: request.url ?? '',
        auth: String(request.headers['x-sentry-auth']),
        lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
      })
      response.writeHead(status).end('{}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    received,
    dsn: parseDsn(`http://abc123@127.0.0.1:${port}/sentry/42`)!,
    close: () => server.close(),
  }
}

test('a bug reaches the receiver with its kind, its place and the id of the request', async () => {
  const { received, dsn, close } = await receiver()
  const failures: string[] = []
  await errorReporter(dsn, (reason) => failures.push(reason))(
    new TypeError('x is not a function'),
    {
      requestId: 'r-1',
    },
  )
  close()

  expect(failures).toEqual([])
  expect(received[0]).toMatchObject({
    path: '/sentry/api/42/envelope/',
    auth: expect.stringContaining('sentry_key=abc123') as string,
    lines: [
      { event_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
      { type: 'event' },
      {
        level: 'error',
        tags: { request_id: 'r-1' },
        exception: {
          values: [
            {
              type: 'TypeError',
              stacktrace: {
                frames: expect.arrayContaining([
                  expect.objectContaining({ in_app: true }),
                ]) as unknown,
              },
            },
          ],
        },
      },
    ],
  })
})

test('nothing of a person goes along: neither what the bug says nor where the server is installed', async () => {
  const { received, dsn, close } = await receiver()
  const error = Object.assign(
    new Error('duplicate key: Key (email)=(amal@clinic.example), patient Layla Mansour'),
    {
      code: '23505',
      constraint: 'users_email_key',
      detail: 'Key (email)=(amal@clinic.example)',
      parameters: ['Layla'],
    },
  )
  await errorReporter(dsn, () => {})(error)
  close()

  const text = JSON.stringify(received)
  expect(text).toContain('23505 users_email_key')
  for (const secret of ['amal', 'Layla', process.cwd()]) expect(text).not.toContain(secret)
})

test('a receiver that refuses or is unreachable does not affect requests', async () => {
  const refusing = await receiver(403)
  const reasons: string[] = []
  await errorReporter(refusing.dsn, (reason) => reasons.push(reason))(new Error('once'))
  refusing.close()
  await errorReporter(parseDsn('http://abc@127.0.0.1:9/1')!, (reason) => reasons.push(reason))(
    'no error at all',
  )

  // nor is a redirect followed: its address may be anyone's
  const moved = await receiver(302)
  await errorReporter(moved.dsn, (reason) => reasons.push(reason))(new Error('moved'))
  moved.close()

  expect(reasons).toEqual(['HTTP 403', 'TypeError', 'TypeError'])
})

test('a bug in every request is reported at most thirty times a minute', async () => {
  const { received, dsn, close } = await receiver()
  const report = errorReporter(dsn, () => {})
  await Promise.all(Array.from({ length: 100 }, () => report(new Error('again'))))
  close()

  expect(received).toHaveLength(30)
})

test.each([
  '',
  'sentry',
  'https://o1.ingest.example/42',
  'https://key@host.example',
  'ftp://key@host.example/1',
])('%j is no address to report to', (text) => expect(parseDsn(text)).toBeNull())
