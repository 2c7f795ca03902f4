import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { confirm } from './confirm'

/**
 * Asks before a page with unsaved changes is left, by a link, the back button or the tab's cross.
 * Set the returned ref to true while saving: the save itself then moves on freely.
 */
export function useUnsavedWarning(isDirty: boolean) {
  const mayLeaveRef = useRef(false)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // a filter or a tab in the address is still the same page
      if (!isDirty || mayLeaveRef.current || current.pathname === next.pathname) return false
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
