import { latinDigits } from '~/fields/typed'

/**
 * Crockford's base 32 (https://www.crockford.com/base32.html) without Z: 31 characters, a prime, so that the check
 * finds each wrong character and each swap of two neighbors.
 */
const CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXY'
const LENGTH = 8

const checkValue = (values: readonly number[]) =>
  values.reduce((sum, value, at) => sum + value * (at + 1), 0) % CHARACTERS.length

/** A number for a new referral: seven random characters and one that checks them. */
export function newReferralNumber(): string {
  const values = Array.from({ length: LENGTH - 1 }, randomValue)
  return [...values, checkValue(values)].map((value) => CHARACTERS[value]!).join('')
}

function randomValue(): number {
  // 248 is the largest multiple of 31 in a byte: above it, some characters would be more frequent
  for (;;) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    if (byte! < 248) return byte! % CHARACTERS.length
  }
}

/** The number that was typed or scanned, in its stored form; null if it cannot be one. */
export function readReferralNumber(typed: string): string | null {
  const text = latinDigits(typed)
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[IL]/g, '1')
    .replace(/O/g, '0')
  const values = [...text].map((character) => CHARACTERS.indexOf(character))
  if (values.length !== LENGTH || values.includes(-1)) return null
  return checkValue(values.slice(0, -1)) === values.at(-1) ? text : null
}

/** As it is printed, in two groups of four. */
export const spacedNumber = (number: string) => `${number.slice(0, 4)} ${number.slice(4)}`
