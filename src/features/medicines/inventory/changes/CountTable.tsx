import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { numberFrom } from '~/fields/typed'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import type { FieldErrors } from '~/ui/form'
import { BatchState } from '../BatchState'
import type { ClinicBatch } from '../clinic-batches.server'
import { ExpiryDay } from '../ExpiryDay'
import { Quantity } from '../Quantity'

type Props = {
  batches: readonly ClinicBatch[]
  /** Batch id -> typed value: a number, or text that is not a number. */
  values: Record<string, unknown>
  errors: FieldErrors
  /** The label of the quantity to enter. */
  label: MessageKey
  /** The quantity on hand. */
  thereLabel: MessageKey
  onChange: (batchId: string, value: unknown) => void
}

export const batchTitle = (batch: ClinicBatch, say: (what: Sayable) => string) =>
  drugTitle(batch, say)

/**
 * All batches shown so far, as last read: a search narrows the table, not the entered quantities.
 */
export function useSeen(batches: readonly ClinicBatch[]): readonly ClinicBatch[] {
  const [shown, setShown] = useState(batches)
  const [seen, setSeen] = useState(batches)
  if (shown !== batches) {
    const ids = new Set(batches.map(({ id }) => id))
    setShown(batches)
    setSeen([...batches, ...seen.filter(({ id }) => !ids.has(id))])
  }
  return seen
}

/** Every batch of a clinic with a number to write beside it. Enter goes to the next one. */
export function CountTable({ batches, values, errors, label, thereLabel, onChange }: Props) {
  const say = useSay()
  const columns: Column<ClinicBatch>[] = [
    { key: 'drug', label: 'drugs.name', cell: (batch) => <Batch batch={batch} /> },
    // beside the name, where a phone has room for it
    {
      key: 'counted',
      label,
      align: 'end',
      cell: (batch) => (
        <NumberBox
          label={`${say(label)}: ${batchTitle(batch, say)}, ${batch.batch_number}`}
          value={values[batch.id]}
          error={errors[batch.id]}
          onChange={(value) => onChange(batch.id, value)}
        />
      ),
    },
    {
      key: 'there',
      label: thereLabel,
      align: 'end',
      cell: ({ quantity_available }) => <Quantity value={quantity_available} />,
    },
    {
      key: 'state',
      card: 'badge',
      label: 'batches.state',
      cell: (batch) => <BatchState batch={batch} />,
    },
  ]
  return (
    <DataTable label="inventory.title" columns={columns} rows={batches} empty="inventory.empty" />
  )
}

function Batch({ batch }: { batch: ClinicBatch }) {
  const say = useSay()
  return (
    <Stack gap={0}>
      <span>{batchTitle(batch, say)}</span>
      <Text size="sm">
        {say('batches.number')} <bdi>{batch.batch_number}</bdi>
      </Text>
      <Text size="xs" c="dimmed">
        {say(`drugs.form_${batch.form}`)} · {say('batches.expiry')}{' '}
        <ExpiryDay value={batch.expiry_date} />
      </Text>
    </Stack>
  )
}

type BoxProps = {
  label: string
  value: unknown
  error: Message | undefined
  onChange: (value: unknown) => void
}

function NumberBox({ label, value, error, onChange }: BoxProps) {
  const say = useSay()
  return (
    <TextInput
      aria-label={label}
      value={typeof value === 'number' || typeof value === 'string' ? String(value) : ''}
      onChange={(event) => {
        const text = event.currentTarget.value
        const number = numberFrom(text)
        // "1." and "1.0" are on the way to a number
        onChange(typeof number === 'number' && String(number) !== text ? text : number)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        const boxes = [...(event.currentTarget.closest('table')?.querySelectorAll('input') ?? [])]
        boxes[boxes.indexOf(event.currentTarget) + 1]?.focus()
      }}
      error={error && say(error)}
      inputMode="decimal"
      dir="ltr"
      autoComplete="off"
      w="7rem"
      ms="auto"
      styles={{ input: { textAlign: 'end' } }}
    />
  )
}
