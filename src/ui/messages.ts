import { use } from 'react'
import type { Language, Messages } from '~/shared/language'

const loaders: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('../../messages/en.json'),
  ar: () => import('../../messages/ar.json'),
  es: () => import('../../messages/es.json'),
}
const loaded: Partial<Record<Language, Messages>> = {}

/** Fetches the sentences of one language. Before the first render, so that no screen ever shows a key. */
export async function loadMessages(language: Language): Promise<void> {
  loaded[language] ??= (await loaders[language]()).default
}

export function messagesOf(language: Language): Messages {
  const messages = loaded[language]
  if (!messages) throw new Error(`The messages of "${language}" are used before loadMessages`)
  return messages
}

const coming: Partial<Record<Language, Promise<Messages>>> = {}

/** The same for a part of a page in another language: waits for them. The server has them, a browser may not yet. */
export function useMessages(language: Language): Messages {
  const messages = loaded[language]
  if (messages) return messages
  return use((coming[language] ??= loadMessages(language).then(() => messagesOf(language))))
}
