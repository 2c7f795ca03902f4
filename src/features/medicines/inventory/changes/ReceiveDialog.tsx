import { Alert, Checkbox, Group, SimpleGrid, TextInput } from '@mantine/core'
import { IconScan } from '@tabler/icons-react'
import { type ReactNode, use, useState } from 'react'
import { api } from '~/client/api'
import { ClosedReportsOfForm } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { bareBarcode } from '~/features/medicines/drugs/catalogue-file'
import { drugName, drugTitle } from '~/features/medicines/drugs/drug'
import { NO_BATCH_NUMBER, NO_EXPIRY } from '~/records/no-expiry'
import { readGs1 } from '~/records/package-code'
import { ScanButton } from '~/features/medicines/drugs/ScanButton'
import type { Strong } from '~/records/strength'
import { useSay } from '~/shared/say'
import type { FormValues } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { RecordDialog } from '~/ui/RecordDialog'
import { receiveFields } from '../inventory'
import { clinicToday } from '~/shared/zone'

type Props = {
  drug: Strong & {
    id: string
    generic_name: string
    brand_name: string | null
    barcode?: string | null
  }
  clinic: { id: string; name: string }
  /** A known batch that was received again, or the values of a scanned code. */
  batch?: Partial<FormValues<typeof receiveFields>>
  onClose: () => void
}

/** Brings a delivery into the stock of a clinic. A scanned GS1 code fills batch and expiry. */
export function ReceiveDialog({ drug, clinic, batch, onClose }: Props) {
  const say = useSay()
  return (
    <RecordDialog
      title={{
        key: 'inventory.receiveOf',
        values: { drug: drugTitle(drug, say), clinic: clinic.name },
      }}
      fields={receiveFields}
      suggested={{ ...batch, received_date: clinicToday() }}
      submit="inventory.receive"
      onSave={(values, { id }) =>
        saveAsking((confirmed) =>
          api.batches.create({ ...values, id, drug_id: drug.id, clinic_id: clinic.id, confirmed }),
        )
      }
      saved={({ quantity }) => ({
        key: 'inventory.receivedDone',
        values: { quantity, drug: drugName(drug) },
      })}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <ScanFill barcode={drug.barcode ?? null} />
          <NoBatch />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <UnlessWithout>
              <Field name="batch_number" />
              <Field name="expiry_date" />
            </UnlessWithout>
            <Field name="quantity" />
            <Field name="received_date" />
            <Field name="supplier_name" />
            <Field name="manufacture_date" />
            <Field name="purchase_price" />
            <Field name="purchase_currency" />
          </SimpleGrid>
          <ClosedReportsOfForm clinicId={clinic.id} name="received_date" />
        </>
      )}
    </RecordDialog>
  )
}

/** An article without batch and expiry is not asked for them. */
function UnlessWithout({ children }: { children: ReactNode }) {
  const { batch_number, expiry_date } = use(FormContext)?.draft ?? {}
  return batch_number === NO_BATCH_NUMBER && expiry_date === NO_EXPIRY ? null : children
}

/** Fills in the stored values for an article without batch number and expiry date. */
function NoBatch() {
  const say = useSay()
  const form = use(FormContext)
  const isChecked = form?.draft['batch_number'] === NO_BATCH_NUMBER
  return (
    <Checkbox
      label={say('batches.without')}
      checked={isChecked}
      onChange={() => {
        form?.change('batch_number', isChecked ? '' : NO_BATCH_NUMBER)
        form?.change('expiry_date', isChecked ? '' : NO_EXPIRY)
      }}
    />
  )
}

/** A box that a scanner types into; the code fills the fields around it. */
function ScanFill({ barcode }: { barcode: string | null }) {
  const say = useSay()
  const form = use(FormContext)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<'batches.scanNothing' | 'batches.scanOther' | null>(null)

  function take(code: string) {
    const read = readGs1(code)
    if (!read) return setProblem('batches.scanNothing')
    if (read.gtin && barcode && bareBarcode(read.gtin) !== bareBarcode(barcode))
      return setProblem('batches.scanOther')
    setProblem(null)
    setText('')
    if (read.batch) form?.change('batch_number', read.batch)
    if (read.expiry) form?.change('expiry_date', read.expiry)
  }

  return (
    <>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={say('batches.scan')}
          description={say('batches.scanHint')}
          leftSection={<IconScan size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // a scanner ends with Enter, which must not send the form
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            if (text.trim()) take(text)
          }}
          dir="ltr"
          autoComplete="off"
          data-autofocus
          style={{ flex: 1 }}
        />
        <ScanButton onScan={take} />
      </Group>
      {problem && (
        <Alert role="alert" color="yellow" variant="light">
          {say(problem)}
        </Alert>
      )}
    </>
  )
}
