import { once } from 'node:events'
import { connect } from 'node:net'

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
const lists = Buffer.from(`[${'[],'.repeat(LARGEST / 3 - 2)}[]]`)
const WAYS = ['/api/v2/sync', '/rpc/command', '/api/trpc/photos.save', '/_serverFn/anything']

/** The largest body without a declared length, to each way in by turns. Returns the status. */
export async function sendLargest(url: string, at: number): Promise<number> {
  const sent: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([lists]).stream(),
    duplex: 'half',
  }
  const response = await fetch(url + WAYS[at % WAYS.length]!, sent).catch(() => undefined)
  await response?.arrayBuffer().catch(() => undefined)
  return response?.status ?? 0
}

/** Declares the largest body and sends none of it. Resolves with the first line of the answer. */
export function declareLargest(url: string, at: number): Promise<string> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
    socket.write(
      [
        `POST ${WAYS[at % WAYS.length]!} HTTP/1.1`,
        `host: ${host}`,
        'content-type: application/json',
        `content-length: ${LARGEST}`,
        '\r\n',
      ].join('\r\n'),
    )
    socket.once('error', reject).once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1').split('\r\n', 1)[0]!)
      socket.destroy()
    })
  })
}

/**
 * Repeats `send` on so many connections at once until `signal` aborts; counts the answers by status, 0 for a connection
 * that was closed. Answers that come after `signal` do not count.
 */
export async function onConnections(
  connections: number,
  signal: AbortSignal,
  send: (at: number) => Promise<number>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let at = 0
  const one = async () => {
    while (!signal.aborted) {
      at += 1
      const status = await send(at).catch(() => 0)
      if (!signal.aborted) counts[status] = (counts[status] ?? 0) + 1
    }
  }
  const all = Promise.all(Array.from({ length: connections }, one))
  await Promise.race([all, once(signal, 'abort')])
  return counts
}
