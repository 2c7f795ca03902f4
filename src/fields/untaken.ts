import type { SelectProps } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useSay } from '~/shared/say'
import { REFUSES } from './refuses'

/**
 * For a list that is searched by typing: a text that was left without choosing an option stays, in red, and the form is
 * not saved. Mantine would put the chosen option back, and what was typed would be lost without a word. The text is
 * that of `searchValue` if the list is searched on the server.
 */
export function useUntaken(
  label: string,
  error: ReactNode,
  { searchValue, onSearchChange }: Pick<SelectProps, 'searchValue' | 'onSearchChange'> = {},
) {
  const say = useSay()
  const [own, setOwn] = useState(label)
  const search = searchValue ?? own
  const setSearch = (next: string) => {
    setOwn(next)
    onSearchChange?.(next)
  }
  const [isUntaken, setUntaken] = useState(false)
  const isLeaving = useRef(false)
  const isRestored = useRef(false)
  const [shown, setShown] = useState(label)
  // chosen, loaded, or changed by another user
  if (shown !== label) {
    setShown(label)
    setOwn(label)
    setUntaken(false)
  }
  return {
    searchValue: search,
    onSearchChange(next: string) {
      if (isLeaving.current) return
      isRestored.current = false
      setSearch(next)
      setUntaken(false)
    },
    onBlurCapture() {
      isLeaving.current = true
    },
    /** Called when the option that is chosen already was chosen again: no value changes, and its label comes back. */
    restore() {
      isRestored.current = true
      setSearch(label)
      setUntaken(false)
    },
    /** Called when the box has been left. */
    leave() {
      isLeaving.current = false
      const hasText = !isRestored.current && search.trim() !== '' && search !== label
      setUntaken(hasText)
      if (!hasText) setSearch(label)
    },
    error: isUntaken ? say('form.notTaken') : error,
    'aria-invalid': isUntaken || Boolean(error) || undefined,
    [REFUSES]: isUntaken || undefined,
  }
}
