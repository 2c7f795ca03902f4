import { BlockList, isIP, isIPv4 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** Addresses that are used inside of networks only: RFC 1918, 3927, 4193, 1122 and 4291. */
export const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '127.0.0.0/8',
  'fc00::/7',
  '::1/128',
] as const

const ranges = new BlockList()
for (const range of PRIVATE_RANGES) {
  const [address, prefix] = range.split('/') as [string, string]
  ranges.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6')
}

export const isPrivate = (address: string): boolean =>
  isIP(address) !== 0 && ranges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/** The private addresses of this machine, loopback included, in a fixed order. */
export function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .map(({ address }) => address)
    .filter(isPrivate)
  return [...new Set(['127.0.0.1', '::1', ...found])].toSorted((a, b) => (a < b ? -1 : 1))
}

/** The name of this machine as a label of a host name. */
export const ownName = (): string =>
  hostname()
    .split('.')[0]!
    .toLowerCase()
    .replaceAll(/[^a-z\d-]/g, '')
    .replaceAll(/^-+|-+$/g, '') || 'sanad'

/** Four bytes, or sixteen. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  const groups = [...front, ...zeros, ...back].map((group) => group.padStart(4, '0'))
  return Buffer.from(groups.join(''), 'hex')
}

/** RFC 5280, section 4.2.1.10: the address and its mask. */
export function addressRangeBytes(range: string): Buffer {
  const [address, prefix] = range.split('/') as [string, string]
  const bytes = addressBytes(address)
  const mask = Buffer.from(
    Array.from(
      bytes,
      (_, at) => (0xff00 >> Math.max(0, Math.min(8, Number(prefix) - at * 8))) & 0xff,
    ),
  )
  return Buffer.concat([bytes, mask])
}
