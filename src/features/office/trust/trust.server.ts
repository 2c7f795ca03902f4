import { localAuthority } from '~/server/certificate/local-certificate.server'
import { env } from '~/server/env'
import { NoInput, openQuery } from '~/server/operation'

/** The authority that devices trust once, before anyone signs in on them; null without one. */
export const getAuthority = openQuery('trust.get', {
  input: NoInput,
  allow: () => true,
  run: async () => {
    const authority = localAuthority(env().dataDir)
    return authority
      ? { fingerprint: authority.fingerprint256, until: authority.validToDate }
      : null
  },
})

/** `GET /api/trust/root`: the certificate of the authority, which holds no secret. */
export function respondRoot(): Response {
  const authority = localAuthority(env().dataDir)
  if (!authority) return Response.json({ error: 'There is no certificate.' }, { status: 404 })
  return new Response(new Uint8Array(authority.raw), {
    headers: {
      'content-type': 'application/x-x509-ca-cert',
      'content-disposition': 'attachment; filename="sanad-root.crt"',
      'cache-control': 'no-store',
    },
  })
}
