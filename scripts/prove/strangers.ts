import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What users without an account can send to a Sanad that they reach. */

/** One wrong password for an account that may not exist. Returns the status. */
export async function guess(url: string, at: number): Promise<number> {
  const response = await fetch(`${url}${at % 2 ? '/api/auth/sign-in' : '/api/login'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `user${at}@clinic.example`, password: `guess number ${at}` }),
  })
  await response.arrayBuffer()
  return response.status
}

const LARGEST = 25 * 1024 * 1024
/** Empty lists in lists: what costs the most memory when it is parsed. */
const PIECE = Buffer.from('[],'.repeat(21_845))
const CHUNK = Buffer.concat([
  Buffer.from(`${PIECE.length.toString(16)}\r\n`),
  PIECE,
  Buffer.from('\r\n'),
])
const WAYS = ['/api/v2/sync', '/rpc/command', '/api/trpc/photos.save', '/_serverFn/anything']

/**
 * The largest body without a declared length, to each way in by turns. Returns the status, 0 if the connection closed
 * without one. Written to the socket, piece by piece: twenty bodies through `fetch` keep their own process busy for so
 * long that it measures itself.
 */
export function sendLargest(url: string, at: number): Promise<number> {
  const socket = socketTo(url)
  let left = LARGEST
  const write = () => {
    while (left > 0) {
      left -= PIECE.length
      if (!socket.write(CHUNK)) return
    }
    socket.end('2\r\n[]\r\n0\r\n\r\n')
  }
  return new Promise((resolve) => {
    let answer = ''
    socket.write(
      [...requestHead(url, at), 'transfer-encoding: chunked', '', '1', '[', ''].join('\r\n'),
    )
    socket.on('drain', write)
    socket.once('connect', write)
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')))
    // the server closes the connection of a body that it does not read
    socket.once('error', () => {})
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)))
  })
}

function socketTo(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
}

const requestHead = (url: string, at: number) => [
  `POST ${WAYS[at % WAYS.length]!} HTTP/1.1`,
  `host: ${new URL(url).host}`,
  'content-type: application/json',
]

/** Declares the largest body and sends none of it. Resolves with the first line of the answer. */
export function declareLargest(url: string, at: number): Promise<string> {
  const socket = socketTo(url)
  return new Promise((resolve, reject) => {
    socket.write([...requestHead(url, at), `content-length: ${LARGEST}`, '\r\n'].join('\r\n'))
    socket.once('error', reject).once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1').split('\r\n', 1)[0]!)
      socket.destroy()
    })
  })
}

/**
 * Repeats `send` on so many connections at once until `signal` aborts; counts the answers by status, 0 for a connection
 * that was closed. Answers that come after `signal` do not count. `onAnswer` is called for each.
 */
export async function onConnections(
  connections: number,
  signal: AbortSignal,
  send: (at: number) => Promise<number>,
  onAnswer = () => {},
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let at = 0
  const one = async () => {
    while (!signal.aborted) {
      at += 1
      const status = await send(at).catch(() => 0)
      if (signal.aborted) return
      counts[status] = (counts[status] ?? 0) + 1
      onAnswer()
    }
  }
  const all = Promise.all(Array.from({ length: connections }, one))
  await Promise.race([all, once(signal, 'abort')])
  return counts
}
