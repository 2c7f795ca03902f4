import { roundQuantity } from './picking'

type Moved = { batch_id: string; day: string; quantity: number }
type Balance = { batch_id: string; quantity: number }

/** The stock of batches in one clinic at the end of a day and of each later one. Days are `yyyy-MM-dd`. */
export type DailyStock = {
  /** At the end of the day. */
  on: (batchId: string, day: string) => number
  /** The least at the end of that day and of each later one: what can still have left on that day. */
  availableSince: (batchId: string, day: string) => number
  move: (moved: Moved) => void
}

type Batch = {
  /** At the end of the first day. */
  balance: number
  /** What was moved on each day after it, earliest first. */
  moved: { day: string; quantity: number }[]
}

/** Of the balances at the end of the first day, and of what was moved on later days. Earlier days are not known. */
export function dailyStock(
  first: string,
  balances: readonly Balance[],
  moved: readonly Moved[],
): DailyStock {
  const batches = new Map<string, Batch>(
    balances.map(({ batch_id, quantity }) => [batch_id, { balance: quantity, moved: [] }]),
  )
  const known = (day: string) => {
    if (day < first) throw new Error(`The stock was read from ${first} on, not on ${day}.`)
  }
  const move = ({ batch_id, day, quantity }: Moved) => {
    known(day)
    const batch = batches.get(batch_id) ?? { balance: 0, moved: [] }
    batches.set(batch_id, batch)
    if (day === first) {
      batch.balance += quantity
      return
    }
    const at = batch.moved.findLastIndex((each) => each.day <= day)
    if (batch.moved[at]?.day === day) batch.moved[at].quantity += quantity
    else batch.moved.splice(at + 1, 0, { day, quantity })
  }
  for (const each of moved) move(each)
  /** The balance at the end of the day, and how many days of movements are in it. */
  const until = (batchId: string, day: string) => {
    known(day)
    const batch = batches.get(batchId) ?? { balance: 0, moved: [] }
    let { balance } = batch
    let days = 0
    for (; days < batch.moved.length && batch.moved[days]!.day <= day; days += 1)
      balance += batch.moved[days]!.quantity
    return { balance, later: batch.moved.slice(days) }
  }
  return {
    move,
    on: (batchId, day) => roundQuantity(until(batchId, day).balance),
    availableSince(batchId, day) {
      const { balance, later } = until(batchId, day)
      let now = balance
      let least = balance
      for (const { quantity } of later) {
        now += quantity
        least = Math.min(least, now)
      }
      return Math.max(0, roundQuantity(least))
    },
  }
}
