import { Button, SimpleGrid } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'sonner'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { medicineFields } from './medicine'
import { saveMedicine } from './medicines.functions'
import type { ListedMedicine } from './medicines.server'

type Props = { patientId: string; medicine?: ListedMedicine; onClose: () => void }

/** Records a medicine that the patient takes from elsewhere, or changes it. */
export function MedicineDialog({ patientId, medicine, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(() => medicine?.id ?? newId())
  return (
    <Dialog onClose={onClose} size="lg" title={say(medicine ? 'medicines.edit' : 'medicines.add')}>
      <FieldForm
        fields={medicineFields}
        values={medicine}
        suggested={{ ingredients: [] }}
        submit="common.save"
        cancel={
          <Button variant="default" onClick={onClose}>
            {say('common.cancel')}
          </Button>
        }
        onSubmit={async (values) => {
          await saveMedicine({
            data: { id, patient_id: patientId, last_modified: medicine?.last_modified, ...values },
          })
          await router.invalidate()
          toast.success(say({ key: 'medicines.savedDone', values: { name: values.name } }))
          onClose()
        }}
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
      </FieldForm>
    </Dialog>
  )
}
