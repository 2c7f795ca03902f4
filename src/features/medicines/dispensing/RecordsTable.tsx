import { Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowBackUp, IconPrinter } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useFormatter } from 'use-intl'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import type { Identifiers } from '~/features/people/patients/patient'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { DialogAboutPatient } from '~/features/care/banner/PatientBanner'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { newId } from '~/shared/id'
import { isReason } from '~/shared/reason'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { EnteredLater } from '~/ui/EnteredLater'
import { RecordedBy } from '~/ui/RecordedBy'
import { Dialog } from '~/ui/Dialog'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { DispensingRecord } from './queue.server'

type Shown = Omit<DispensingRecord, 'cautions'> & {
  patient?: string
  identifiers?: Identifiers
  mayReverse?: boolean
}
type Props = { rows: readonly Shown[]; pagination?: Pagination }

/** What was dispensed, from which batch, by which user; a wrong record is reversed here. */
export function RecordsTable({ rows, pagination }: Props) {
  const say = useSay()
  const [reversing, setReversing] = useState<Shown | null>(null)
  const recordTitle = (record: Shown) => drugTitle(record, say)
  const withPatient = rows.some(({ patient }) => patient !== undefined)
  const columns: Column<Shown>[] = [
    {
      key: 'when',
      card: 'badge',
      label: 'dispensing.when',
      cell: ({ dispensed_at, entered_on, entered_by }) => (
        <>
          <Moment at={dispensed_at} dayOnly={entered_on !== null} />
          <EnteredLater on={entered_on} by={entered_by} />
        </>
      ),
    },
    ...(withPatient
      ? [
          {
            key: 'patient',
            card: 'title',
            label: 'prescriptions.patient',
            cell: ({ patient, identifiers }: Shown) => (
              <>
                <bdi>{patient || '—'}</bdi>
                {identifiers && <SecondIdentifier of={identifiers} />}
              </>
            ),
          } as const,
        ]
      : []),
    {
      key: 'medicine',
      card: withPatient ? 'value' : 'title',
      label: 'dispensing.medicine',
      cell: (record) => <bdi>{recordTitle(record)}</bdi>,
    },
    {
      key: 'quantity',
      label: 'dispensing.quantity',
      align: 'end',
      cell: ({ quantity_dispensed }) => <bdi dir="ltr">{quantity_dispensed}</bdi>,
    },
    {
      key: 'batch',
      label: 'dispensing.batch',
      cell: ({ batch_number }) =>
        batch_number ? <bdi dir="ltr">{batch_number}</bdi> : <Nothing />,
    },
    {
      key: 'by',
      label: 'dispensing.by',
      cell: ({ dispensed_by, sent_by }) => <RecordedBy name={dispensed_by} sentBy={sent_by} />,
    },
    { key: 'state', label: 'dispensing.reason', cell: (record) => <State record={record} /> },
  ]
  const isOpen = ({ quantity_dispensed, reversed_at }: Shown) =>
    quantity_dispensed > 0 && !reversed_at
  return (
    <>
      <DataTable
        label="dispensing.records"
        columns={columns}
        rows={rows}
        pagination={pagination}
        nameOf={recordTitle}
        empty="dispensing.emptyRecords"
        actions={(record) =>
          isOpen(record) && (
            <>
              {record.prescription_id && (
                <LinkMenuItem
                  leftSection={<IconPrinter size={16} aria-hidden />}
                  to="/app/dispensing/label/$prescriptionId"
                  params={{ prescriptionId: record.prescription_id! }}
                  search={{ record: record.id }}
                >
                  {say('dispensing.labelTitle')}
                </LinkMenuItem>
              )}
              {record.mayReverse !== false && (
                <Menu.Item
                  color="red"
                  leftSection={<IconArrowBackUp size={16} aria-hidden />}
                  onClick={() => setReversing(record)}
                >
                  {say('dispensing.reverse')}
                </Menu.Item>
              )}
            </>
          )
        }
      />
      {reversing && (
        <DialogAboutPatient patientId={reversing.patient_id}>
          <ReverseDialog
            record={reversing}
            name={recordTitle(reversing)}
            onClose={() => setReversing(null)}
          />
        </DialogAboutPatient>
      )}
    </>
  )
}

function State({ record: { reversed_at, reverses_id, reason } }: { record: Shown }) {
  const say = useSay()
  const format = useFormatter()
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  if (reversed_at) {
    return (
      <Text size="sm" c="dimmed">
        {say({
          key: 'dispensing.reversedOn',
          values: { day: format.dateTime(new Date(reversed_at), day) },
        })}
      </Text>
    )
  }
  if (!reverses_id) {
    return reason ? (
      <Text size="sm">
        <bdi>{reason}</bdi>
      </Text>
    ) : (
      <Nothing />
    )
  }
  return (
    <Text size="sm" dir="auto">
      {say('dispensing.counterEntry')}
      {reason && `: ${reason}`}
    </Text>
  )
}

function ReverseDialog({
  record,
  name,
  onClose,
}: {
  record: Shown
  name: string
  onClose: () => void
}) {
  const say = useSay()
  const { run, pending } = useAction()
  // the same id however often the button is pressed
  const [id] = useState(newId)
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const isMissing = isAsked && !isReason(reason)
  async function submit(event: FormEvent) {
    event.preventDefault()
    setAsked(true)
    if (!isReason(reason)) return
    const done = await run(() => api.dispensing.reverse({ id, recordId: record.id, reason }), {
      success: 'dispensing.reversedDone',
    })
    if (done) onClose()
  }
  return (
    <Dialog onClose={onClose} title={say('dispensing.reverse')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            {say({
              key: 'dispensing.reverseLead',
              values: { quantity: record.quantity_dispensed, name },
            })}
          </Text>
          <TextInput
            label={say('dispensing.reason')}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={isMissing && say('dispensing.reasonRequired')}
            aria-invalid={isMissing || undefined}
            withAsterisk
            aria-required
            maxLength={500}
            dir="auto"
            autoComplete="off"
            data-autofocus
          />
          <Group gap="sm">
            <Button type="submit" color="red.9" loading={pending}>
              {say('dispensing.reverse')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
