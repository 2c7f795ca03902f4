const DAY = 86_400_000

type Age = { madeAt: Date | null; chosenAt: Date | null; days: number }

/** Whether the last good copy is too old. Without a copy, the days count from the choice of the folder. */
export function isOldCopy({ madeAt, chosenAt, days }: Age, now: Date): boolean {
  const since = madeAt ?? chosenAt
  // a time in the future was written by a clock that was ahead: the age of the copy is unknown
  return since !== null && Math.abs(now.getTime() - since.getTime()) > days * DAY
}
