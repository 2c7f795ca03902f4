import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

const EVERY_IPV4 = '0.0.0.0'
const EVERY = '::'

/** `http://<address>:<port>` for each address of this machine on which a listener at `host` is reached. */
export const listenerUrls = (host: string, port: number): string[] =>
  (host === EVERY_IPV4 || host === EVERY ? ownAddresses(host === EVERY) : [host]).map(
    (address) => `http://${isIPv6(address) ? `[${address}]` : address}:${port}`,
  )

/** The addresses of a clinic's network first: a container or a tunnel has others. */
function ownAddresses(withIpv6: boolean): string[] {
  const all = Object.values(networkInterfaces()).flatMap((of = []) => of)
  const usable = all.filter(
    ({ internal, family, address }) =>
      !internal && (family === 'IPv4' || (withIpv6 && !address.startsWith('fe80'))),
  )
  const isOfNetwork = (address: string) =>
    /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address)
  const addresses = [...new Set(usable.map(({ address }) => address))]
  return addresses.toSorted((a, b) => Number(isOfNetwork(b)) - Number(isOfNetwork(a)))
}
