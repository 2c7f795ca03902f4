const DAY = 86_400_000

type Age = { madeAt: Date | null; chosenAt: Date | null; days: number }

/** Whether the last good copy is too old. Without a copy, the days count from the choice of the folder. */
export function isOldCopy({ madeAt, chosenAt, days }: Age, now: Date): boolean {
  const since = madeAt ?? chosenAt
  return since !== null && now.getTime() - since.getTime() > days * DAY
}
