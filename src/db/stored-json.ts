/**
 * Levels of JSON that are stored and answered. No form or record has more than 64. `JSON.stringify`, comparisons, the
 * serializer of the screens and React follow values downwards on the stack: 4,500 levels end it.
 */
export const DEEPEST_STORED = 512

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Whether a JSON text has more levels than are stored; without the stack, and without parsing it. */
export function isTooDeep(text: string): boolean {
  // each level takes two brackets
  if (text.length <= 2 * DEEPEST_STORED) return false
  let isDeep = false
  walk(text, (_at, depth) => {
    isDeep = depth > DEEPEST_STORED
    return isDeep
  })
  return isDeep
}

/**
 * Parses stored JSON, which may be older than the limit: what is nested deeper is its own text, so that each reader of
 * the value survives it and none of it is lost.
 */
export function parseStored(text: string): unknown {
  return JSON.parse(isTooDeep(text) ? flattened(text) : text)
}

function flattened(text: string): string {
  const parts: string[] = []
  let from = 0
  let deep = -1
  walk(text, (at, depth, isOpening) => {
    if (isOpening && depth === DEEPEST_STORED + 1) {
      parts.push(text.slice(from, at))
      deep = at
    } else if (!isOpening && depth === DEEPEST_STORED && deep >= 0) {
      parts.push(JSON.stringify(text.slice(deep, at + 1)))
      from = at + 1
      deep = -1
    }
    return false
  })
  return [...parts, text.slice(from)].join('')
}

/** Calls `visit` for each bracket outside of texts, with the number of levels after it; it returns true to stop. */
function walk(text: string, visit: (at: number, depth: number, isOpening: boolean) => boolean) {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(text, at)
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1
      if (visit(at, depth, true)) return
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1
      if (visit(at, depth, false)) return
    }
  }
}

/** The closing quote of the text that begins at `from`. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return text.length
}
