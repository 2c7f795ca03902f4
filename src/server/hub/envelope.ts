import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/*
 * The sealed messages between the hub and a phone (docs/phone-sync.md, "The clinic's own network"): X25519
 * (RFC 7748), HKDF-SHA256 (RFC 5869), AES-256-GCM. Keys are 32 raw bytes; on the wire all bytes are base64url
 * without padding.
 */

const SALT = 'hikma-health-pairing-v1'
const KEY = 32
export const NONCE = 12
export const TAG = 16

/** Additional data of a message, so that an answer is never taken for a request. */
export type Word = 'command' | 'query' | 'command_response' | 'query_response'

type KeyPair = { privateKey: KeyObject; publicKey: Buffer }

/** The key pair of a private key of 32 random bytes. */
export function keyPairFromBytes(raw: Buffer): KeyPair {
  // PKCS #8 of RFC 8410, section 7: a fixed head and the raw key
  const head = Buffer.from('302e020100300506032b656e04220420', 'hex')
  const privateKey = createPrivateKey({
    key: Buffer.concat([head, raw]),
    format: 'der',
    type: 'pkcs8',
  })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { privateKey, publicKey: Buffer.from(x!, 'base64url') }
}

/** Throws for a key of low order, which would make the secret predictable. */
export const deriveSharedSecret = (privateKey: KeyObject, otherKey: Buffer): Buffer =>
  diffieHellman({
    privateKey,
    publicKey: createPublicKey({
      key: { kty: 'OKP', crv: 'X25519', x: otherKey.toString('base64url') },
      format: 'jwk',
    }),
  })

export const derived = (
  secret: Buffer,
  salt: string | Buffer,
  info: Buffer,
  length = KEY,
): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** The key that the hub and the phone share after a handshake. Throws for a key of low order. */
export const sharedKey = (hub: KeyPair, clientKey: Buffer): Buffer =>
  derived(
    deriveSharedSecret(hub.privateKey, clientKey),
    SALT,
    Buffer.concat([hub.publicKey, clientKey]),
  )

/** 32 bytes, or null for anything else. */
export function readPublicKey(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !/^[\w-]{43}=?$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === KEY ? bytes : null
}

/** Nonce, text and tag of a payload; null if it is no base64url or too short. */
export function readPayload(payload: string): Buffer | null {
  if (!/^[\w-]+=*$/.test(payload)) return null
  const bytes = Buffer.from(payload, 'base64url')
  return bytes.length >= NONCE + TAG ? bytes : null
}

export const sealedNonce = (sealed: Buffer): Buffer => sealed.subarray(0, NONCE)

/** The plain text; null if it was sealed with another key or word, or changed since. */
export function unsealed(key: Buffer, word: Word, sealed: Buffer): Buffer | null {
  const decipher = createDecipheriv('aes-256-gcm', key, sealedNonce(sealed), { authTagLength: TAG })
    .setAAD(Buffer.from(word))
    .setAuthTag(sealed.subarray(-TAG))
  const text = decipher.update(sealed.subarray(NONCE, -TAG))
  try {
    return Buffer.concat([text, decipher.final()])
  } catch {
    return null
  }
}

/** The pieces of a sealed text in base64url, as the plain pieces come. */
export function sealing(key: Buffer, word: Word, nonce = randomBytes(NONCE)) {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(word))
  let rest: Buffer = nonce
  // three bytes are four characters: what is left over waits for the next piece
  const encoded = (bytes: Buffer, isLast: boolean) => {
    const all = Buffer.concat([rest, bytes])
    const end = isLast ? all.length : all.length - (all.length % 3)
    rest = all.subarray(end)
    return all.toString('base64url', 0, end)
  }
  return {
    add: (plain: Uint8Array) => encoded(cipher.update(plain), false),
    end: () => encoded(Buffer.concat([cipher.final(), cipher.getAuthTag()]), true),
  }
}
