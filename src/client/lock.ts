/** When this browser was last touched, and when a lock was last closed or opened, in whichever tab. */
const KEY = 'sanad_touched'
const NEWS = 'sanad_lock'
const EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const
const WRITE_EVERY_MS = 5_000

let limit = Infinity
let isShown = false

/**
 * While this is so, nothing asks the server for anything: the answer would be no, and the screen
 * beneath would be lost.
 */
export const isScreenLocked = () => isShown || idleFor() > limit

export const setLockShown = (shown: boolean) => {
  isShown = shown
}

/** Milliseconds since the user touched the mouse, the keyboard or the screen. */
export const idleFor = () => Date.now() - Number(localStorage.getItem(KEY) ?? Date.now())

export const touch = () => localStorage.setItem(KEY, String(Date.now()))

/** Notes every touch from now on; the screen counts as locked after `limitMs` without one. Returns how to stop. */
export function watchTouches(limitMs: number): () => void {
  limit = limitMs
  let written = 0
  const note = () => {
    if (isScreenLocked() || Date.now() - written < WRITE_EVERY_MS) return
    written = Date.now()
    touch()
  }
  for (const event of EVENTS) window.addEventListener(event, note, { passive: true })
  return () => {
    limit = Infinity
    for (const event of EVENTS) window.removeEventListener(event, note)
  }
}

/** Tells the other tabs that the screen was locked or opened. */
export const tellTabs = (locked: boolean) =>
  localStorage.setItem(NEWS, `${locked ? 'locked' : 'open'} ${Date.now()}`)

/** Hears what other tabs tell. Returns how to stop. */
export function hearTabs(hear: (locked: boolean) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === NEWS && newValue) hear(newValue.startsWith('locked'))
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}
