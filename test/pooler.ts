import { createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { urlsOf } from './harness'

/*
 * A pooler in transaction mode, as PgBouncer is one: a client has a connection of PostgreSQL for each transaction, each
 * time another one; notifications do not arrive, and startup parameters are rejected. Messages are those of
 * https://www.postgresql.org/docs/18/protocol-message-formats.html.
 */

const SSL_REQUEST = 80_877_103
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
/** AuthenticationOk, then ReadyForQuery. */
const WELCOME = Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), READY])
const TERMINATE = 0x58
const NOTIFICATION = 0x41
const READY_FOR_QUERY = 0x5a
const IDLE = 0x49

/** What PgBouncer passes on or tracks. */
const KNOWN = ['user', 'database', 'application_name', 'client_encoding']

type Options = {
  /** Startup parameters that it drops (`ignore_startup_parameters`). */
  ignores?: readonly string[]
  /** Connections to PostgreSQL. */
  size?: number
}

type Backend = { client: pg.Client; socket: Socket; user?: Socket; rest: Buffer }

/** Pools connections of the application to the database. */
export async function startPooler(
  database: string,
  { ignores = [], size = 3 }: Options = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const direct = urlsOf(database).appUrl
  const backends = await Promise.all(Array.from({ length: size }, () => connectBackend(direct)))
  const free = [...backends]
  const waiting: ((backend: Backend) => void)[] = []
  for (const backend of backends)
    backend.socket.on('data', (chunk: Buffer) => {
      for (const message of messagesOf(backend, chunk)) {
        if (message[0] === NOTIFICATION) continue
        backend.user?.write(message)
        if (message[0] !== READY_FOR_QUERY || message[5] !== IDLE) continue
        backend.user = undefined
        const next = waiting.shift()
        if (next) next(backend)
        // the one that has rested longest is next, so that two statements in a row have two connections
        else free.push(backend)
      }
    })
  const serve = (user: Socket) => {
    let own: Promise<Backend> | undefined
    const backendOf = async () => {
      const backend = free.shift() ?? (await new Promise<Backend>((take) => waiting.push(take)))
      backend.user = user
      return backend
    }
    return (chunk: Buffer) => {
      if (chunk[0] === TERMINATE) return user.end()
      own = Promise.resolve(own).then((held) => (held?.user === user ? held : backendOf()))
      void own.then(({ socket }) => socket.write(chunk))
    }
  }
  const server = createServer((user) => welcome(user, ignores, serve))
  const port = await listening(server)
  const url = new URL(direct)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async stop() {
      server.close()
      for (const { socket } of backends) socket.destroy()
    },
  }
}

function welcome(
  user: Socket,
  ignores: readonly string[],
  serve: (user: Socket) => (chunk: Buffer) => void,
) {
  user.on('error', () => {})
  const greet = (chunk: Buffer) => {
    if (chunk.readInt32BE(4) === SSL_REQUEST) return user.write('N')
    const words = chunk.subarray(8).toString().split('\0')
    const names = words.filter((word, at) => at % 2 === 0 && word !== '')
    const unknown = names.find((name) => !KNOWN.includes(name) && !ignores.includes(name))
    if (unknown !== undefined)
      return user.end(rejection(`unsupported startup parameter: ${unknown}`))
    user.off('data', greet)
    user.on('data', serve(user))
    return user.write(WELCOME)
  }
  user.on('data', greet)
}

function rejection(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** Signs in with the driver, then takes over its socket. */
async function connectBackend(url: string): Promise<Backend> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  return { client, socket: stream, rest: Buffer.alloc(0) }
}

function messagesOf(backend: Backend, chunk: Buffer): Buffer[] {
  let bytes = Buffer.concat([backend.rest, chunk])
  const messages: Buffer[] = []
  while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
    const length = bytes.readInt32BE(1) + 1
    messages.push(bytes.subarray(0, length))
    bytes = bytes.subarray(length)
  }
  backend.rest = bytes
  return messages
}

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
