import { useBlocker } from '@tanstack/react-router'
import { createContext, use, useEffect, useId, useRef } from 'react'
import { confirm } from './confirm'

/** The forms of the dialog around a part of the page, by id: whether closing it would discard something. */
export const FormsOfDialog = createContext<Map<string, boolean> | null>(null)

/** Tells the dialog around a form whether closing it would discard something. */
export function useUnsavedInDialog(isDirty: boolean) {
  const forms = use(FormsOfDialog)
  const id = useId()
  useEffect(() => {
    forms?.set(id, isDirty)
    return () => void forms?.delete(id)
  }, [forms, id, isDirty])
}

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
