import { SimpleGrid } from '@mantine/core'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { medicineRecord } from '~/records/medicine'
import { RecordDialog } from '~/ui/RecordDialog'
import type { ListedMedicine } from './medicines.server'

type Props = { patientId: string; medicine?: ListedMedicine; onClose: () => void }

/** Records a medicine that the patient takes from elsewhere, or changes it. */
export const MedicineDialog = ({ patientId, medicine, onClose }: Props) => (
  <RecordDialog
    title={medicine ? 'medicines.edit' : 'medicines.add'}
    fields={medicineRecord.fields}
    record={medicine}
    suggested={{ ingredients: [] }}
    onSave={(values, version) =>
      saveAsking((confirmed) =>
        api.medicines.save({ ...values, ...version, patient_id: patientId, confirmed }),
      )
    }
    saved={({ name }) => ({ key: 'medicines.savedDone', values: { name } })}
    onClose={onClose}
  >
    {(Field) => (
      <>
        <Field name="name" />
        <Field name="ingredients" />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Field name="dose" />
          <Field name="source" />
          <Field name="since" />
          <Field name="until" />
        </SimpleGrid>
        <Field name="notes" />
      </>
    )}
  </RecordDialog>
)
