/*
 * Calls of screens come in the framework's own format (seroval), which it decodes before any schema. The format also
 * has maps, errors, regular expressions, typed arrays, promises and streams; screens send plain values and dates alone.
 */

/** Seroval's numbers for: a number, a text, a constant, a repeated value, a date, a list, an object. */
const KNOWN = new Set<unknown>([0, 1, 2, 4, 5, 9, 10])

/** Whether the input of a call, still encoded, holds only types that screens send. */
export async function holdsKnownTypes(request: Request): Promise<boolean> {
  if (request.method === 'GET') {
    const payload = new URL(request.url).searchParams.get('payload')
    return payload === null || isKnown(payload)
  }
  const type = request.headers.get('content-type')
  if (type === null) return true
  return type.includes('application/json') && isKnown(await request.clone().text())
}

function isKnown(text: string): boolean {
  const waiting: unknown[] = []
  try {
    waiting.push(JSON.parse(text))
  } catch {
    // the framework refuses what is no JSON
    return true
  }
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    // the outermost `t` is the whole value
    if ('t' in value && typeof value.t !== 'object' && !KNOWN.has(value.t)) return false
    for (const one of Object.values(value)) if (typeof one === 'object') waiting.push(one)
  }
  return true
}
