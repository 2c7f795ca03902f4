import { useSay } from '~/shared/say'
import { PickFilter, useFilter } from '~/ui/filters'
import { MOVEMENT_TYPES, type MovementType } from '../stock-search'

/** Only movements of one kind; the choice is in the address. */
export function LedgerFilter({ type }: { type: MovementType | undefined }) {
  const say = useSay()
  const choose = useFilter<{ type?: MovementType }>()
  return (
    <PickFilter
      inRow
      label="inventory.movement"
      any="inventory.allMovements"
      value={type}
      onPick={(chosen) => choose({ type: chosen })}
      options={MOVEMENT_TYPES.map((value) => ({ value, label: say(`inventory.type_${value}`) }))}
      w={{ base: '100%', xs: '14rem' }}
    />
  )
}
