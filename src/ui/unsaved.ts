import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { confirm } from './confirm'

/**
 * Asks before a page with unsaved changes is left, by a link, the back button or the tab's cross.
 * Set the returned ref to true while saving: the save itself then moves on freely. `subject` is the parameter of the
 * address that says what the page is about, where the path alone does not.
 */
export function useUnsavedWarning(isDirty: boolean, subject?: string) {
  const mayLeaveRef = useRef(false)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // a filter or a tab in the address is still the same page
      if (!isDirty || mayLeaveRef.current || isSamePage(current, next, subject)) return false
      return !(await confirm({
        title: 'form.unsavedTitle',
        text: 'form.unsavedText',
        action: 'form.leave',
        cancel: 'form.stay',
        destructive: true,
      }))
    },
    enableBeforeUnload: () => isDirty && !mayLeaveRef.current,
  })
  return mayLeaveRef
}

type Place = { pathname: string; search: object }

function isSamePage(current: Place, next: Place, subject: string | undefined) {
  const about = ({ search }: Place) => subject && (search as Record<string, unknown>)[subject]
  return current.pathname === next.pathname && about(current) === about(next)
}
