/**
 * Crockford's base 32 (https://www.crockford.com/base32.html): no letter looks like a digit, and
 * none spells a word by accident. The 40 random bits at the end of an id make eight characters.
 */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const HALF = 4

/**
 * Printed, read out on the telephone and searched for: "7K2M-0QXD". It follows from the id, so it
 * never changes.
 */
export function prescriptionNumber(id: string): string {
  let bits = BigInt(`0x${id.slice(-10)}`)
  let text = ''
  for (let at = 0; at < HALF * 2; at += 1) {
    text = SIGNS[Number(bits & 31n)]! + text
    bits >>= 5n
  }
  return `${text.slice(0, HALF)}-${text.slice(HALF)}`
}

/**
 * The end of the id for a typed number; null if it is not a number. Letters that look like digits
 * are read as digits.
 */
export function parsePrescriptionNumber(typed: string): string | null {
  const text = typed
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const values = [...text].map((sign) => SIGNS.indexOf(sign))
  if (values.length !== HALF * 2 || values.includes(-1)) return null
  const bits = values.reduce((total, value) => (total << 5n) | BigInt(value), 0n)
  return bits.toString(16).padStart(10, '0')
}
