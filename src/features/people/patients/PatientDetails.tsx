import { Button, Group, Paper, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter, useTimeZone } from 'use-intl'
import {
  answersOutsideTables,
  askedFields,
  buildFields,
  missingAnswers,
} from '~/features/people/registration/form-fields'
import type { RegistrationForm } from '~/features/people/registration/registration-form'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { fieldColumns } from '~/ui/columns'
import { Details } from '~/ui/Details'
import { EditPatient } from './EditPatient'
import { answersByName } from './patient-answers'
import type { Patient } from './patients.server'

type Props = { patient: Patient; form: RegistrationForm; language: Language; mayChange: boolean }

/** The answers to the registration form, with a button to edit them if the user may. */
export function PatientDetails({ patient, form, language, mayChange }: Props) {
  const say = useSay()
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  const [isEditing, setEditing] = useState(false)
  const answers = answersByName(
    askedFields(form.fields),
    patient,
    Object.values(patient.additional_attributes),
    timeZone,
  )
  const fields = buildFields(form.fields, language, answers)
  const missing = missingAnswers(form.fields, language, answers)
  const outside = answersOutsideTables(form.fields, language, answers)
  return (
    <Paper withBorder p="md">
      {mayChange && (
        <Group justify="flex-end" data-print="no">
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(true)}
          >
            {say('common.edit')}
          </Button>
        </Group>
      )}
      {missing.length > 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          {say({ key: 'registration.missing', values: { names: format.list(missing) } })}
        </Text>
      )}
      {patient.weeks_at_birth !== null && (
        <Text size="sm" mb="xs">
          {say('patients.weeksAtBirth')}: {format.number(patient.weeks_at_birth)}
        </Text>
      )}
      {outside.map(({ name, label }) => (
        <Text key={name} size="sm" c="dimmed" mb="xs">
          {say({ key: 'registration.outsideTable', values: { name: label } })}
        </Text>
      ))}
      <Details row={answers} columns={fieldColumns(fields)} />
      {isEditing && (
        <EditPatient
          patient={patient}
          form={form}
          language={language}
          onClose={() => setEditing(false)}
        />
      )}
    </Paper>
  )
}
