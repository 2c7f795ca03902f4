import { Button, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { drugName } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { settleFields } from '../inventory'
import type { Shortfall } from './shortfalls.server'

/** Says what became of medicines that a phone gave out and the stock does not have. */
export function SettleDialog({
  shortfall,
  onClose,
}: {
  shortfall: Shortfall
  onClose: () => void
}) {
  const say = useSay()
  const router = useRouter()
  return (
    <Dialog
      onClose={onClose}
      title={say('inventory.settle')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {say({
            key: 'inventory.shortfallOf',
            values: {
              quantity: shortfall.quantity,
              drug: drugName(shortfall),
              clinic: shortfall.clinic_name,
            },
          })}
        </Text>
        <FieldForm
          fields={settleFields}
          submit="inventory.settle"
          cancel={
            <Button variant="default" onClick={onClose}>
              {say('common.cancel')}
            </Button>
          }
          onSubmit={async (values) => {
            await api.shortfalls.settle({ id: shortfall.id, ...values })
            await router.invalidate()
            toast.success(say('inventory.settledDone'))
            onClose()
          }}
        />
      </Stack>
    </Dialog>
  )
}
