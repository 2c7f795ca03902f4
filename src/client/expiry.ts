import { useEffect } from 'react'

const EVENT = 'sanad:session-expired'

/** Says that the server no longer knows who this is. The screen stays as it is; a dialog offers to sign in again. */
export const announceExpiry = () => window.dispatchEvent(new Event(EVENT))

/** Hears of it: the dialog does, and so may the idle lock. */
export function useExpiry(onExpiry: () => void) {
  useEffect(() => {
    window.addEventListener(EVENT, onExpiry)
    return () => window.removeEventListener(EVENT, onExpiry)
  }, [onExpiry])
}
