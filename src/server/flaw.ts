/** Deeper than any form or record, and far from the end of the stack of what follows values downwards. */
const DEEPEST = 64
/** More values than the largest push holds. */
const MOST = 3_000_000

/**
 * What is wrong with a value that was sent, whatever its schema: too deep, too many values, or text
 * that PostgreSQL does not keep (NUL, half a surrogate pair). Iterative, and without a list of
 * entries for each object: `[[],[],…]` of 24 MB took 1.6 GB that way.
 */
export function findInputFlaw(value: unknown, deepest = DEEPEST): 'size' | 'characters' | null {
  let level: object[] = []
  let hasFlawedText = isFlawedText(value)
  if (isContainer(value)) level.push(value)
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return 'size'
    const next: object[] = []
    for (const container of level) {
      // keys of an array are numbers: nothing to check in them
      const isList = Array.isArray(container)
      for (const key in container) {
        if (!Object.hasOwn(container, key)) continue
        count += 1
        if (count > MOST) return 'size'
        const inner = (container as Record<string, unknown>)[key]
        if (isContainer(inner)) next.push(inner)
        else hasFlawedText ||= isFlawedText(inner)
        if (!isList) hasFlawedText ||= isFlawedText(key)
      }
    }
    level = next
  }
  return hasFlawedText ? 'characters' : null
}

/** Bytes are no values. */
const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)

const isFlawedText = (value: unknown) =>
  typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())
