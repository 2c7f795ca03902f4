import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import type { InventoryItem } from '~/features/medicines/inventory/inventory.server'
import type { Message } from '~/shared/errors'

type Stock = { items: readonly InventoryItem[]; error: Message | null; isLoading: boolean }

/** The stock of the pickup clinic. A failure empties the list and keeps its message. */
export function useClinicStock(clinicId: string | null): Stock {
  const { data, error } = useQuery('inventory.list', clinicId === null ? null : { clinicId })
  if (error) return { items: [], error: stockErrorMessage(error), isLoading: false }
  return { items: data?.items ?? [], error: null, isLoading: clinicId !== null && !data }
}

const stockErrorMessage = (error: unknown): Message =>
  error instanceof Error ? explainError(error).text : { key: 'prescriptions.stockFailed' }
