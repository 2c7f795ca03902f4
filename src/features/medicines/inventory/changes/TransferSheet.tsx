import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { AppError, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { announceExpiry } from '~/client/expiry'
import { explainUnsaved } from '~/client/explain'
import { FormAlert } from '~/ui/FormAlert'
import { focusOnBad } from '~/ui/focusOnBad'
import { useUnsavedWarning } from '~/ui/unsaved'
import type { ClinicBatch } from '../clinic-batches.server'
import { CountTable, useSeen } from './CountTable'
import { quantityField } from '../inventory'
import { complaintsByBatch } from './complaints-by-batch'
import { StockNote } from '../StockNote'

type Named = { id: string; name: string }
type Props = { from: Named; others: readonly Named[]; batches: readonly ClinicBatch[] }

const amountOf = (typed: unknown) => (typeof typed === 'string' ? numberFrom(typed) : typed)

/** Moves any number of batches to another clinic at once, all of it or nothing. */
export function TransferSheet({ from, others, batches }: Props) {
  const say = useSay()
  const router = useRouter()
  const navigate = useNavigate()
  const [id] = useState(newId)
  const [to, setTo] = useState<string | null>(others.length === 1 ? others[0]!.id : null)
  const [amounts, setAmounts] = useState<Record<string, unknown>>({})
  const [note, setNote] = useState('')
  const [complaints, setComplaints] = useState<Record<string, Message>>({})
  const [problem, setProblem] = useState<Message | null>(null)
  const [isSaving, setSaving] = useState(false)
  const sheet = useRef<HTMLDivElement>(null)
  const seen = useSeen(batches)
  const lines = seen.filter(
    (batch) => amounts[batch.id] !== undefined && amounts[batch.id] !== null,
  )
  const mayLeaveRef = useUnsavedWarning(lines.length > 0, 'clinic')

  function wrongLines() {
    const found: Record<string, Message> = {}
    for (const batch of lines) {
      const amount = quantityField.schema.safeParse(amountOf(amounts[batch.id]))
      if (!amount.success)
        found[batch.id] = {
          key: isAmbiguousNumber(amounts[batch.id])
            ? 'validation.ambiguousNumber'
            : 'inventory.countWrong',
        }
      else if (amount.data > batch.quantity_available) {
        found[batch.id] = {
          key: 'inventory.notEnoughOf',
          values: { available: batch.quantity_available },
        }
      }
    }
    return found
  }

  /** A line with an error may be hidden by the search. */
  const showAll = () =>
    navigate({
      to: '.',
      search: ((all: object) => ({ ...all, search: undefined })) as never,
      replace: true,
      resetScroll: false,
    })

  function askFor(text: Message) {
    setProblem(text)
    focusOnBad(sheet.current)
  }

  async function save() {
    const found = wrongLines()
    setComplaints(found)
    if (!to) return askFor({ key: 'inventory.toClinicRequired' })
    if (lines.length === 0) return setProblem({ key: 'inventory.noLines' })
    if (Object.keys(found).length > 0) {
      await showAll()
      return askFor({ key: 'errors.invalid' })
    }
    setProblem(null)
    setSaving(true)
    mayLeaveRef.current = true
    const sent = lines.map((batch) => ({
      batchId: batch.id,
      quantity: Number(amountOf(amounts[batch.id])),
    }))
    try {
      await api.inventory.transfer({ id, fromClinicId: from.id, toClinicId: to, lines: sent, note })
      toast.success(say('batches.done_transfer'))
      await navigate({ to: '/app/inventory/clinic-inventory', search: { clinic: from.id } })
    } catch (error) {
      mayLeaveRef.current = false
      setProblem(explainUnsaved(error))
      // the request failed: there is nothing newer to show, and reloading would lose the sheet
      if (!(error instanceof AppError)) return
      if (error.code === 'unauthenticated') return announceExpiry()
      setComplaints(complaintsByBatch(error.fields, sent))
      await showAll()
      await router.invalidate()
      focusOnBad(sheet.current)
    } finally {
      setSaving(false)
    }
  }

  return (
    <Stack gap="md" ref={sheet}>
      <Select
        label={say('inventory.toClinic')}
        value={to}
        onChange={setTo}
        data={others.map((clinic) => ({ value: clinic.id, label: clinic.name }))}
        placeholder={say('form.choose')}
        allowDeselect={false}
        withAsterisk
        error={!to && problem?.key === 'inventory.toClinicRequired' && say(problem)}
        maw="24rem"
      />
      <CountTable
        batches={batches}
        values={amounts}
        complaints={complaints}
        label="inventory.toMove"
        thereLabel="inventory.onHand"
        onChange={(batchId, value) => {
          setAmounts((current) => ({ ...current, [batchId]: value }))
          setComplaints(({ [batchId]: _mended, ...rest }) => rest)
        }}
      />
      <StockNote value={note} onChange={setNote} />
      {problem && <FormAlert texts={[problem]} />}
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
