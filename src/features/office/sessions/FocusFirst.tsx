import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** Focuses the first input when it appears: the next step of what the user just asked for. */
export function FocusFirst({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const first = box.current?.querySelector('input')
    // read by the focus trap of a dialog, which would take the button that closes it
    first?.setAttribute('data-autofocus', '')
    first?.focus()
  }, [])
  return <div ref={box}>{children}</div>
}
