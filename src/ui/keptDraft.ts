import { useState, useSyncExternalStore } from 'react'

const PREFIX = 'sanad_draft:'
/** A power cut may last a weekend; longer than that, a draft is patient data left unattended. */
const KEPT_HOURS = 72
const HOUR_MS = 3_600_000

type KeptDraft<T> = { at: Date; value: T }
type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** What is being typed, on this device, so that a reload, a power cut or a lost connection takes nothing. By person. */
export function keepDraft(
  name: string,
  value: unknown,
  shelf: Shelf = localStorage,
  now = new Date(),
) {
  try {
    shelf.setItem(PREFIX + name, JSON.stringify({ at: now.toISOString(), value }))
  } catch {
    // full, or switched off: then there is no draft, and nothing else is lost
    shelf.removeItem(PREFIX + name)
  }
}

/** The draft as it was left; null when there is none, it is too old or makes no sense. */
export function keptDraft<T extends object>(
  name: string,
  shelf: Shelf = localStorage,
  now = new Date(),
): KeptDraft<T> | null {
  const text = shelf.getItem(PREFIX + name)
  if (text === null) return null
  try {
    const { at, value } = JSON.parse(text) as { at: string; value: T }
    const age = now.getTime() - new Date(at).getTime()
    if (age < KEPT_HOURS * HOUR_MS && typeof value === 'object' && value !== null)
      return { at: new Date(at), value }
  } catch {
    // not ours, or cut off: as good as none
  }
  shelf.removeItem(PREFIX + name)
  return null
}

const neverChanges = () => () => {}

/** The draft that this device kept under this name when the screen opened. The server renders without one. */
export function useKeptDraft<T extends object>(name: string): KeptDraft<T> | null {
  const [readOnce] = useState(() => {
    let found: { value: KeptDraft<T> | null } | undefined
    return () => (found ??= { value: keptDraft<T>(name) }).value
  })
  return useSyncExternalStore(neverChanges, readOnce, () => null)
}

export const forgetDraft = (name: string, shelf: Shelf = localStorage) =>
  shelf.removeItem(PREFIX + name)

/** At signing out: nothing of anybody's patients stays on a shared computer. */
export function forgetDrafts(shelf: Shelf = localStorage) {
  const names = Array.from({ length: shelf.length }, (_, at) => shelf.key(at))
  for (const name of names) if (name?.startsWith(PREFIX)) shelf.removeItem(name)
}
