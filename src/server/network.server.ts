import { BlockList, isIP } from 'node:net'

/** The clinic's own machine and network (RFC 1918, RFC 4193): a server there may be reached without https. */
const own = new BlockList()
own.addSubnet('127.0.0.0', 8, 'ipv4')
own.addSubnet('10.0.0.0', 8, 'ipv4')
own.addSubnet('172.16.0.0', 12, 'ipv4')
own.addSubnet('192.168.0.0', 16, 'ipv4')
own.addAddress('::1', 'ipv6')
own.addSubnet('fc00::', 7, 'ipv6')

/**
 * Addresses that no configured server has: link-local ones, where clouds answer with credentials, and
 * unspecified ones.
 */
const never = new BlockList()
never.addSubnet('0.0.0.0', 8, 'ipv4')
never.addSubnet('169.254.0.0', 16, 'ipv4')
never.addSubnet('224.0.0.0', 3, 'ipv4')
never.addAddress('::', 'ipv6')
never.addSubnet('fe80::', 10, 'ipv6')
never.addSubnet('ff00::', 8, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')

/** Whether Sanad connects to this IP address: over https to any server, without it only on the clinic's own network. */
export function mayConnect(address: string, isSecure: boolean): boolean {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = ipv4 ?? address
  const version = isIP(plain)
  if (version === 0) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  return !never.check(plain, family) && (isSecure || own.check(plain, family))
}

/** Whether an address in figures is the clinic's own machine or network. */
export function isOwn(host: string): boolean {
  const version = isIP(host)
  return version !== 0 && own.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

/** Whether an address can be refused before its name is looked up: an IP address in figures, or no web address. */
export function isRefused({ protocol, hostname }: URL): boolean {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return (!isSecure && protocol !== 'http:') || (isIP(host) !== 0 && !mayConnect(host, isSecure))
}
