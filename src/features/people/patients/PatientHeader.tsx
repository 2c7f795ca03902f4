import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconId, IconPhone } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { DocumentTitle } from '~/ui/DocumentTitle'
import { nameOf } from './patient'
import { Died } from './Died'
import { PatientIdentity } from './PatientIdentity'
import { PatientPhoto } from './photos/PatientPhoto'
import type { Patient } from './patients.server'

type Props = {
  patient: Patient
  mayChange: boolean
  actions?: ReactNode
  /** What concerns each decision about the patient, such as a pregnancy: below the identity. */
  marks?: ReactNode
  /** The section of the record on screen, for the title of the browser's tab. */
  part?: string
}

/**
 * Identifies the patient, so that the right person is treated: photo, name, sex, age, date of
 * birth, numbers.
 */
export function PatientHeader({ patient, mayChange, actions, marks, part }: Props) {
  const say = useSay()
  const name = nameOf(patient) || say('patientPage.noName')
  const { phone, government_id, external_patient_id } = patient
  return (
    <Paper withBorder p="md" component="header">
      <DocumentTitle page={{ text: part ? `${part} · ${name}` : name }} />
      <Group justify="space-between" align="flex-start" gap="md">
        <Group align="flex-start" gap="md" wrap="nowrap" miw={0}>
          <PatientPhoto patient={patient} mayChange={mayChange} />
          <Stack gap={4} miw={0}>
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{name}</bdi>
            </Title>
            {patient.died_on && (
              <Group>
                <Died on={patient.died_on} />
              </Group>
            )}
            <Text size="sm">
              <PatientIdentity patient={patient} />
            </Text>
            {marks}
            <Group gap="md">
              {phone && (
                <Numbered label="patientPage.phone" icon={<IconPhone size={14} aria-hidden />}>
                  <Anchor size="sm" href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
                    {phone}
                  </Anchor>
                </Numbered>
              )}
              {government_id && (
                <Numbered label="patientPage.government_id" icon={<IconId size={14} aria-hidden />}>
                  {government_id}
                </Numbered>
              )}
              {external_patient_id && (
                <Numbered label="patientPage.external_patient_id">{external_patient_id}</Numbered>
              )}
            </Group>
          </Stack>
        </Group>
        {actions && (
          <Group gap="xs" data-print="no">
            {actions}
          </Group>
        )}
      </Group>
    </Paper>
  )
}

type NumberedProps = { label: MessageKey; icon?: ReactNode; children: ReactNode }

function Numbered({ label, icon, children }: NumberedProps) {
  const say = useSay()
  return (
    <Text
      size="sm"
      component="span"
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
    >
      {icon}
      <Text span size="xs" c="dimmed">
        {say(label)}
      </Text>
      <bdi dir="ltr">{children}</bdi>
    </Text>
  )
}
