import { useEffect } from 'react'

/**
 * A page is on the screen before it answers: on a slow machine for seconds. What somebody presses in that time would be
 * lost without a word, so the page's first script remembers the last button that was pressed, by mouse or by keyboard.
 */
export const rememberEarlyPress = `addEventListener('click', function remember(event) {
  if (document.documentElement.dataset.answers) removeEventListener('click', remember, true)
  else window.pressedEarly = event.target.closest('button')
}, true)`

declare global {
  interface Window {
    pressedEarly?: HTMLButtonElement | null
  }
}

/** Presses it once the page answers. A button that is not there any more, or is disabled, stays as it is. */
export function useEarlyPress() {
  useEffect(() => {
    document.documentElement.dataset['answers'] = 'true'
    const button = window.pressedEarly
    window.pressedEarly = null
    // not from within an effect: React wakes the part of the page that holds the button before it hands on the press
    setTimeout(() => button?.isConnected && button.click())
  }, [])
}
