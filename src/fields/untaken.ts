import { useRef, useState } from 'react'
import { useSay } from '~/shared/say'
import { REFUSES } from './refuses'

/**
 * For a list that is searched by typing: a text that was left without choosing an option stays, in red, and the form is
 * not saved. Mantine would put the chosen option back, and what was typed would be lost without a word.
 */
export function useUntaken(label: string, error: string | undefined) {
  const say = useSay()
  const [search, setSearch] = useState(label)
  const [isUntaken, setUntaken] = useState(false)
  const isLeaving = useRef(false)
  const [shown, setShown] = useState(label)
  // chosen, loaded, or changed by another user
  if (shown !== label) {
    setShown(label)
    setSearch(label)
    setUntaken(false)
  }
  return {
    searchValue: search,
    onSearchChange(next: string) {
      if (isLeaving.current) return
      setSearch(next)
      setUntaken(false)
    },
    onBlurCapture() {
      isLeaving.current = true
    },
    /** Called when the box has been left. */
    leave() {
      isLeaving.current = false
      const hasText = search.trim() !== '' && search !== label
      setUntaken(hasText)
      if (!hasText) setSearch(label)
    },
    error: isUntaken ? say('form.notTaken') : error,
    'aria-invalid': isUntaken || Boolean(error) || undefined,
    [REFUSES]: isUntaken || undefined,
  }
}
