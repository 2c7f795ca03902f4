/**
 * The visit that what is typed now is proposed for: none where it happened on another day than the visit, as the visit
 * of today saw nothing of last week's paper. `chosen`: what the user chose, which stays; undefined before a choice.
 */
export const proposedVisit = (
  suggested: { id: string; day: string } | undefined,
  day: string,
  chosen: string | null | undefined,
): string | null => (chosen === undefined ? (suggested?.day === day ? suggested.id : null) : chosen)
