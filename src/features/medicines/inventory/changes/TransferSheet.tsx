import { Button, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { PickList } from '~/fields/PickList'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { EarlierDay } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { FormAlert } from '~/ui/FormAlert'
import type { ClinicBatch } from '../clinic-batches.server'
import { doneWith } from './beyond'
import { CountTable } from './CountTable'
import { quantityField } from '../inventory'
import { parseAmount, quantityError, useStockSheet } from './stock-sheet'
import { StockNote } from '../StockNote'

type Named = { id: string; name: string }
type Props = { from: Named; others: readonly Named[]; batches: readonly ClinicBatch[] }

/** Moves any number of batches to another clinic at once, all of it or nothing. */
export function TransferSheet({ from, others, batches }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const sheet = useStockSheet(batches, others.length === 1 ? others[0]!.id : null)
  const { ref, id, to, lines, typed, note, errors, alert, isSaving } = sheet
  const clinicError = to ? undefined : errors['to']

  function lineErrors() {
    const found: Record<string, Message> = {}
    for (const { id: batchId, quantity_available: available } of lines) {
      const error = quantityError(typed[batchId], quantityField.schema)
      if (error) found[batchId] = error
      else if (!sheet.day && Number(parseAmount(typed[batchId])) > available)
        found[batchId] = { key: 'inventory.notEnoughOf', values: { available } }
    }
    return found
  }

  async function save() {
    const found = lineErrors()
    const text = { key: 'inventory.toClinicRequired' } as const
    if (!to) return sheet.refuse({ ...found, to: text }, text)
    if (lines.length === 0) return sheet.refuse({}, 'inventory.noLines')
    if (Object.keys(found).length > 0) return sheet.refuse(found, 'errors.invalid')
    const sent = lines.map((batch) => ({
      batchId: batch.id,
      quantity: Number(parseAmount(typed[batch.id])),
    }))
    return sheet.save(sent, async () => {
      const { day } = sheet
      const transfer = { id, fromClinicId: from.id, toClinicId: to, lines: sent, note, day }
      const { beyond } = await saveAsking((confirmed) =>
        api.inventory.transfer({ ...transfer, confirmed }),
      )
      toast.success(say(doneWith('batches.done_transfer', beyond)))
      await navigate({ to: '/app/inventory/clinic-inventory', search: { clinic: from.id } })
    })
  }

  return (
    <Stack gap="md" ref={ref}>
      <PickList
        label={say('inventory.toClinic')}
        value={to}
        onChange={sheet.setTo}
        data={others.map((clinic) => ({ value: clinic.id, label: clinic.name }))}
        placeholder={say('form.choose')}
        allowDeselect={false}
        withAsterisk
        error={clinicError && say(clinicError)}
        maw="24rem"
      />
      <CountTable
        batches={batches}
        values={typed}
        errors={errors}
        label="inventory.toMove"
        thereLabel="inventory.onHand"
        onChange={sheet.type}
      />
      <EarlierDay
        value={sheet.day}
        onChange={sheet.setDay}
        clinicId={from.id}
        error={errors['day'] && say(errors['day'])}
        disabled={isSaving}
      />
      <StockNote value={note} onChange={sheet.setNote} />
      <FormAlert {...alert} />
      <Group gap="sm">
        <Button onClick={() => void save()} loading={isSaving}>
          {say('batches.do_transfer')}
        </Button>
        <Text size="sm" c="dimmed" aria-live="polite">
          {say({ key: 'inventory.chosenBatches', values: { count: lines.length } })}
        </Text>
      </Group>
    </Stack>
  )
}
