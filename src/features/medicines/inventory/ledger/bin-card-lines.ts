import { roundQuantity } from '../changes/picking'

type Moved = {
  id: string
  day: string
  entered_on: string | null
  reference_id: string
  batch_id: string
  transaction_type: string
  quantity: number
  drug_balance: number
}

/**
 * The lines of a bin card, oldest first as the rows: what was entered late and posted in parts, because its receipt
 * was entered after it, is one line. The balance runs from the first row.
 */
export function binCardLines<R extends Moved>(rows: readonly R[]): R[] {
  const [first] = rows
  if (!first) return []
  let balance = first.drug_balance - first.quantity
  const parts = Map.groupBy(rows, (row) =>
    row.entered_on
      ? `${row.day} ${row.reference_id} ${row.batch_id} ${row.transaction_type}`
      : row.id,
  )
  return [...parts.values()].map((own) => {
    const quantity = roundQuantity(own.reduce((sum, row) => sum + row.quantity, 0))
    balance = roundQuantity(balance + quantity)
    return { ...own[0]!, quantity, drug_balance: balance }
  })
}
