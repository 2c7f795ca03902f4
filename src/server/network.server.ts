import { BlockList, isIP } from 'node:net'

/** The clinic's own machine and network (RFC 1918, RFC 4193): a server there may be reached without https. */
const clinicNetworks = new BlockList()
clinicNetworks.addSubnet('127.0.0.0', 8, 'ipv4')
clinicNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
clinicNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
clinicNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
clinicNetworks.addAddress('::1', 'ipv6')
clinicNetworks.addSubnet('fc00::', 7, 'ipv6')

/**
 * Addresses that no configured server has: link-local ones, where clouds answer with credentials, and
 * unspecified ones.
 */
const forbiddenNetworks = new BlockList()
forbiddenNetworks.addSubnet('0.0.0.0', 8, 'ipv4')
forbiddenNetworks.addSubnet('169.254.0.0', 16, 'ipv4')
forbiddenNetworks.addSubnet('224.0.0.0', 3, 'ipv4')
forbiddenNetworks.addAddress('::', 'ipv6')
forbiddenNetworks.addSubnet('fe80::', 10, 'ipv6')
forbiddenNetworks.addSubnet('ff00::', 8, 'ipv6')
forbiddenNetworks.addAddress('fd00:ec2::254', 'ipv6')

/** Whether Sanad connects to this IP address: over https to any server, without it only on the clinic's own network. */
export function mayConnect(address: string, isSecure: boolean): boolean {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = ipv4 ?? address
  const version = isIP(plain)
  if (version === 0) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  return (
    !forbiddenNetworks.check(plain, family) && (isSecure || clinicNetworks.check(plain, family))
  )
}

/** Whether an address in figures is the clinic's own machine or network. */
export function isClinicAddress(host: string): boolean {
  const version = isIP(host)
  return version !== 0 && clinicNetworks.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

/** Whether an address can be refused before its name is looked up: an IP address in figures, or no web address. */
export function isForbiddenUrl({ protocol, hostname }: URL): boolean {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return (!isSecure && protocol !== 'http:') || (isIP(host) !== 0 && !mayConnect(host, isSecure))
}
