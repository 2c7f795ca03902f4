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
