import { type Language, languageLocale } from '~/shared/language'
import table from './texts.json'

/** Shipped texts: no illness, no program, no result. The English and Spanish ones fit the GSM alphabet. */
export const SHIPPED_TEXTS: Readonly<Record<Language, string>> = table.texts
export const LONGEST_TEXT = 600

type Filled = { name: string; clinic: string; date: string; phone: string | null }
const KNOWN = /\{(name|clinic|date|phone)\}/g

/** The first placeholder that Sanad does not know, or a brace without its other half. */
export const unknownPlaceholder = (body: string): string | undefined =>
  body.replaceAll(KNOWN, '').match(/\{[^{}]*\}?|\}/)?.[0]

/** Without the sentences that need the phone of a clinic that has none. */
const withoutPhone = (body: string): string =>
  body
    .split(/(?<=[.!?؟])\s+/)
    .filter((sentence) => !sentence.includes('{phone}'))
    .join(' ') || body

export function fillText(body: string, values: Filled): string {
  const { phone } = values
  return (phone ? body : withoutPhone(body))
    .replaceAll(KNOWN, (_, name: keyof Filled) => values[name] ?? '')
    .trim()
}

/** `yyyy-MM-dd` as people write it, in the digits of the screens. */
export const dayText = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(languageLocale(language), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))

/** 3GPP TS 23.038: the default alphabet, and the characters that need an escape before them. */
const GSM =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
  'abcdefghijklmnopqrstuvwxyzäöñüà'
const GSM_ESCAPED = '^{}\\[~]|€\f'
const units = (of: string, cost: number) =>
  Array.from(of, (character) => [character, cost] as const)
const GSM_UNITS = new Map([...units(GSM, 1), ...units(GSM_ESCAPED, 2)])

/**
 * How many text messages a text needs: 160 units of the GSM alphabet in one, 153 in each of several; with any other
 * character (Arabic) 70, and 67. An escaped character or a surrogate pair is never divided.
 * `most`: the units that one of them holds.
 */
export function messageSize(text: string): { parts: number; units: number; most: number } {
  const characters = Array.from(text)
  const isGsm = characters.every((character) => GSM_UNITS.has(character))
  const costs = characters.map((character) =>
    isGsm ? GSM_UNITS.get(character)! : character.length,
  )
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  const [alone, each] = isGsm ? [160, 153] : [70, 67]
  if (total <= alone) return { parts: total === 0 ? 0 : 1, units: total, most: alone }
  let [parts, used] = [1, 0]
  for (const cost of costs) {
    if (used + cost > each) [parts, used] = [parts + 1, 0]
    used += cost
  }
  return { parts, units: total, most: each }
}
