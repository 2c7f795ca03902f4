import type { MouseEvent } from 'react'

/**
 * As Tab does, the click that enters a filled box selects what is in it, so that what is typed replaces it. A second
 * click places the cursor.
 */
export function selectsWhole(event: MouseEvent<HTMLInputElement>) {
  const box = event.currentTarget
  if (event.button !== 0 || document.activeElement === box || box.value === '') return
  // the browser would place the cursor
  event.preventDefault()
  box.focus()
  box.select()
}
