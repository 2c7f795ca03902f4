import { rounded } from './picking'

type Moved = { batch_id: string; day: string; quantity: number }

/** The stock of batches in one clinic at the end of each day. Days are `yyyy-MM-dd`. */
export type DailyStock = {
  /** At the end of the day. */
  on: (batchId: string, day: string) => number
  /** The least at the end of that day and of each later one: what can still have left on that day. */
  availableSince: (batchId: string, day: string) => number
  move: (moved: Moved) => void
}

/** Of what was moved on each day. */
export function dailyStock(moved: readonly Moved[]): DailyStock {
  const batches = new Map<string, Map<string, number>>()
  const move = ({ batch_id, day, quantity }: Moved) => {
    const days = batches.get(batch_id) ?? new Map<string, number>()
    batches.set(batch_id, days.set(day, (days.get(day) ?? 0) + quantity))
  }
  for (const each of moved) move(each)
  const on = (batchId: string, day: string) =>
    rounded(
      [...(batches.get(batchId) ?? [])]
        .filter(([each]) => each <= day)
        .reduce((sum, [, quantity]) => sum + quantity, 0),
    )
  return {
    on,
    move,
    availableSince(batchId, day) {
      let balance = on(batchId, day)
      let least = balance
      const later = [...(batches.get(batchId) ?? [])].filter(([each]) => each > day)
      for (const [, quantity] of later.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        balance += quantity
        least = Math.min(least, balance)
      }
      return Math.max(0, rounded(least))
    },
  }
}
