import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useSay } from '~/shared/say'
import { MOVEMENT_TYPES, type MovementType } from './inventory'

/** Only movements of one kind; the choice is in the address. */
export function LedgerFilter({ type }: { type: MovementType | undefined }) {
  const say = useSay()
  const navigate = useNavigate()
  return (
    <Select
      aria-label={say('inventory.movement')}
      placeholder={say('inventory.allMovements')}
      value={type ?? null}
      onChange={(chosen) =>
        void navigate({
          to: '.',
          search: ((current: object) => ({ ...current, type: chosen ?? undefined, page: undefined })) as never,
          replace: true,
          resetScroll: false,
        })
      }
      data={MOVEMENT_TYPES.map((one) => ({ value: one, label: say(`inventory.type_${one}`) }))}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      w={{ base: '100%', xs: '14rem' }}
    />
  )
}
