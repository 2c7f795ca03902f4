/**
 * The visit that what is typed now is proposed for: the first of its own day, as the visit of today saw nothing of last
 * week's paper, and last week's visit did. `chosen`: what the user chose, which stays; undefined before a choice.
 */
export const proposedVisit = (
  visits: readonly { id: string; day: string }[],
  day: string,
  chosen: string | null | undefined,
): string | null =>
  chosen === undefined ? (visits.find((visit) => visit.day === day)?.id ?? null) : chosen
