import { use } from 'react'
import type { Language, Messages } from '~/shared/language'

type Part = Partial<Messages>
type Load = () => Promise<{ default: Part }>

/** A server has each language as a whole; the browser's build divides it (scripts/build/browser-messages.ts). */
const whole: Record<Language, Load> = {
  en: () => import('../../messages/en.json'),
  ar: () => import('../../messages/ar.json'),
  es: () => import('../../messages/es.json'),
}
const first: Record<Language, Load> = import.meta.env.SSR
  ? whole
  : {
      en: () => import('../../messages/en.json?first'),
      ar: () => import('../../messages/ar.json?first'),
      es: () => import('../../messages/es.json?first'),
    }
const rest: Record<Language, Load> | null = import.meta.env.SSR
  ? null
  : {
      en: () => import('../../messages/en.json?rest'),
      ar: () => import('../../messages/ar.json?rest'),
      es: () => import('../../messages/es.json?rest'),
    }

const loaded: Partial<Record<Language, Messages>> = {}
const complete = new Set<Language>()
const parts = new Map<Load, Promise<void>>()
const listeners = new Set<() => void>()

/** One part of a language, fetched once; again if it could not be fetched. */
function part(language: Language, load: Load): Promise<void> {
  const known = parts.get(load)
  if (known) return known
  const added = add(language, load)
  parts.set(load, added)
  return added
}

async function add(language: Language, load: Load) {
  try {
    const { default: more } = await load()
    loaded[language] = merged(loaded[language] ?? {}, more) as Messages
    for (const listener of listeners) listener()
  } catch (error) {
    parts.delete(load)
    throw error
  }
}

/** Fetches the sentences of one language. Before the first render, so that no screen ever shows a key. */
export async function loadMessages(language: Language): Promise<void> {
  await Promise.all([
    part(language, first[language]),
    ...(rest ? [part(language, rest[language])] : []),
  ])
  complete.add(language)
}

/** Those that the screen at this address needs: the one after the sign-in does not wait for the words of all others. */
export const loadMessagesAt = (pathname: string, language: Language): Promise<void> =>
  /^\/app\/?$/.test(pathname) ? part(language, first[language]) : loadMessages(language)

/** Whether a sentence that is missing now is still to come. */
export const areAllLoaded = (language: Language) => !rest || complete.has(language)

export function loadedMessages(language: Language): Messages {
  const messages = loaded[language]
  if (!messages) throw new Error(`The messages of "${language}" are used before loadMessages`)
  return messages
}

/** For `useSyncExternalStore`: `loadedMessages` answers with another object once more of a language has come. */
export function onMessages(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const coming: Partial<Record<Language, Promise<Messages>>> = {}

/** The same for a part of a page in another language: waits for them. The server has them, a browser may not yet. */
export function useMessages(language: Language): Messages {
  if (loaded[language] && areAllLoaded(language)) return loadedMessages(language)
  return use((coming[language] ??= loadMessages(language).then(() => loadedMessages(language))))
}

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function merged(one: Tree, other: Tree): Tree {
  const result = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const known = result[name]
    result[name] = isTree(known) && isTree(value) ? merged(known, value) : value
  }
  return result
}
