import { useEffect, useState } from 'react'
import { api } from '~/client/api'
import type { InventoryItem } from '~/features/medicines/inventory/inventory.server'
import type { Message } from '~/shared/errors'
import { explain } from '~/client/explain'

type Stock = { items: readonly InventoryItem[]; error: Message | null; isLoading: boolean }
type Fetched = { clinicId: string; items: readonly InventoryItem[]; error: Message | null }
const NONE: readonly InventoryItem[] = []

/** The stock of the pickup clinic. A failure empties the list and keeps its message. */
export function useClinicStock(clinicId: string | null): Stock {
  const [fetched, setFetched] = useState<Fetched>()
  useEffect(() => {
    if (!clinicId) return
    let isCurrent = true
    api.inventory
      .list({ clinicId })
      .then(({ items }) => isCurrent && setFetched({ clinicId, items, error: null }))
      .catch((error: unknown) => {
        const text =
          error instanceof Error
            ? explain(error).text
            : { key: 'prescriptions.stockFailed' as const }
        if (isCurrent) setFetched({ clinicId, items: NONE, error: text })
      })
    return () => {
      isCurrent = false
    }
  }, [clinicId])
  if (fetched && fetched.clinicId === clinicId) return { ...fetched, isLoading: false }
  return { items: NONE, error: null, isLoading: clinicId !== null }
}
