import { Checkbox, Group, Paper, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { api } from '~/client/api'
import { drugTitle, printedForm } from '~/features/medicines/drugs/drug'
import { ItemBadge } from '~/features/medicines/prescriptions/writing/MedicationCard'
import { NotOnLists } from '~/features/medicines/safety/Answers'
import type { MedicineAnswers } from '~/features/medicines/safety/rules/warning'
import type { Message } from '~/shared/errors'
import { doseText } from '~/features/medicines/prescriptions/writing/dose'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { NumberBox } from '~/ui/NumberBox'
import { BatchChoice } from './BatchChoice'
import { type HandOut, isPossible, needsReasonFor, takesReasonFor, withQuantity } from './hand-out'
import type { ItemToDispense } from './queue.server'

const SETTLE_MS = 300

type Props = {
  item: ItemToDispense
  /** The current choice; undefined if there is nothing left to choose. */
  handOut: HandOut | undefined
  /** What the safety check answered about this medicine. */
  answers: MedicineAnswers | undefined
  /** The warnings about this medicine. */
  warnings: ReactNode
  onChange: (change: Partial<HandOut>) => void
  error?: Message
  /** What is wrong with the reason. */
  reasonError?: Message
  disabled: boolean
  /** It was dispensed on an earlier day, from any batch. */
  isEarlier: boolean
}

/** One medicine at the counter: how it is taken, how much is due, from which batches. */
export function ItemToHandOut({
  item,
  handOut,
  answers,
  warnings,
  onChange,
  error,
  reasonError,
  disabled,
  isEarlier,
}: Props) {
  const say = useSay()
  const name = drugTitle(item, say)
  const total = item.quantity_prescribed * (1 + item.refills_authorized)
  const today = useToday()
  const [isOther, setOther] = useState(false)
  const propose = useDebouncedCallback(
    async (quantity: number, days: number | null, byStock: boolean) => {
      // the batches suggested before stay; the server decides in any case
      const picking = await api.dispensing
        .propose({ itemId: item.id, quantity, days_supply: days })
        .catch(() => null)
      if (!picking) return
      onChange({ picking })
      setOther(byStock && String(picks(picking)) !== String(handOut && picks(handOut.picking)))
    },
    SETTLE_MS,
  )

  // others took from the batches that were suggested. Those that are possible stay: they may be in the user's hands
  const stock = JSON.stringify(item.batches)
  const proposedFrom = useRef(stock)
  const proposeAgain = useEffectEvent(() => {
    if (!handOut || handOut.own || isPossible(handOut.picking, item.batches, today)) return
    const quantity = Number(handOut.quantity)
    if (quantity > 0) propose(quantity, handOut.days === '' ? null : handOut.days, true)
  })
  useEffect(() => {
    if (proposedFrom.current === stock) return
    proposedFrom.current = stock
    proposeAgain()
  }, [stock])

  function changeAmount(change: Partial<Pick<HandOut, 'quantity' | 'days'>>) {
    if (!handOut) return
    onChange(change)
    const { quantity, days } = { ...handOut, ...change }
    if (quantity !== '' && quantity > 0 && !handOut.own)
      propose(quantity, days === '' ? null : days, false)
  }
  const form = printedForm(item.form)
  const hint = handOut ? reasonHint(item, handOut, isEarlier) : null
  const isReasonNeeded =
    Boolean(reasonError) || (handOut !== undefined && needsReasonFor(item, handOut, isEarlier))
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <div>
            <Text fw={600}>{name}</Text>
            <Text size="sm" c="dimmed">
              {form && `${say(form)} · `}
              {say({
                key: 'dispensing.progress',
                values: { dispensed: item.quantity_dispensed, total },
              })}
              {item.refills_authorized > 0 && (
                <>
                  {' · '}
                  {say({
                    key: 'dispensing.refillsProgress',
                    values: { used: item.refills_used, authorized: item.refills_authorized },
                  })}
                </>
              )}
            </Text>
            <Text size="sm" mt={4}>
              <bdi>{item.dose ? doseText(item.dose, item, say) : item.dosage_instructions}</bdi>
            </Text>
            <NotOnLists answers={answers} />
            {item.notes && (
              <Text size="sm" c="dimmed">
                <bdi>{item.notes}</bdi>
              </Text>
            )}
          </div>
          <ItemBadge status={item.item_status} />
        </Group>
        {warnings}
        {!handOut ? (
          <Text size="sm" c="dimmed">
            {say('dispensing.noneLeft')}
          </Text>
        ) : (
          <>
            <Checkbox
              label={say({ key: 'dispensing.include', values: { name } })}
              checked={handOut.isChosen}
              onChange={(event) => onChange({ isChosen: event.currentTarget.checked })}
              disabled={disabled}
            />
            {handOut.isChosen && (
              <>
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                  <NumberBox
                    label={say('dispensing.quantityNow')}
                    value={handOut.quantity}
                    onChange={(quantity) => changeAmount(withQuantity(item, handOut, quantity))}
                    error={error && say(error)}
                    aria-invalid={Boolean(error) || undefined}
                    withAsterisk
                    aria-required
                    disabled={disabled}
                  />
                  <NumberBox
                    label={say('dispensing.daysSupply')}
                    description={say('dispensing.daysHint')}
                    inputWrapperOrder={['label', 'input', 'description', 'error']}
                    value={handOut.days}
                    onChange={(days) => changeAmount({ days })}
                    min={1}
                    max={3650}
                    isWhole
                    disabled={disabled}
                  />
                </SimpleGrid>
                {(takesReasonFor(item, handOut, isEarlier) || reasonError) && (
                  <Textarea
                    label={say('dispensing.reason')}
                    description={hint && say(hint)}
                    value={handOut.reason}
                    onChange={(event) => onChange({ reason: event.currentTarget.value })}
                    error={reasonError && say(reasonError)}
                    aria-invalid={Boolean(reasonError) || undefined}
                    withAsterisk={isReasonNeeded}
                    aria-required={isReasonNeeded}
                    rows={1}
                    maxLength={500}
                    dir="auto"
                    disabled={disabled}
                  />
                )}
                <BatchChoice
                  batches={item.batches}
                  handOut={handOut}
                  onChange={onChange}
                  disabled={disabled}
                  isEarlier={isEarlier}
                />
                <div aria-live="polite">
                  {isOther && !handOut.own && !isEarlier && (
                    <Text size="sm">{say('dispensing.proposedAnew')}</Text>
                  )}
                </div>
              </>
            )}
          </>
        )}
      </Stack>
    </Paper>
  )
}

const picks = (picking: HandOut['picking']) =>
  picking.picks.map(({ batch_id, quantity }) => `${batch_id} ${quantity}`)

/** Why a reason is asked for. */
function reasonHint(item: ItemToDispense, handOut: HandOut, isEarlier: boolean): Message | null {
  const { due, earliest, is_controlled } = item
  if (!isEarlier && earliest) return { key: 'dispensing.tooEarly', values: { day: earliest } }
  if (needsReasonFor(item, handOut, isEarlier))
    return { key: 'dispensing.moreThanDue', values: { due } }
  return isEarlier && is_controlled ? { key: 'dispensing.controlledThen' } : null
}
