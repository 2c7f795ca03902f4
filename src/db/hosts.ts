import { Socket } from 'node:net'
import pg from 'pg'

/*
 * Addresses that name several hosts, as libpq reads them: postgres://user:password@a:5432,b:5433/sanad or
 * ?host=a,b&port=5432,5433 (https://www.postgresql.org/docs/18/libpq-connect.html, "Specifying Multiple Hosts").
 * The driver reads one host, so each new connection asks all of them which one accepts writes. With
 * target_session_attrs=any, standby, prefer-standby or read-only, the first that answers is used.
 */

/** Milliseconds that a host has to answer. */
const PATIENCE = 3_000

const ANY = new Set(['any', 'standby', 'prefer-standby', 'read-only'])

/** The address of each host that the address names; the address itself if it names one. */
export function splitHosts(url: string): string[] {
  const [, before, authority, after] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  if (before === undefined || authority === undefined || after === undefined) return [url]
  if (authority.includes(',')) return authority.split(',').map((host) => before + host + after)
  const [path = '', query = ''] = after.split('?', 2)
  const settings = new URLSearchParams(query)
  const hosts = settings.get('host')?.split(',') ?? []
  if (hosts.length < 2) return [url]
  const ports = settings.get('port')?.split(',') ?? []
  return hosts.map((host, at) => {
    const own = new URLSearchParams(settings)
    own.set('host', host)
    const port = ports[at] ?? ports[0]
    if (port) own.set('port', port)
    return `${before}${authority}${path}?${own}`
  })
}

/** The address of another database on the same hosts. */
export const atDatabase = (url: string, name: string): string =>
  url.replace(/^(\w+:\/\/[^/?#]*)(\/[^?#]*)?/, `$1/${name}`)

/** Settings of a connection that finds the host that accepts writes; empty for an address with one host. */
export function following(url: string): pg.ClientConfig {
  const urls = splitHosts(url)
  if (urls.length < 2) return {}
  const wanted = /[?&]target_session_attrs=([\w-]+)/.exec(url)?.[1] ?? 'read-write'
  // the driver takes the user, password and database from the first address; the socket chooses the host
  const stream = () => new FollowingSocket(urls, ANY.has(wanted)) as never
  return { connectionString: urls[0], stream }
}

/** Connects to the host that `findHost` returns, wherever the driver wants to connect to. */
class FollowingSocket extends Socket {
  constructor(
    readonly urls: readonly string[],
    readonly isAnyGood: boolean,
  ) {
    super()
  }

  override connect(..._given: unknown[]): this {
    void this.#follow()
    return this
  }

  async #follow() {
    try {
      const { host, port } = await findHost(this.urls, this.isAnyGood)
      if (!this.destroyed) super.connect(port, host)
    } catch (error) {
      this.destroy(error as Error)
    }
  }
}

async function findHost(urls: readonly string[], isAnyGood: boolean) {
  try {
    return await Promise.any(urls.map((url) => ask(url, isAnyGood)))
  } catch (error) {
    const { errors } = error as AggregateError
    // a standby that answers says more than a host that is away
    throw errors.find((each) => each instanceof ReadOnly) ?? errors[0]
  }
}

/** No host accepts writes. */
class ReadOnly extends Error {
  readonly code = '25006'
}

async function ask(url: string, isAnyGood: boolean) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ is_read_only: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as is_read_only`,
    )
    if (rows[0]!.is_read_only && !isAnyGood) throw new ReadOnly('every host is read-only')
    return { host: client.host, port: client.port }
  } finally {
    await client.end().catch(() => undefined)
  }
}
