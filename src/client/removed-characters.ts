import { useEffect } from 'react'

const EVENT = 'sanad:removed-characters'

/** Says that a save has removed characters that no text keeps (`cleanText`). */
export const announceRemovedCharacters = () => window.dispatchEvent(new Event(EVENT))

/** Hears of it: the frame does, and says so. */
export function useRemovedCharacters(hear: () => void) {
  useEffect(() => {
    window.addEventListener(EVENT, hear)
    return () => window.removeEventListener(EVENT, hear)
  }, [hear])
}
