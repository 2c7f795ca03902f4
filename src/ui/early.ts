import { useEffect } from 'react'

type Box = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

declare global {
  interface Window {
    /**
     * What was typed or chosen, by its box, the button or the list that was pressed last, and
     * whether this page was left.
     */
    early?: {
      typed: Map<Box, { value: string; checked?: boolean }>
      pressed: HTMLElement | null
      left: boolean
    }
  }
}

/**
 * A page is on the screen before it answers: on a slow machine for seconds. What the user types,
 * chooses or presses in that time React would not hear of and would take back at its first chance,
 * so the page's first script remembers it. Who goes back is at another address than the page that
 * React is about to wake: that one is fetched, as without a router.
 */
export const rememberEarly = `(() => {
  const early = (window.early = { typed: new Map(), pressed: null, left: false })
  const here = location.pathname + location.search
  const isOver = () => window.early !== early
  const keep = ({ target }) => isOver() || early.typed.set(target, { value: target.value, checked: target.checked })
  addEventListener('input', keep, true)
  addEventListener('change', keep, true)
  addEventListener('popstate', (event) => {
    if (isOver() || location.pathname + location.search === here) return
    early.left = true
    event.stopImmediatePropagation()
    location.reload()
  }, true)
  addEventListener('click', ({ target }) => {
    if (!isOver()) early.pressed = target.closest('button, [role=combobox]')
  }, true)
})()`

/** Says it all again once the screen answers, in the boxes and buttons that are still there. */
export function useEarly() {
  useEffect(() => {
    const { early } = window
    if (!early) return
    delete window.early
    // not from within an effect: React wakes the part of the page that holds a box before it hears what happened there
    setTimeout(() => {
      for (const [box, was] of early.typed) if (box.isConnected) sayAgain(box, was)
      if (early.pressed?.isConnected) early.pressed.click()
    })
  }, [])
}

function sayAgain(box: Box, { value, checked }: { value: string; checked?: boolean }) {
  const say = () =>
    box.dispatchEvent(
      new Event(box instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
    )
  // the first wakes this part of the page, which takes what stands in the box for what it has known all along
  say()
  if (box instanceof HTMLInputElement && (box.type === 'checkbox' || box.type === 'radio')) {
    box.checked = !checked
    box.click()
    return
  }
  if (box instanceof HTMLInputElement && box.type === 'file') {
    box.dispatchEvent(new Event('change', { bubbles: true }))
    return
  }
  // React notes what a script writes through the box itself as known, and hears of the rest
  box.value = value ? '' : '0'
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), 'value')?.set?.call(box, value)
  say()
}
