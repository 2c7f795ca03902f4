import { type ReactNode, useEffect, useRef } from 'react'

/** Puts the cursor into the first input when it appears: the next step of something that has just been asked for. */
export function FocusFirst({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('input')?.focus(), [])
  return <div ref={box}>{children}</div>
}
