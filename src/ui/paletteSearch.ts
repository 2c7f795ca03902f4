import type { Actor } from '~/shared/actor'
import { LANGUAGES, type MessageKey } from '~/shared/language'
import { messagesOf } from './messages'
import { areasFor, type Screen } from './navigation'

export type Found = { id: string; label: string; description?: string; to: string }

/** Records of one kind, as a feature lends them to the palette. */
export type RecordSource = { label: MessageKey; find: (text: string, signal: AbortSignal) => Promise<Found[]> }

/** As people type it: without accents, vowel signs and the forms of alef. */
export const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}|ـ/gu, '')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه')
    .toLowerCase()

/** This person's screens whose name has every typed word in it, in any of the three languages. */
export function findScreens(actor: Actor, text: string): Screen[] {
  const words = plain(text).split(/\s+/).filter(Boolean)
  const screens = areasFor(actor).flatMap((area) => area.screens)
  return screens.filter(({ label }) => {
    const names = LANGUAGES.map((language) => plain(sentenceAt(messagesOf(language), label)))
    return names.some((name) => words.every((word) => name.includes(word)))
  })
}

function sentenceAt(messages: object, key: MessageKey): string {
  const found = key
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], messages)
  return typeof found === 'string' ? found : ''
}
