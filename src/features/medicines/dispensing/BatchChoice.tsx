import { Button, Group, Stack, Text } from '@mantine/core'
import { useExpiryText } from '~/features/medicines/inventory/ExpiryDay'
import { barred, freeQuantity } from '~/features/medicines/inventory/changes/picking'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { NumberBox } from '~/ui/NumberBox'
import { StatusBadge } from '~/ui/StatusBadge'
import { addsUp, chosenBatches, type HandOut, handOutQuantity } from './hand-out'
import type { ItemToDispense } from './queue.server'

type Props = {
  batches: ItemToDispense['batches']
  handOut: HandOut
  onChange: (change: Partial<HandOut>) => void
  disabled: boolean
  isEarlier: boolean
}

/**
 * Which batches are taken and why, or the choice of others; expired and quarantined ones cannot be
 * chosen, unless they were dispensed on an earlier day.
 */
export function BatchChoice({ batches, handOut, onChange, disabled, isEarlier }: Props) {
  const say = useSay()
  const expires = useExpiryText()
  const { picking, own, quantity } = handOut
  const sum = handOutQuantity(handOut)
  const withoutOwn = isEarlier ? 'dispensing.batchUnknown' : 'dispensing.proposeAgain'
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {say('dispensing.fromBatches')}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={disabled}
          onClick={() =>
            onChange({
              own: own
                ? null
                : Object.fromEntries(
                    (isEarlier ? [] : chosenBatches(handOut)).map((one) => [
                      one.batchId,
                      one.quantity,
                    ]),
                  ),
            })
          }
        >
          {say(own ? withoutOwn : 'dispensing.choose')}
        </Button>
      </Group>
      {own && (
        <OwnChoice
          batches={batches}
          own={own}
          onChange={(changed) => onChange({ own: changed })}
          disabled={disabled}
          isEarlier={isEarlier}
        />
      )}
      {!own && isEarlier && (
        <Text size="sm" c="dimmed">
          {say('dispensing.batchNotKnown')}
        </Text>
      )}
      {!own && !isEarlier && (
        <>
          {picking.picks.map((pick) => (
            <Group key={pick.batch_id} gap="xs">
              <Text size="sm">
                {pick.quantity} × <bdi dir="ltr">{pick.batch_number}</bdi>,{' '}
                {expires(pick.expiry_date)}
              </Text>
              <Text size="sm" c="dimmed">
                {say(pick.reason)}
              </Text>
              {pick.expiresInCourse && (
                <StatusBadge tone="warning">{say('dispensing.expiresInCourse')}</StatusBadge>
              )}
            </Group>
          ))}
          {picking.missing > 0 && (
            <Text size="sm" c="var(--mantine-color-error)">
              {say({ key: 'dispensing.missing', values: { count: picking.missing } })}
            </Text>
          )}
          {picking.passedOver
            .filter(({ reason }) => reason !== 'inventory.barredLater')
            .map(({ batch_id, batch_number, reason }) => (
              <Text key={batch_id} size="xs" c="dimmed">
                {say({
                  key: 'dispensing.passedOver',
                  values: { batch: batch_number, reason: say(reason) },
                })}
              </Text>
            ))}
        </>
      )}
      {own && quantity !== '' && !Number.isNaN(quantity) && !addsUp(handOut, isEarlier) && (
        <Text size="sm" c="var(--mantine-color-error)">
          {say({ key: 'dispensing.sumDiffers', values: { sum, quantity } })}
        </Text>
      )}
    </Stack>
  )
}

type OwnProps = {
  batches: ItemToDispense['batches']
  own: NonNullable<HandOut['own']>
  onChange: (own: NonNullable<HandOut['own']>) => void
  disabled: boolean
  isEarlier: boolean
}

function OwnChoice({ batches, own, onChange, disabled, isEarlier }: OwnProps) {
  const say = useSay()
  const expires = useExpiryText()
  const today = useToday()
  return batches
    .filter(({ quantity_available }) => quantity_available > 0)
    .map((batch) => {
      const obstacle = barred(batch, today)
      const free = freeQuantity(batch)
      return (
        <Group key={batch.batch_id} gap="sm" wrap="nowrap">
          <NumberBox
            w={110}
            aria-label={say({
              key: 'dispensing.quantityOf',
              values: { batch: batch.batch_number },
            })}
            value={own[batch.batch_id]}
            onChange={(value) => onChange({ ...own, [batch.batch_id]: value })}
            min={0}
            max={isEarlier ? undefined : free}
            disabled={disabled || (!isEarlier && (obstacle !== null || free === 0))}
          />
          <Text size="sm" c={obstacle ? 'dimmed' : undefined}>
            <bdi dir="ltr">{batch.batch_number}</bdi>, {expires(batch.expiry_date)} ·{' '}
            {obstacle ? say(obstacle) : say({ key: 'dispensing.free', values: { count: free } })}
          </Text>
        </Group>
      )
    })
}
