import type { Message } from '~/shared/errors'
import type { MovementType } from '../stock-search'

type Moved = {
  transaction_type: MovementType
  quantity: number
  reference_type: string
  other_clinic_name: string | null
  expiry_before?: string | null
  expiry_after?: string | null
}

const HOW: Readonly<Partial<Record<string, 'counted' | 'opening'>>> = {
  stock_take: 'counted',
  // imports enter and take back opening quantities
  opening: 'opening',
}

/** What happened to the stock, as a sentence. */
export function describeMovement({
  transaction_type,
  quantity,
  reference_type,
  other_clinic_name,
  expiry_before,
  expiry_after,
}: Moved): Message {
  const values = {
    quantity: Math.abs(quantity),
    clinic: other_clinic_name ?? '',
    before: expiry_before ?? '',
    after: expiry_after ?? '',
  }
  if (reference_type === 'found') return { key: 'inventory.story_found', values }
  if (transaction_type !== 'adjustment')
    return { key: `inventory.story_${transaction_type}`, values }
  const how = HOW[reference_type] ?? 'adjusted'
  return { key: quantity > 0 ? `inventory.story_${how}More` : `inventory.story_${how}Less`, values }
}
