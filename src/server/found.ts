/**
 * Whether an answer says that there is something: by its total, else by its rows, else by any value in it. A page
 * beyond the last has no rows and a total.
 */
export function isAnythingIn(answer: unknown): boolean {
  if (Array.isArray(answer)) return answer.length > 0
  if (typeof answer !== 'object' || answer === null) return Boolean(answer)
  // a date, a file
  if (Object.getPrototypeOf(answer) !== Object.prototype) return true
  const { pagination, total, rows } = answer as {
    pagination?: { total?: unknown }
    total?: unknown
    rows?: unknown
  }
  const count = pagination?.total ?? total
  if (typeof count === 'number') return count > 0
  if (Array.isArray(rows)) return rows.length > 0
  return Object.values(answer).some(isAnythingIn)
}
