import { randomUUID } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { Proxy } from './env'

/** Who sent a request, as far as the network can tell. */
type Client = { address: string; https: boolean; requestId: string }

/**
 * The marks travel as headers of the request, because a framework may hand its handlers a copy of
 * the request and headers are copied with it. `markClient` runs first and overwrites whatever the
 * sender wrote there.
 */
const marks = {
  address: 'x-sanad-address',
  https: 'x-sanad-https',
  requestId: 'x-request-id',
} as const

export function clientInfo(request: Request): Client {
  return {
    address: request.headers.get(marks.address) ?? 'unknown',
    https: request.headers.get(marks.https) === 'yes',
    requestId: request.headers.get(marks.requestId) ?? 'unknown',
  }
}

type Peer = { address?: string; https: boolean; headers: Pick<Headers, 'get'> }

/**
 * Determines the client's address, protocol and request id. Headers that name others are read only if
 * a trusted proxy sent the request.
 */
export function clientBehind(proxies: readonly Proxy[]): (peer: Peer) => Client {
  const isTrusted = trusts(proxies)

  return ({ address, https, headers }) => {
    const peer = plainAddress(address ?? '')
    if (!isTrusted(peer)) return { address: peer, https, requestId: randomUUID() }
    const sentId = headers.get(marks.requestId)
    return {
      address: firstStranger(peer, list(headers.get('x-forwarded-for')), isTrusted),
      https: list(headers.get('x-forwarded-proto')).at(-1)?.toLowerCase() === 'https',
      requestId: sentId && /^[\w.-]{8,64}$/.test(sentId) ? sentId : randomUUID(),
    }
  }
}

/** Whether an address is one of the proxies. */
export function trusts(proxies: readonly Proxy[]): (address: string) => boolean {
  const trusted = new BlockList()
  for (const { address, prefix, family } of proxies) trusted.addSubnet(address, prefix, family)
  return (address) => {
    const version = isIP(address)
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

export function markClient(headers: Headers, client: Client) {
  headers.set(marks.address, client.address)
  headers.set(marks.https, client.https ? 'yes' : 'no')
  headers.set(marks.requestId, client.requestId)
}

/** Each proxy appends who called it: going back from the nearest, the first that is not ours is the client. */
function firstStranger(peer: string, chain: string[], isTrusted: (address: string) => boolean) {
  let nearest = peer
  for (const hop of chain.map(plainAddress).toReversed()) {
    if (!isIP(hop)) break
    nearest = hop
    if (!isTrusted(hop)) break
  }
  return nearest
}

const list = (header: string | null) =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** 10.0.0.7 out of ::ffff:10.0.0.7, [fd00::7] or 10.0.0.7:1234. */
export const plainAddress = (address: string) =>
  address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')

/** The address, or for IPv6 the /64 that one household or one attacker is given. */
export function networkAddress(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail?.split(':').filter(Boolean) ?? []
  const groups = [
    ...front,
    ...Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0'),
    ...back,
  ]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
