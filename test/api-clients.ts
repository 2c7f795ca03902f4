import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

/**
 * A program as the published contract describes it (RFC 7515, RFC 7523, SMART Backend Services), without the library
 * that the server verifies with.
 */
export type Algorithm = 'RS384' | 'ES384' | 'RS256' | 'HS256' | 'none'

/** A key pair as a program makes it: the private key, and the public one as it is registered. */
export function newKey(alg: 'RS384' | 'ES384', kid: string = randomUUID()) {
  const { publicKey, privateKey } =
    alg === 'RS384'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } }
}
export type Key = ReturnType<typeof newKey>
export const jwksOf = (...keys: readonly Key[]) =>
  JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signers: Record<Algorithm, (text: Buffer, key: KeyObject) => Buffer> = {
  RS384: (text, key) => sign('sha384', text, key),
  RS256: (text, key) => sign('sha256', text, key),
  ES384: (text, key) => sign('sha384', text, { key, dsaEncoding: 'ieee-p1363' }),
  HS256: (text, key) =>
    createHmac('sha256', key.export({ type: 'pkcs8', format: 'pem' }))
      .update(text)
      .digest(),
  none: () => Buffer.alloc(0),
}

/** Seconds since 1970. */
export const seconds = (fromNow = 0) => Math.floor(Date.now() / 1000) + fromNow

type Of = {
  clientId: string
  aud: string
  key: Key
  alg: Algorithm
  header?: object
  claims?: object
}

/** The signed assertion; `header` and `claims` replace parts of a right one. */
export function assertionOf({ clientId, aud, key, alg, header, claims }: Of): string {
  const signed = [
    part({ typ: 'JWT', alg, kid: key.kid, ...header }),
    part({ iss: clientId, sub: clientId, aud, exp: seconds(240), jti: randomUUID(), ...claims }),
  ].join('.')
  const signature = signers[alg](Buffer.from(signed), key.privateKey)
  return `${signed}.${signature.toString('base64url')}`
}

export const tokenForm = (assertion: string, scope: string) =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    scope,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  })
