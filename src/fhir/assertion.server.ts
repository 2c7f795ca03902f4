import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { validKeys } from '~/features/office/api-clients/public-keys.server'

/**
 * What a program proves its name with: a token of its own, signed with its private key (RFC 7523, section 3;
 * SMART Backend Services, "Authenticating to the Token Endpoint").
 */
const ALGORITHMS = ['RS384', 'ES384']
/** Seconds from now until the latest end of an assertion. */
const LONGEST = 5 * 60
/** Seconds by which two clocks may differ. */
const TOLERANCE = 30

/** Whom the assertion claims to come from, before anything of it is verified. */
export function claimedIssuer(assertion: string): string | null {
  try {
    const { iss } = decodeJwt(assertion)
    return typeof iss === 'string' ? iss : null
  } catch {
    return null
  }
}

/** What was verified, or why it is not accepted: in words for the program's developer. */
type Verified = { jti: string; expiresAt: Date } | { problem: string }

/** One answer to what is not signed by the program: it says nothing of which programs and keys there are. */
export const NOT_SIGNED: Verified = { problem: 'The assertion is not signed by a known client.' }

/** Checks signature and claims, for a program that is known by this id and these keys. */
export async function verified(
  assertion: string,
  { id, jwks }: { id: string; jwks: string },
  audience: string,
): Promise<Verified> {
  const keys = validKeys(jwks)
  try {
    const { payload, protectedHeader } = await jwtVerify(
      assertion,
      createLocalJWKSet({ keys } as JSONWebKeySet),
      {
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE,
      },
    )
    // a single key would also be taken without its name
    if (!keys.some(({ kid }) => kid === protectedHeader.kid)) return NOT_SIGNED
    if ('jku' in protectedHeader)
      return { problem: 'Keys are registered, and not read from an address (jku).' }
    return checkClaims(payload, id, audience)
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { problem: 'The assertion has expired (exp).' }
    if (error instanceof errors.JWTClaimValidationFailed)
      return { problem: `The assertion has a claim that is not valid (${error.claim}).` }
    if (error instanceof errors.JOSEError || error instanceof TypeError) return NOT_SIGNED
    throw error
  }
}

function checkClaims(
  { iss, sub, aud, exp, jti }: JWTPayload,
  id: string,
  audience: string,
): Verified {
  if (iss !== id || sub !== id) return { problem: 'iss and sub must be the id of the client.' }
  if (![aud].flat().includes(audience)) return { problem: `aud must be ${audience}.` }
  if (typeof exp !== 'number') return { problem: 'The assertion must have exp.' }
  if (exp > Date.now() / 1000 + LONGEST + TOLERANCE)
    return { problem: 'exp must be at most five minutes from now.' }
  if (typeof jti !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(jti))
    return { problem: 'The assertion must have a jti of 1 to 255 characters of ASCII.' }
  return { jti, expiresAt: new Date((exp + 2 * TOLERANCE) * 1000) }
}
