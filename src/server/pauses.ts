import { setImmediate as nextTurn } from 'node:timers/promises'

export type Pause = () => Promise<void>

/** Milliseconds of work after which others get a turn. */
const WORK = 5

/**
 * Lets the process turn to what has arrived, once it has worked for some milliseconds since the last pause. For long
 * computations: call it before each piece.
 */
export function pauses(): Pause {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < WORK) return
    await nextTurn()
    since = performance.now()
  }
}
