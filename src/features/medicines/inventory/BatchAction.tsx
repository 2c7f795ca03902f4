import { Stack, Text } from '@mantine/core'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { api } from '~/client/api'
import { earlierFields } from '~/features/rules/earlier/earlier-fields'
import { ClosedReportsOfForm } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import type { Fields } from '~/fields/field'
import { reference } from '~/fields/field'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Batch } from './batches.server'
import { beyondIn, doneWith } from './changes/beyond'
import {
  adjustFields,
  correctFields,
  quantityField,
  stockReasonFields,
  transferNote,
  writeOffFields,
} from './inventory'

const transferFields = {
  toClinicId: reference('inventory.toClinic', { requiredMessage: 'inventory.toClinicRequired' }),
  quantity: quantityField,
  note: transferNote,
  ...earlierFields,
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
export function BatchAction({ clinics, ...about }: Props) {
  const { kind, batch, clinic, available } = about
  // a suggestion that followed the stock would change what the user is about to send
  const [availableAtFirst] = useState(available)
  const line = { clinicId: clinic.id, batchId: batch.id }
  const others = clinics.filter((one) => one.id !== clinic.id)
  const isExpired = batch.expiry_date < useToday()
  const quarantine = (is_quarantined: boolean) => (
    <ActionDialog
      {...about}
      fields={stockReasonFields}
      onSave={(values) => api.batches.quarantine({ id: batch.id, is_quarantined, ...values })}
    />
  )
  const dialogs: Record<BatchActionKind, () => ReactNode> = {
    adjust: () => (
      <ActionDialog
        {...about}
        fields={{ ...adjustFields, ...earlierFields }}
        suggested={{ quantity: available }}
        onSave={(values, { id }) =>
          saveAsking((confirmed) =>
            api.inventory.save({ ...line, id, expected: available, ...values, confirmed }),
          )
        }
      />
    ),
    writeOff: () => (
      <ActionDialog
        {...about}
        fields={{ ...writeOffFields, ...earlierFields }}
        suggested={{
          kind: isExpired ? 'expired' : 'damaged',
          quantity: isExpired ? availableAtFirst : undefined,
        }}
        onSave={(values, { id }) =>
          saveAsking((confirmed) => api.inventory.writeOff({ ...line, id, ...values, confirmed }))
        }
      />
    ),
    transfer: () => (
      <ActionDialog
        {...about}
        fields={transferFields}
        suggested={{ toClinicId: others.length === 1 ? others[0]?.id : undefined }}
        options={{
          toClinicId: others.map((one) => ({ value: one.id, label: { text: one.name } })),
        }}
        onSave={({ toClinicId, quantity, ...rest }, { id }) => {
          const lines = [{ batchId: batch.id, quantity }]
          const transfer = { id, fromClinicId: clinic.id, toClinicId, lines, ...rest }
          return saveAsking((confirmed) => api.inventory.transfer({ ...transfer, confirmed }))
        }}
      />
    ),
    quarantine: () => quarantine(true),
    release: () => quarantine(false),
    correct: () => (
      <ActionDialog
        {...about}
        fields={correctFields}
        record={{ ...batch, reason: null }}
        onSave={(values, version) =>
          saveAsking((confirmed) => api.batches.save({ ...values, ...version, confirmed }))
        }
      />
    ),
  }
  return dialogs[kind]()
}

type DialogProps<F extends Fields> = Omit<Props, 'clinics'> &
  Pick<
    ComponentProps<typeof RecordDialog<F>>,
    'fields' | 'record' | 'suggested' | 'options' | 'onSave'
  >

function ActionDialog<F extends Fields>(props: DialogProps<F>) {
  const { kind, batch, clinic, available, onSave, ...form } = props
  const say = useSay()
  const beyond = useRef(0)
  return (
    <RecordDialog<F>
      {...form}
      onSave={async (values, version) => {
        beyond.current = beyondIn(await onSave(values, version))
      }}
      title={`batches.do_${kind}`}
      size="md"
      before={
        <Stack gap="sm" mb="sm">
          <Text size="sm">
            {say({
              key: 'batches.about',
              values: { batch: batch.batch_number, quantity: available, clinic: clinic.name },
            })}
          </Text>
          <Text size="sm" c="dimmed">
            {say(`batches.explain_${kind}`)}
          </Text>
        </Stack>
      }
      submit={`batches.do_${kind}`}
      saved={() => doneWith(`batches.done_${kind}`, beyond.current)}
    >
      {(Field) => (
        <>
          {Object.keys(form.fields).map((name) => (
            <Field key={name} name={name} />
          ))}
          <ClosedReportsOfForm clinicId={clinic.id} name="day" />
        </>
      )}
    </RecordDialog>
  )
}
