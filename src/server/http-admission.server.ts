import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { Refusal } from '~/db/refusal'
import type { Env } from './env'
import { trusts } from './http-client.server'

const isLoopback = (address: string) =>
  address === '::1' || address === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(address)

/** Plain http never leaves this machine by accident. */
export function refuseOpenHttp({ host, tls, trustedProxies, insecureHttp }: Env) {
  if (tls || trustedProxies.length || insecureHttp || isLoopback(host)) return
  throw new Refusal(
    `HOST is ${host}, and without https passwords would be readable on the network: ` +
      'run "npm run admin -- make-certificate", set SANAD_TLS_CERT and SANAD_TLS_KEY, or name ' +
      'your proxy in SANAD_TRUSTED_PROXIES. SANAD_INSECURE_HTTP=yes allows plain http nevertheless.',
  )
}

type Connection = { peer: string; isHttps: boolean }

/**
 * Answers a request that must not come in, else nothing. Over plain http only this machine and
 * trusted proxies are served. A name that is not ours is refused: another site could make a browser
 * take us for itself (DNS rebinding). `certificate` is the one in use now.
 */
export function admission(
  { hosts, trustedProxies, insecureHttp }: Env,
  certificate: () => X509Certificate | undefined,
) {
  const isTrusted = trusts(trustedProxies)
  const own = hostname().toLowerCase()
  const names = new Set([...hosts, own, `${own.split('.')[0]}.local`])

  const isOurs = (name: string) =>
    isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    names.has(name) ||
    Boolean(certificate()?.checkHost(name))

  return (request: Request, { peer, isHttps }: Connection): Response | undefined => {
    const { pathname, host } = new URL(request.url)
    // a load balancer asks by whatever name it has
    if (isTrusted(peer) || pathname.startsWith('/api/health')) return undefined
    if (!isHttps && !isLoopback(peer) && !insecureHttp)
      return new Response('Sanad answers over https only.', { status: 403 })
    // HTTP/2 has no such header
    const name = (request.headers.get('host') ?? host).replace(/:\d+$/, '').toLowerCase()
    return isOurs(name)
      ? undefined
      : new Response('Sanad is not known by this name: add it to SANAD_HOSTS.', { status: 421 })
  }
}
