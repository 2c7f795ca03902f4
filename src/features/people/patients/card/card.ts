import { latinDigits } from '~/fields/typed'

const DIGITS = 39
const CHECK = 97n

/**
 * The code on a patient's card: the id as a number with two check digits. Digits alone survive a scanner that types
 * through a keyboard of any language.
 */
export function cardCode(patientId: string): string {
  const number = BigInt(`0x${patientId.replaceAll('-', '')}`)
  return String(number).padStart(DIGITS, '0') + String(number % CHECK).padStart(2, '0')
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** The patient that a scanned card, or a copied address of a record, means; null for any other text. */
export function patientOfCard(text: string): string | null {
  const address = UUID.exec(text)
  if (address) return address[0].toLowerCase()
  const digits = latinDigits(text).replaceAll(/\s/g, '')
  if (!/^\d{41}$/.test(digits)) return null
  const number = BigInt(digits.slice(0, DIGITS))
  if (number >> 128n || number % CHECK !== BigInt(digits.slice(DIGITS))) return null
  const hex = number.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
