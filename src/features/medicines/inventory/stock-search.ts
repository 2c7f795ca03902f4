import { type Actor, clinicsWhere } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import { id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { listParams } from '~/ui/listSearch'

export const INVENTORY_VIEWS = ['low', 'expiring', 'expired', 'quarantined'] as const
export type InventoryView = (typeof INVENTORY_VIEWS)[number]

export const MOVEMENT_TYPES = [
  'received',
  'dispensed',
  'transferred_in',
  'transferred_out',
  'expired',
  'damaged',
  'opened',
  'to_supplier',
  'donated',
  'adjustment',
  'returned',
  'corrected',
] as const
export type MovementType = (typeof MOVEMENT_TYPES)[number]

export const clinicParams = { ...listParams, clinic: id }
/** The search parameters of the stock screens. */
export const clinicSearch = defineSearch(clinicParams)
export const stockSearch = defineSearch({ ...clinicParams, only: oneOfOptions(INVENTORY_VIEWS) })

type Named = { id: string; name: string }

/** The clinics whose stock the user may see. */
export function clinicsInSight<C extends Named>(actor: Actor, clinics: readonly C[]): C[] {
  const own = clinicsWhere(actor, ...PERMISSIONS)
  return clinics.filter(({ id: clinicId }) => own === 'all' || own.includes(clinicId))
}

/** The clinic of a screen: the one in its URL, else the user's own, else the first one in sight. */
export const clinicShown = (
  actor: Actor,
  clinics: readonly Named[],
  chosen: string | undefined,
): string | undefined =>
  (
    clinics.find(({ id: clinicId }) => clinicId === chosen) ??
    clinics.find(({ id: clinicId }) => clinicId === actor.clinicId) ??
    clinics[0]
  )?.id
