import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { AppError, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { announceExpiry } from '~/client/expiry'
import { explainUnsaved } from '~/client/explain'
import { FormAlert } from '~/ui/FormAlert'
import { focusOnBad } from '~/ui/focusOnBad'
import { useUnsavedWarning } from '~/ui/unsaved'
import type { ClinicBatch } from '../clinic-batches.server'
import { CountTable, medicineOf, useSeen } from './CountTable'
import { countedField } from '../inventory'
import { Quantity } from '../Quantity'
import { complaintsByBatch } from './complaints-by-batch'
import { StockNote } from '../StockNote'

type Props = { clinic: { id: string; name: string }; batches: readonly ClinicBatch[] }
type Counted = Record<string, unknown>

/**
 * A count of the shelves: first every number, then what differs, to confirm. Nothing typed is lost
 * when something has moved.
 */
export function StockTake({ clinic, batches }: Props) {
  const say = useSay()
  const router = useRouter()
  const navigate = useNavigate()
  const [id] = useState(newId)
  const [counted, setCounted] = useState<Counted>({})
  const [note, setNote] = useState('')
  const [complaints, setComplaints] = useState<Record<string, Message>>({})
  const [problem, setProblem] = useState<Message | null>(null)
  const [isConfirming, setConfirming] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const sheet = useRef<HTMLDivElement>(null)
  const seen = useSeen(batches)
  const lines = seen.filter(
    (batch) => counted[batch.id] !== undefined && counted[batch.id] !== null,
  )
  const mayLeaveRef = useUnsavedWarning(lines.length > 0, 'clinic')

  async function review() {
    const found: Record<string, Message> = {}
    for (const batch of lines) {
      const parsed = countedField.schema.safeParse(readAs(counted[batch.id]))
      if (!parsed.success)
        found[batch.id] = {
          key: isAmbiguousNumber(counted[batch.id])
            ? 'validation.ambiguousNumber'
            : 'inventory.countWrong',
        }
    }
    setComplaints(found)
    if (Object.keys(found).length > 0) {
      setProblem({ key: 'errors.invalid' })
      await showAll()
      focusOnBad(sheet.current)
      return
    }
    setProblem(lines.length === 0 ? { key: 'inventory.countNothing' } : null)
    setConfirming(lines.length > 0)
  }

  /** A line with an error may be hidden by the search. */
  const showAll = () =>
    navigate({
      to: '.',
      search: ((all: object) => ({ ...all, search: undefined })) as never,
      replace: true,
      resetScroll: false,
    })

  async function save() {
    setSaving(true)
    mayLeaveRef.current = true
    const counts = lines.map((batch) => ({
      batchId: batch.id,
      expected: batch.quantity_available,
      counted: numberIn(counted, batch),
    }))
    try {
      const { differences } = await api.inventory.count({ id, clinicId: clinic.id, counts, note })
      toast.success(say({ key: 'inventory.countDone', values: { count: differences } }))
      await navigate({ to: '/app/inventory/clinic-inventory', search: { clinic: clinic.id } })
    } catch (error) {
      mayLeaveRef.current = false
      setProblem(explainUnsaved(error))
      // the request failed: there is nothing newer to show, and reloading would lose the count
      if (!(error instanceof AppError)) return
      if (error.code === 'unauthenticated') return announceExpiry()
      setConfirming(false)
      setComplaints(complaintsByBatch(error.fields, counts))
      // reads the current stock of all that was counted; the entered quantities stay
      await showAll()
      await router.invalidate()
      focusOnBad(sheet.current)
    } finally {
      setSaving(false)
    }
  }

  return (
    <Stack gap="md" ref={sheet}>
      {isConfirming ? (
        <Differences lines={lines} counted={counted} />
      ) : (
        <CountTable
          batches={batches}
          values={counted}
          complaints={complaints}
          label="inventory.counted"
          thereLabel="inventory.expected"
          onChange={(batchId, value) => {
            setCounted((current) => ({ ...current, [batchId]: value }))
            setComplaints(({ [batchId]: _mended, ...others }) => others)
          }}
        />
      )}
      <StockNote value={note} onChange={setNote} />
      {problem && <FormAlert texts={[problem]} />}
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
            values: { counted: lines.length, total: seen.length },
          })}
        </Text>
      </Group>
    </Stack>
  )
}

/** The typed text may become a number yet: "12." */
const readAs = (typed: unknown) => (typeof typed === 'string' ? numberFrom(typed) : typed)
const numberIn = (counted: Counted, { id }: ClinicBatch) => Number(readAs(counted[id]))

function Differences({ lines, counted }: { lines: readonly ClinicBatch[]; counted: Counted }) {
  const say = useSay()
  const different = lines.filter((batch) => numberIn(counted, batch) !== batch.quantity_available)
  const columns: Column<ClinicBatch>[] = [
    { key: 'drug', label: 'drugs.name', cell: (batch) => medicineOf(batch, say) },
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
