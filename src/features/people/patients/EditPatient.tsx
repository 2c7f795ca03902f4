import { SimpleGrid } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { CancelButton } from '~/ui/CancelButton'
import { toast } from '~/ui/toast'
import { useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import {
  fieldsOfChange,
  newOutsideTables,
  notBelow,
} from '~/features/people/registration/form-fields'
import { RegistrationFields } from '~/features/people/registration/RegistrationFields'
import { asksToCancel } from '~/features/rules/transitions/cancel-to-come'
import type { RegistrationForm } from '~/features/people/registration/registration-form'
import type { Language } from '~/shared/language'
import { date, type Fields, optional } from '~/fields/field'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { asksWeeksAtBirth, weeksAtBirthField } from './weeks-at-birth'
import { patientName } from './patient'
import { answersByName, givenAnswers } from './patient-answers'
import type { Patient } from './patients.server'

type Props = { patient: Patient; form: RegistrationForm; language: Language; onClose: () => void }

/**
 * Edits a patient with the fields of the registration form. The surrounding screen reloads the
 * patient.
 */
export function EditPatient({ patient, form, language, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const timeZone = useTimeZone() ?? 'UTC'
  const answers = answersByName(
    form.fields,
    patient,
    Object.values(patient.additional_attributes),
    timeZone,
  )
  const today = useToday()
  const asksWeeks =
    asksWeeksAtBirth(patient.date_of_birth, today) || patient.weeks_at_birth !== null
  const values = {
    ...answers,
    language: patient.language,
    died_on: patient.died_on,
    ...(asksWeeks && { weeks_at_birth: patient.weeks_at_birth }),
  }
  const fields: Fields = {
    ...fieldsOfChange(form.fields, language, answers),
    ...(asksWeeks && { weeks_at_birth: weeksAtBirthField }),
    died_on: optional(date('patients.died_on')),
  }
  return (
    <Dialog
      onClose={onClose}
      size="xl"
      title={say({ key: 'registration.editOne', values: { name: patientName(patient) } })}
    >
      <FieldForm
        fields={fields}
        values={values as never} // the fields of the registration form are data, which no type can name
        submit="common.save"
        between={(draft) => notBelow(newOutsideTables(form.fields, draft, answers))}
        cancel={<CancelButton onClick={onClose} />}
        onSubmit={async (changed) => {
          const { id, last_modified } = patient
          const died_on = changed['died_on'] as string | null
          const cancel_appointments =
            died_on !== null &&
            patient.died_on === null &&
            (await asksToCancel(id, patientName(patient)))
          await saveAsking((confirmed) =>
            api.patients.save({
              id,
              last_modified,
              died_on,
              cancel_appointments,
              confirmed,
              ...givenAnswers(changed),
            }),
          )
          await router.invalidate()
          const newName = patientName({ ...patient, ...(changed as Partial<typeof patient>) })
          toast.success(say({ key: 'registration.saved', values: { name: newName } }))
          onClose()
        }}
      >
        {(Field) => (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md">
            <RegistrationFields
              form={form}
              names={Object.keys(fields)}
              Field={Field}
              kept={answers}
            />
          </SimpleGrid>
        )}
      </FieldForm>
    </Dialog>
  )
}
