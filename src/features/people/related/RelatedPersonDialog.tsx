import { Text } from '@mantine/core'
import { type ComponentProps, use, useState } from 'react'
import { api } from '~/client/api'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { relatedPersonRecord } from '~/records/related-person'
import { useSay } from '~/shared/say'
import { FormContext, useOwnField } from '~/ui/FormField'
import { RecordDialog } from '~/ui/RecordDialog'
import { relatedPersonFault } from './related-person'
import type { RelatedPerson } from './related-persons.server'

type Props = { patientId: string; person?: RelatedPerson; onClose: () => void }
const fields = relatedPersonRecord.fields
type Stored = NonNullable<ComponentProps<typeof RecordDialog<typeof fields>>['record']>

/** Records a family member or a contact person: another patient, or a name with a telephone. */
export function RelatedPersonDialog({ patientId, person, onClose }: Props) {
  return (
    <RecordDialog
      title={person ? 'relatedPersons.edit' : 'relatedPersons.add'}
      fields={fields}
      record={person && toStoredValues(person)}
      ownFields={['related_patient_id']}
      between={(draft) => relatedPersonFault(draft)}
      onSave={(values, version) =>
        api.relatedPersons.save({ ...values, ...version, patient_id: patientId })
      }
      saved={() => 'relatedPersons.savedDone'}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <Field name="relationship" />
          <OtherPatient named={person?.other ?? null} />
          <Field name="name" />
          <Field name="phone" />
          <Field name="notes" />
        </>
      )}
    </RecordDialog>
  )
}

/** As the patient's record shows it: a parent of unknown sex is chosen again. */
const toStoredValues = ({
  id,
  last_modified,
  relationship,
  name,
  phone,
  notes,
  other,
}: RelatedPerson) =>
  ({
    id,
    last_modified,
    relationship: relationship === 'parent' || relationship === 'contactOf' ? null : relationship,
    related_patient_id: other?.id ?? null,
    name,
    phone,
    notes,
  }) as Stored

function OtherPatient({ named }: { named: { id: string; name: string } | null }) {
  const say = useSay()
  const form = use(FormContext)
  const { error } = useOwnField('related_patient_id')
  const [chosen, setChosen] = useState(named)
  return (
    <div>
      <PatientPicker
        label="relatedPersons.patient"
        value={chosen}
        onChange={(patient) => {
          setChosen(patient)
          form?.change('related_patient_id', patient?.id ?? null)
        }}
        error={error && say(error)}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {say('relatedPersons.patientHint')}
      </Text>
    </div>
  )
}
