import { useSyncExternalStore } from 'react'

type Name = { given: string; family: string }

/**
 * State that lives outside of components: each component that reads it is drawn again when it changes,
 * wherever it is on the page.
 */
function createStore<T>(initial: T) {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next: T) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const nameStore = createStore<Name>({ given: 'Jane', family: 'Doe' })

export const useName = () => useSyncExternalStore(nameStore.subscribe, nameStore.get, nameStore.get)
