import { useEffect } from 'react'

type Box = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

declare global {
  interface Window {
    /** Input before hydration: values by input, the button or list pressed last, and whether the user went back. */
    early?: {
      typed: Map<Box, { value: string; checked?: boolean }>
      pressed: HTMLElement | null
      left: boolean
    }
  }
}

/**
 * A page is visible before it is hydrated, on a slow machine for seconds. React would miss what the user
 * types, selects or presses in that time, and would reset it. So the page's first script records it
 * (docs/decisions/0017). A form is sent after hydration, by the button that was pressed: the browser itself would leave
 * the page. After the back button the address is not that of the page that React would
 * hydrate: the page of that address is loaded.
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
  addEventListener('submit', (event) => isOver() || event.preventDefault(), true)
})()`

/** Replays the recorded input after hydration, in the elements that still exist. */
export function useEarly() {
  useEffect(() => {
    const { early } = window
    if (!early) return
    delete window.early
    // after the effect: React must hydrate the part of the page that holds an input before it receives the event
    setTimeout(() => {
      for (const [box, was] of early.typed) if (box.isConnected) replay(box, was)
      if (early.pressed?.isConnected) early.pressed.click()
    })
  }, [])
}

function replay(box: Box, { value, checked }: { value: string; checked?: boolean }) {
  const dispatch = () =>
    box.dispatchEvent(
      new Event(box instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
    )
  // the first event hydrates this part of the page, which takes the current value for the rendered one
  dispatch()
  if (box instanceof HTMLInputElement && (box.type === 'checkbox' || box.type === 'radio')) {
    box.checked = !checked
    box.click()
    return
  }
  if (box instanceof HTMLInputElement && box.type === 'file') {
    box.dispatchEvent(new Event('change', { bubbles: true }))
    return
  }
  // React tracks values that are set on the element; only the prototype's setter makes it see a change
  box.value = value ? '' : '0'
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), 'value')?.set?.call(box, value)
  dispatch()
}
