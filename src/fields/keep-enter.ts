import type { FocusEvent, KeyboardEvent, MouseEvent } from 'react'

/**
 * Enter in an open list chooses the marked line; it must not submit the form. Mantine forgets
 * which line is marked in the tick after a list opens, so Enter typed quickly would choose nothing:
 * the mark on the page decides.
 */
export function keepEnter(event: KeyboardEvent<HTMLInputElement>) {
  const { currentTarget: input, nativeEvent } = event
  // the role's own state is announced only once the list has been drawn
  const isOpen = input.dataset['expanded'] !== undefined
  if (event.key !== 'Enter' || !isOpen || nativeEvent.isComposing) return
  event.preventDefault()
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '')
  list?.querySelector<HTMLElement>('[data-combobox-selected]')?.click()
}

/** What is typed into a list that shows a choice replaces its text. */
export const selectText = ({
  currentTarget,
}: FocusEvent<HTMLInputElement> | MouseEvent<HTMLInputElement>) => currentTarget.select()
