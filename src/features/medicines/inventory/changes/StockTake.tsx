import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { certainDay } from '~/fields/day'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { EarlierDay } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { FormAlert } from '~/ui/FormAlert'
import type { ClinicBatch } from '../clinic-batches.server'
import { CountTable, batchTitle } from './CountTable'
import { countedField } from '../inventory'
import { Quantity } from '../Quantity'
import { parseAmount, isRefusal, quantityError, useStockSheet } from './stock-sheet'
import { StockNote } from '../StockNote'
import { withSearch } from '~/ui/search'

type Props = {
  clinic: { id: string; name: string }
  batches: readonly ClinicBatch[]
  /** The earlier day of which the batches' stock is shown; null: now. */
  day: string | null
}
type Counted = Record<string, unknown>

/**
 * A count of the shelves: first every number, then what differs, to confirm. A refused count keeps
 * everything that was typed.
 */
export function StockTake({ clinic, batches, day }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const [isConfirming, setConfirming] = useState(false)
  const [typedDay, setTypedDay] = useState(day)
  const sheet = useStockSheet(batches)
  const { ref, id, lines, typed, note, alert, isSaving } = sheet

  /** The stock of a whole day is read anew; the counts stay. */
  function chooseDay(next: string | null) {
    setTypedDay(next)
    if (next === null || certainDay(next) === next)
      void navigate({
        to: '.',
        search: withSearch({ day: next ?? undefined }),
        replace: true,
        resetScroll: false,
      })
  }

  async function review() {
    if (typedDay !== day) return sheet.refuse({ day: { key: 'validation.date' } }, 'errors.invalid')
    const found = lines.flatMap(({ id: lineId }) => {
      const error = quantityError(typed[lineId], countedField.schema)
      return error ? [[lineId, error]] : []
    })
    if (found.length > 0) return sheet.refuse(Object.fromEntries(found), 'errors.invalid')
    if (lines.length === 0) return sheet.refuse({}, 'inventory.countNothing')
    sheet.accept()
    return setConfirming(true)
  }

  async function save() {
    const counts = lines.map((batch) => ({
      batchId: batch.id,
      expected: batch.quantity_available,
      counted: numberIn(typed, batch),
    }))
    await sheet.save(counts, async () => {
      const data = { id, clinicId: clinic.id, counts, note, day }
      const { differences, beyond } = await saveAsking((confirmed) =>
        api.inventory.count({ ...data, confirmed }),
      ).catch((error: unknown) => {
        if (isRefusal(error)) setConfirming(false)
        throw error
      })
      toast.success(say({ key: 'inventory.countDone', values: { count: differences } }))
      if (beyond > 0)
        toast.warning(say({ key: 'inventory.takenBeyond', values: { quantity: beyond } }))
      await navigate({ to: '/app/inventory/clinic-inventory', search: { clinic: clinic.id } })
    })
  }

  return (
    <Stack gap="md" ref={ref}>
      {!isConfirming && (
        <EarlierDay
          value={typedDay}
          onChange={chooseDay}
          clinicId={clinic.id}
          error={sheet.errors['day'] && say(sheet.errors['day'])}
          disabled={isSaving}
        />
      )}
      {isConfirming ? (
        <Differences lines={lines} counted={typed} />
      ) : (
        <CountTable
          batches={batches}
          values={typed}
          errors={sheet.errors}
          label="inventory.counted"
          thereLabel="inventory.expected"
          onChange={sheet.type}
        />
      )}
      <StockNote value={note} onChange={sheet.setNote} />
      <FormAlert {...alert} />
      <Group gap="sm">
        {isConfirming ? (
          <>
            <Button onClick={() => void save()} loading={isSaving}>
              {say('inventory.countConfirm')}
            </Button>
            <Button variant="default" onClick={() => setConfirming(false)} disabled={isSaving}>
              {say('common.back')}
            </Button>
          </>
        ) : (
          <Button onClick={() => void review()}>{say('inventory.countReview')}</Button>
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {say({
            key: 'inventory.countedOf',
            values: { counted: lines.length, total: sheet.seen.length },
          })}
        </Text>
      </Group>
    </Stack>
  )
}

const numberIn = (counted: Counted, { id }: ClinicBatch) => Number(parseAmount(counted[id]))

function Differences({ lines, counted }: { lines: readonly ClinicBatch[]; counted: Counted }) {
  const say = useSay()
  const different = lines.filter((batch) => numberIn(counted, batch) !== batch.quantity_available)
  const columns: Column<ClinicBatch>[] = [
    { key: 'drug', label: 'drugs.name', cell: (batch) => batchTitle(batch, say) },
    {
      key: 'number',
      label: 'batches.number',
      cell: ({ batch_number }) => <bdi>{batch_number}</bdi>,
    },
    {
      key: 'expected',
      label: 'inventory.expected',
      align: 'end',
      cell: ({ quantity_available }) => <Quantity value={quantity_available} />,
    },
    {
      key: 'counted',
      label: 'inventory.counted',
      align: 'end',
      cell: (batch) => <Quantity value={numberIn(counted, batch)} />,
    },
    {
      key: 'difference',
      label: 'inventory.difference',
      align: 'end',
      cell: (batch) => (
        <b>
          <Quantity signed value={numberIn(counted, batch) - batch.quantity_available} />
        </b>
      ),
    },
  ]
  return (
    <Stack gap="xs">
      <Title order={2} size="h3">
        {say({ key: 'inventory.differences', values: { count: different.length } })}
      </Title>
      {different.length > 0 && (
        <DataTable
          label="inventory.difference"
          columns={columns}
          rows={different}
          empty="inventory.difference"
        />
      )}
    </Stack>
  )
}
