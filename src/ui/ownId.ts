import { useState } from 'react'

/**
 * The id of what a form writes. Of a new record (`asked` is what its address asks for; null: an existing one) it is the
 * one that the screen opened with: its data may be read again while the user types, and bring another each time.
 */
export function useOwnId(id: string, asked: object | null): string {
  const wanted = asked && JSON.stringify(asked)
  const [opened, setOpened] = useState({ id, wanted })
  if (opened.wanted !== wanted) setOpened({ id, wanted })
  return wanted !== null && opened.wanted === wanted ? opened.id : id
}
