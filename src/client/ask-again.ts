import { useSyncExternalStore } from 'react'

let actions = 0
const readers = new Set<() => void>()
const subscribe = (reader: () => void) => {
  readers.add(reader)
  return () => readers.delete(reader)
}

/**
 * Every shown query asks again: an action was made, undone or refused, and what is stored may differ from what is
 * shown.
 */
export function askAgain() {
  actions += 1
  for (const reader of readers) reader()
}

/** Another number after each action. */
export const useActionCount = () =>
  useSyncExternalStore(
    subscribe,
    () => actions,
    () => 0,
  )
