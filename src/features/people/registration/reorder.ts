import { type KeyboardEvent, type PointerEvent, useState } from 'react'

/**
 * Reorders the entries of a list by a handle: dragged with a mouse or a finger, or moved by the
 * arrow keys while it has the focus, or by the two buttons beside it. The entries are the children of an `<ol>`.
 */
export function useReorder(onMove: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number | null>(null)
  const stop = () => setDragged(null)

  const handle = (at: number) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setDragged(at)
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const to = dragged === null ? null : placeUnder(event, dragged)
      if (dragged === null || to === null || to === dragged) return
      onMove(dragged, to)
      setDragged(to)
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
      if (!step) return
      event.preventDefault()
      onMove(at, at + step)
    },
    onStep: (step: -1 | 1) => onMove(at, at + step),
    style: { touchAction: 'none', cursor: dragged === null ? 'grab' : 'grabbing' } as const,
  })
  return { dragged, handle }
}

/**
 * The position of the dragged entry: it passes a neighbour when the pointer passes the neighbour's
 * middle.
 */
function placeUnder(
  { currentTarget, clientY }: PointerEvent<HTMLElement>,
  dragged: number,
): number | null {
  const list = currentTarget.closest('ol')
  if (!list) return null
  const middles = [...list.children].map((entry) => {
    const { top, height } = entry.getBoundingClientRect()
    return top + height / 2
  })
  const passedAbove = middles.findIndex((middle, at) => at < dragged && clientY < middle)
  if (passedAbove !== -1) return passedAbove
  const passedBelow = middles.findLastIndex((middle, at) => at > dragged && clientY > middle)
  return passedBelow === -1 ? dragged : passedBelow
}
