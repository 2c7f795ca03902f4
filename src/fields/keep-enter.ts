import type { KeyboardEvent } from 'react'

/** Enter in an open list chooses; it must not submit the form. */
export function keepEnter(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key === 'Enter' && event.currentTarget.getAttribute('aria-expanded') === 'true')
    event.preventDefault()
}
