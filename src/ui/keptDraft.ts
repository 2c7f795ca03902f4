import { useState, useSyncExternalStore } from 'react'

const PREFIX = 'sanad_draft:'
/** A power cut may last a night; longer than that, a draft is patient data left unattended. */
const KEPT_HOURS = 24
const HOUR_MS = 3_600_000

type KeptDraft<T> = { at: Date; value: T }
type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/**
 * Keeps unsaved text on this device over a reload, a power cut or a lost connection. `name` begins
 * with the kind of draft and the user's id. Photos go to `sessionStorage`: a reload keeps them, and
 * closing the tab removes them.
 */
export function keepDraft(
  name: string,
  value: unknown,
  storage: DraftStorage = localStorage,
  now = new Date(),
) {
  try {
    storage.setItem(PREFIX + name, JSON.stringify({ at: now.toISOString(), value }))
  } catch {
    // storage is full or disabled: an older draft must not come back instead
    storage.removeItem(PREFIX + name)
  }
}

/** The draft as it was left; null if there is none, or it is too old or unreadable. */
export function keptDraft<T extends object>(
  name: string,
  storage: DraftStorage = localStorage,
  now = new Date(),
): KeptDraft<T> | null {
  const text = storage.getItem(PREFIX + name)
  if (text === null) return null
  try {
    const { at, value } = JSON.parse(text) as { at: string; value: T }
    const age = now.getTime() - new Date(at).getTime()
    if (age < KEPT_HOURS * HOUR_MS && typeof value === 'object' && value !== null)
      return { at: new Date(at), value }
  } catch {
    // not a draft, or truncated
  }
  storage.removeItem(PREFIX + name)
  return null
}

const neverChanges = () => () => {}

/**
 * The draft that this device kept under this name when the screen opened. The server renders
 * without one, and has no `storage`.
 */
export function useKeptDraft<T extends object>(
  name: string,
  storage: () => DraftStorage = () => localStorage,
): KeptDraft<T> | null {
  const [readOnce] = useState(() => {
    let found: { value: KeptDraft<T> | null } | undefined
    return () => (found ??= { value: keptDraft<T>(name, storage()) }).value
  })
  return useSyncExternalStore(neverChanges, readOnce, () => null)
}

export const forgetDraft = (name: string, storage: DraftStorage = localStorage) =>
  storage.removeItem(PREFIX + name)

/** At sign-out: no patient data stays on a shared computer. */
export const forgetDrafts = (storage: DraftStorage = localStorage) =>
  forgetWhere(storage, () => true)

/** When a user's first screen opens: drafts of other users, and those that are too old, leave the device. */
export const forgetDraftsOfOthers = (
  userId: string,
  storage: DraftStorage = localStorage,
  now = new Date(),
) =>
  forgetWhere(
    storage,
    (name) => name.split(':')[1] !== userId || keptDraft(name, storage, now) === null,
  )

function forgetWhere(storage: DraftStorage, isForgotten: (name: string) => boolean) {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
  for (const key of keys)
    if (key.startsWith(PREFIX) && isForgotten(key.slice(PREFIX.length))) storage.removeItem(key)
}
