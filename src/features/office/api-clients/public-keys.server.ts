import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { asObject } from '~/shared/object'
import { parseFhirScope, splitScopes } from '~/shared/fhir-scopes'
import { type Message, invalid } from '~/shared/errors'

const MOST_KEYS = 10
/** Bits of an RSA modulus: SMART Backend Services; beyond the most, each check of a signature would take long. */
const SHORTEST_MODULUS = 2048
const LONGEST_MODULUS = 16_384
/** RFC 8017, section 3.1: an odd number from 3 on. NIST SP 800-56B, section 6.4.1.2: below 2^256. */
const LEAST_EXPONENT = 3n
const MOST_EXPONENT = 1n << 256n
/** Members of private keys and of secrets (RFC 7518, section 6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

type Jwk = { kty: string; kid: string } & Record<string, unknown>

/** Throws `invalid` with what is wrong with the scopes or the keys. Returns both as they are stored. */
export function checkedAccess({ scopes, jwks }: { scopes: string; jwks: string }) {
  const all = splitScopes(scopes)
  const unknown = all.find((scope) => !parseFhirScope(scope))
  const keys = keysIn(jwks)
  const fields: Record<string, Message> = {}
  if (unknown !== undefined)
    fields['scopes'] = { key: 'apiClients.scopeUnknown', values: { scope: unknown } }
  if ('key' in keys) fields['jwks'] = keys
  if ('key' in keys || unknown !== undefined) throw invalid(fields)
  return { scopes: all.join(' '), jwks: JSON.stringify({ keys: keys.keys }, null, 2) }
}

/** The keys of a set, or of one key alone; or what is wrong with them. */
function keysIn(text: string): { keys: Jwk[] } | Message {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return { key: 'apiClients.jwksNotJson' }
  }
  const given = asObject(read)
  const keys = 'kty' in given ? [given] : given['keys']
  if (!Array.isArray(keys) || keys.length === 0) return { key: 'apiClients.jwksEmpty' }
  if (keys.length > MOST_KEYS) return { key: 'apiClients.jwksTooMany', values: { most: MOST_KEYS } }
  const problem = keys.map((key) => publicKeyProblem(asObject(key))).find(Boolean)
  if (problem) return problem
  const all = keys as Jwk[]
  if (new Set(all.map(({ kid }) => kid)).size < all.length) return { key: 'apiClients.jwksSameKid' }
  return { keys: all }
}

/** The keys of a stored set with which a signature proves something. */
export function validKeys(text: string): Jwk[] {
  const { keys } = JSON.parse(text) as { keys: Jwk[] }
  return keys.filter((key) => publicKeyProblem(key) === undefined)
}

function publicKeyProblem(key: Record<string, unknown>): Message | undefined {
  const { kty, kid, n, e, crv, x, y, alg } = key
  if (PRIVATE.some((member) => member in key)) return { key: 'apiClients.jwksPrivate' }
  if (typeof kid !== 'string' || kid === '' || kid.length > 200)
    return { key: 'apiClients.jwksNoKid' }
  const isText = (...values: unknown[]) =>
    values.every((value) => typeof value === 'string' && /^[\w-]+$/.test(value))
  const isRsa = kty === 'RSA' && isText(n, e) && (alg === undefined || alg === 'RS384')
  const isEc =
    kty === 'EC' && crv === 'P-384' && isText(x, y) && (alg === undefined || alg === 'ES384')
  if (!isRsa && !isEc) return { key: 'apiClients.jwksKind', values: { kid } }
  const read = publicKeyFrom(key)
  if (!read) return { key: 'apiClients.jwksNotValid', values: { kid } }
  if (!isRsa) return undefined
  const { modulusLength = 0, publicExponent = 0n } = read.asymmetricKeyDetails ?? {}
  if (modulusLength < SHORTEST_MODULUS) return { key: 'apiClients.jwksShort', values: { kid } }
  const isExponent =
    publicExponent % 2n === 1n && publicExponent >= LEAST_EXPONENT && publicExponent < MOST_EXPONENT
  // the modulus is the product of two odd primes
  const isModulus =
    modulusLength <= LONGEST_MODULUS && Buffer.from(n as string, 'base64url').at(-1)! % 2 === 1
  return isExponent && isModulus ? undefined : { key: 'apiClients.jwksNotValid', values: { kid } }
}

/** Null if the numbers are no key: a point that is not on the curve. */
function publicKeyFrom(key: Record<string, unknown>): KeyObject | null {
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
  } catch {
    return null
  }
}
