import { Button, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import type { Fields, Option } from '~/fields/field'
import { reference } from '~/fields/field'
import { batchRecord } from '~/records/batch'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { useToday } from '~/ui/clock'
import { FieldForm, type FormOutput } from '~/ui/FieldForm'
import type { Batch } from './batches.server'
import {
  adjustFields,
  quantityField,
  reasonFields,
  transferNote,
  writeOffFields,
} from './inventory'

const transferFields = {
  toClinicId: reference('inventory.toClinic', { requiredMessage: 'inventory.toClinicRequired' }),
  quantity: quantityField,
  note: transferNote,
}
export type BatchActionKind =
  | 'transfer'
  | 'adjust'
  | 'writeOff'
  | 'quarantine'
  | 'release'
  | 'correct'

type Named = { id: string; name: string }
type Props = {
  kind: BatchActionKind
  batch: Batch
  clinic: Named
  clinics: readonly Named[]
  /** The clinic's stock of it. */
  available: number
  onClose: () => void
}

/** One action for one batch: a form in a dialog. */
export function BatchAction({ kind, batch, clinic, clinics, available, onClose }: Props) {
  const say = useSay()
  // one id for as long as the dialog is open: pressing twice moves nothing twice
  const [id] = useState(newId)
  const line = { id, clinicId: clinic.id, batchId: batch.id }
  const others = clinics.filter((one) => one.id !== clinic.id)
  const isExpired = batch.expiry_date < useToday()
  const forms: Record<BatchActionKind, ReactNode> = {
    adjust: (
      <Form
        fields={adjustFields}
        suggested={{ quantity: available }}
        onSubmit={(values) => api.inventory.save({ ...line, expected: available, ...values })}
        {...{ kind, onClose }}
      />
    ),
    writeOff: (
      <Form
        fields={writeOffFields}
        suggested={{
          kind: isExpired ? 'expired' : 'damaged',
          quantity: isExpired ? available : undefined,
        }}
        onSubmit={(values) => api.inventory.writeOff({ ...line, ...values })}
        {...{ kind, onClose }}
      />
    ),
    transfer: (
      <Form
        fields={transferFields}
        suggested={{ toClinicId: others.length === 1 ? others[0]?.id : undefined }}
        options={{
          toClinicId: others.map((one) => ({ value: one.id, label: { text: one.name } })),
        }}
        onSubmit={({ toClinicId, quantity, note }) =>
          api.inventory.transfer({
            id,
            fromClinicId: clinic.id,
            toClinicId,
            lines: [{ batchId: batch.id, quantity }],
            note,
          })
        }
        {...{ kind, onClose }}
      />
    ),
    quarantine: (
      <Form
        fields={reasonFields}
        onSubmit={(values) =>
          api.batches.quarantine({ id: batch.id, is_quarantined: true, ...values })
        }
        {...{ kind, onClose }}
      />
    ),
    release: (
      <Form
        fields={reasonFields}
        onSubmit={(values) =>
          api.batches.quarantine({ id: batch.id, is_quarantined: false, ...values })
        }
        {...{ kind, onClose }}
      />
    ),
    correct: (
      <Form
        fields={batchRecord.fields}
        values={batch}
        onSubmit={(values) =>
          api.batches.save({ id: batch.id, last_modified: batch.last_modified, ...values })
        }
        {...{ kind, onClose }}
      />
    ),
  }
  return (
    <Dialog
      onClose={onClose}
      title={say(`batches.do_${kind}`)}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {say({
            key: 'batches.about',
            values: { batch: batch.batch_number, quantity: available, clinic: clinic.name },
          })}
        </Text>
        <Text size="sm" c="dimmed">
          {say(`batches.explain_${kind}`)}
        </Text>
        {forms[kind]}
      </Stack>
    </Dialog>
  )
}

type FormProps<F extends Fields> = {
  fields: F
  values?: Parameters<typeof FieldForm<F>>[0]['values']
  suggested?: Parameters<typeof FieldForm<F>>[0]['suggested']
  options?: { [K in keyof F]?: readonly Option[] }
  kind: BatchActionKind
  onSubmit: (values: FormOutput<F>) => Promise<unknown>
  onClose: () => void
}

function Form<F extends Fields>({
  fields,
  values,
  suggested,
  options,
  kind,
  onSubmit,
  onClose,
}: FormProps<F>) {
  const say = useSay()
  const router = useRouter()
  return (
    <FieldForm
      fields={fields}
      values={values}
      suggested={suggested}
      options={options}
      submit={`batches.do_${kind}`}
      cancel={
        <Button variant="default" onClick={onClose}>
          {say('common.cancel')}
        </Button>
      }
      onSubmit={async (given) => {
        await onSubmit(given)
        await router.invalidate()
        toast.success(say(`batches.done_${kind}`))
        onClose()
      }}
    />
  )
}
