import { Text } from '@mantine/core'
import { api } from '~/client/api'
import { drugName } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { RecordDialog } from '~/ui/RecordDialog'
import { settleFields } from '../inventory'
import type { Shortfall } from './shortfalls.server'

type Props = { shortfall: Shortfall; onClose: () => void }

/** Records what became of medicines that a phone dispensed beyond the stock. */
export function SettleDialog({ shortfall, onClose }: Props) {
  const say = useSay()
  const { quantity, clinic_name: clinic } = shortfall
  const values = { quantity, drug: drugName(shortfall), clinic }
  return (
    <RecordDialog
      title="inventory.settle"
      size="md"
      before={
        <Text size="sm" mb="sm">
          {say({ key: 'inventory.shortfallOf', values })}
        </Text>
      }
      fields={settleFields}
      submit="inventory.settle"
      onSave={(given) => api.shortfalls.settle({ id: shortfall.id, ...given })}
      saved={() => 'inventory.settledDone'}
      onClose={onClose}
    />
  )
}
