import type { Actor } from '~/shared/actor'
import { LANGUAGES, type MessageKey } from '~/shared/language'
import { loadedMessages } from '~/ui/messages'
import { areasFor, type Screen } from './navigation'

export type PaletteEntry = { id: string; label: string; description?: string; to: string }

/** Records of one kind, as a feature lends them to the palette. */
export type RecordSource = {
  label: MessageKey
  find: (text: string, signal: AbortSignal) => Promise<PaletteEntry[]>
}

/** As people type it: without accents, vowel signs and the forms of alef. */
export const foldText = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}|ـ/gu, '')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه')
    .toLowerCase()

/**
 * 0: the whole name; 1: each typed word begins one of its words; 2: each is within one. Null: not
 * found by its letters.
 */
function closeness(name: string, words: readonly string[]): number | null {
  if (name === words.join(' ')) return 0
  const parts = name.split(/[^\p{L}\p{N}]+/u)
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1
  return words.every((word) => name.includes(word)) ? 2 : null
}

const splitWords = (text: string) => foldText(text).split(/\s+/).filter(Boolean)

/** The closest first, in their own order otherwise; what is not found by its letters is left out. */
function closestFirst<T>(all: readonly T[], closenessOf: (one: T) => number | null): T[] {
  return all
    .flatMap((one) => {
      const rank = closenessOf(one)
      return rank === null ? [] : [{ one, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one)
}

/** Of records that are misspelt, sound alike or are written in another script. */
const FUZZY = 3

/**
 * Exact and word-prefix matches first, then a few that the server found otherwise. If only a screen
 * has the typed letters, no record that merely resembles them is offered. A number has no
 * other spellings: all that it found stays.
 */
export function rankFound(
  found: readonly PaletteEntry[],
  text: string,
  hasScreens: boolean,
): PaletteEntry[] {
  if (/\d/.test(text)) return [...found]
  const words = splitWords(text)
  const byLetters = closestFirst(
    found,
    ({ label, description = '' }) =>
      closeness(foldText(label), words) ?? closeness(foldText(description), words),
  )
  if (byLetters.length === 0 && hasScreens) return []
  return [...byLetters, ...found.filter((one) => !byLetters.includes(one)).slice(0, FUZZY)]
}

/** This person's screens whose name has every typed word in it, in any of the three languages; the closest first. */
export function findScreens(actor: Actor, text: string): Screen[] {
  const words = splitWords(text)
  const screens = areasFor(actor).flatMap((area) => area.screens)
  if (words.length === 0) return screens
  return closestFirst(screens, ({ label }) => {
    const ranks = LANGUAGES.map((language) =>
      closeness(foldText(sentenceAt(loadedMessages(language), label)), words),
    )
    return ranks.reduce(
      (best, rank) => (best === null || (rank !== null && rank < best) ? rank : best),
      null,
    )
  })
}

function sentenceAt(messages: object, key: MessageKey): string {
  const found = key
    .split('.')
    .reduce<unknown>(
      (part, name) => (part as Record<string, unknown> | undefined)?.[name],
      messages,
    )
  return typeof found === 'string' ? found : ''
}
