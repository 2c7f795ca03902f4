import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'

/** The medicine of a line of text; its ingredients are empty if no known name begins the text. */
type TextMedicine = { name: string; ingredients: string[] }

/** The medicines that a phone wrote into `items` of a prescription, by the name in each entry. */
export const textMedicinesIn = (stored: unknown): TextMedicine[] =>
  Array.isArray(stored) ? stored.flatMap(parseTextMedicine) : []

/** Of one entry: a text, or an object with a name. */
export function parseTextMedicine(entry: unknown): TextMedicine[] {
  const parts =
    entry !== null && typeof entry === 'object'
      ? (entry as Record<string, unknown>)
      : { name: entry }
  const name =
    parts['name'] ??
    parts['drug_name'] ??
    parts['medication'] ??
    parts['medicine'] ??
    Object.values(parts).find((part) => typeof part === 'string')
  return typeof name === 'string' && name.trim() !== '' ? [namedIn(name)] : []
}

const MOST_WORDS = 4
const isKnown = (name: string) => parseIngredients(name).every((one) => one.isKnown)

/**
 * "Warfarin 5 mg once a day": the medicine is the longest beginning that is known, and the whole text stays an unknown
 * ingredient, because the rest may name another medicine.
 */
function namedIn(text: string): TextMedicine {
  if (isKnown(text)) return { name: text, ingredients: [text] }
  const words = text.trim().split(/\s+/)
  for (let count = Math.min(words.length - 1, MOST_WORDS); count > 0; count -= 1) {
    const beginning = words.slice(0, count).join(' ')
    if (isKnown(beginning)) return { name: text, ingredients: [beginning, text] }
  }
  return { name: text, ingredients: [] }
}

/** What phones wrote into `items`: lines of text, whatever they contain. */
export function parseFreeText(stored: unknown): string[] {
  if (!Array.isArray(stored)) return []
  return stored
    .map((entry: unknown) => {
      if (typeof entry === 'string') return entry
      if (entry === null || typeof entry !== 'object') return String(entry)
      return Object.values(entry)
        .filter((value) => ['string', 'number'].includes(typeof value) && value !== '')
        .join(' · ')
    })
    .filter(Boolean)
}
