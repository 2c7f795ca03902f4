import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// The parameters of authenticator apps: RFC 6238 with SHA-1, 6 digits, steps of 30 seconds.
const STEP_SECONDS = 30
/** Steps by which a phone's clock may differ from ours. */
export const TOLERANCE = 1

/** 160 bits, as RFC 4226, section 4, recommends. */
export const newTotpSecret = () => randomBytes(20)

/**
 * The step whose code this is, or null. A caller refuses steps that it has accepted before (RFC
 * 6238, section 5.2).
 */
export function stepOfCode(secret: Buffer, code: string, now = Date.now()): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const current = Math.floor(now / 1000 / STEP_SECONDS)
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step += 1) {
    if (timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code))) return step
  }
  return null
}

/** RFC 4226, section 5.3. */
function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/**
 * The content of the QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export const totpUri = (secret: string, email: string) =>
  `otpauth://totp/Sanad:${encodeURIComponent(email)}?secret=${secret}` +
  `&issuer=Sanad&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`

/** RFC 4648, without padding: authenticator apps want none. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(
    /.{1,5}/g,
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)]!,
  )
}
