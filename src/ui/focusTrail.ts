import type { RegisteredRouter } from '@tanstack/react-router'

/** Where the focus has been on this screen, newest last. */
let trail: HTMLElement[] = []
const LONGEST = 20
/** After Mantine has returned the focus itself, where it can. */
const SETTLE_MS = 60
/** After the closing of a menu or a palette has been drawn. */
const CLOSED_MS = 400

/** The screen has been drawn and no key was pressed on it yet. */
let isNew = false

/** Notes where the focus goes, and moves it to the heading of each new screen. Returns how to stop. */
export function followFocus(router: RegisteredRouter): () => void {
  // the page was on the screen, and may have been used, before it answers
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement !== document.body)
    trail = [activeElement]
  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return
    trail = [...trail.filter((element) => element !== target && element.isConnected), target].slice(
      -LONGEST,
    )
  }
  document.addEventListener('focusin', note)
  const forget = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (pathChanged) trail = []
  })
  const announce = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return
    isNew = true
    for (const wait of [SETTLE_MS, CLOSED_MS]) setTimeout(() => isNew && focusNewScreen(), wait)
  })
  // a menu that the user opens meanwhile is not closed by the heading
  const begin = () => (isNew = false)
  document.addEventListener('keydown', begin, true)
  return () => {
    document.removeEventListener('focusin', note)
    document.removeEventListener('keydown', begin, true)
    forget()
    announce()
  }
}

/** A screen that put the focus into one of its fields, or opened a dialog, keeps it. */
function focusNewScreen() {
  const { activeElement } = document
  const isOwn =
    activeElement?.closest('#content, [role="dialog"]') && activeElement.id !== 'content'
  if (!isOwn || activeElement?.tagName === 'H1') focusHeading()
}

/** Focused, it is read out as the name of the screen. */
function focusHeading() {
  const heading = document.querySelector<HTMLElement>('#content h1')
  if (!heading || heading === document.activeElement) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/**
 * Brings back a focus that was lost with what held it: a dialog that closed, a button that was
 * disabled while saving, a row that was deleted. It goes to the latest place that is still on the
 * screen, of a menu's item to the menu's button.
 */
export function returnFocusSoon() {
  setTimeout(() => {
    if (document.activeElement && document.activeElement !== document.body) return
    const last = trail.findLast(
      (element) =>
        element.isConnected && element.checkVisibility() && !element.matches(':disabled'),
    )
    if (last) last.focus({ preventScroll: true })
    else focusHeading()
  }, SETTLE_MS)
}
