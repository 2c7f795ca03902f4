import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void
type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Post = { id: string; message: string; phoneNumbers: string[]; ttl: number }
type State = 'Pending' | 'Processed' | 'Sent' | 'Delivered' | 'Failed'

/**
 * A phone with capcom6/android-sms-gateway in local mode, as its sources and documentation describe it (`POST /message`
 * answers 202, `GET /message/ID` 200 or 404, Basic authentication). It sends every post, also of an id that it has.
 */
export async function openPhone() {
  const received: Received[] = []
  const sms: Post[] = []
  const states = new Map<string, { state: State; error: string | null; phoneNumber: string }>()
  const answers: Handler[] = []
  const credentials = `Basic ${Buffer.from('sms:local-secret').toString('base64')}`
  const answerOf = (id: string) => {
    const { state, error, phoneNumber } = states.get(id)!
    return {
      id,
      deviceId: 'yVULogr4Y1ksRfnos1Dsw',
      state,
      isHashed: false,
      isEncrypted: false,
      recipients: [{ phoneNumber, state, error }],
      states: { [state]: '2026-11-24T09:00:00.000+03:00' },
    }
  }
  const working: Handler = (request, response, body) => {
    if (request.headers.authorization !== credentials) return response.writeHead(401).end()
    const [, asked] = /^\/message\/([^/]+)$/.exec(request.url ?? '') ?? []
    if (request.method === 'GET' && asked)
      return states.has(asked)
        ? json(response, 200, answerOf(asked))
        : response.writeHead(404).end()
    if (request.method !== 'POST' || request.url !== '/message')
      return response.writeHead(404).end()
    const post = JSON.parse(body) as Post
    if (post.phoneNumbers.length === 0)
      return json(response, 400, { message: 'phoneNumbers is empty' })
    sms.push(post)
    states.set(post.id, { state: 'Pending', error: null, phoneNumber: post.phoneNumbers[0]! })
    return json(response, 202, answerOf(post.id))
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const { method = '', url = '', headers } = request
      received.push({ method, url, headers, body })
      ;(answers.shift() ?? working)(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const becomes = (id: string, state: State, error: string | null = null) =>
    states.set(id, { ...states.get(id)!, state, error })
  return { address, received, sms, answers, working, becomes, close }
}

function json(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
