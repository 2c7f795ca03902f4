import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { keyFor } from './instance-key.server'

type Purpose =
  | 'phone token'
  | 'wrong guess'
  | 'second factor'
  | 'recovery code'
  | 'password verdict'
  | 'known browser'
  | 'backup download'
  | 'setup code'

/** The same for the same text, and of no use to a reader. */
export const keyed = (purpose: Purpose, text: string): Buffer =>
  createHmac('sha256', keyFor(purpose)).update(text).digest()

/** 32 secret bytes for the hub, the same after a restart and in every process. */
export const hubSecret = (): Buffer => keyFor('hub')

/** Of something random and long, like a token: a plain hash is as good as a slow one. */
export const hashToken = (random: string): Buffer => createHash('sha256').update(random).digest()

/** 256 random bits. */
export const newToken = () => randomBytes(32).toString('base64url')

const NONCE = 12
const TAG = 16

type Sealed = 'second factor' | 'password of another server'

/**
 * Encrypts (AES-256-GCM) what has to be read again. `owner` is bound to it: it opens in no other row. Stored rows have
 * the tag before the text; the frame between hub and phones (`hub/envelope.ts`) is that of the phones.
 */
export function sealSecret(
  owner: string,
  plain: Buffer,
  purpose: Sealed = 'second factor',
): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Throws when the instance key is not the one it was sealed with. */
export function unsealSecret(
  owner: string,
  sealed: Buffer,
  purpose: Sealed = 'second factor',
): Buffer {
  const key = keyFor(purpose)
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), {
    authTagLength: TAG,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
}

// Crockford's base 32: without I, L, O and U, which are mistaken for other characters
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A code to copy by hand: 5 random bits for each character, in groups of four. */
export const newCode = (length: number): string => formatManualCode(randomBytes(length))

/** The code to copy by hand that these bytes make: 5 bits of each. */
export function formatManualCode(bytes: Uint8Array): string {
  const signs = [...bytes].map((byte) => ALPHABET[byte & 31])
  return signs.join('').replaceAll(/.{4}(?=.)/g, '$&-')
}

/**
 * Normalizes a typed code: upper case, without spaces and hyphens, letters outside the alphabet as the
 * digits that they resemble.
 */
export const codeFrom = (typed: string) =>
  typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
