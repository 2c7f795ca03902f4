import { Anchor, Group, Text } from '@mantine/core'
import { IconId, IconPhone } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { DocumentTitle } from '~/ui/DocumentTitle'
import classes from './PatientHeader.module.css'
import type { Patient } from './patients.server'

type Props = {
  patient: Patient
  actions?: ReactNode
  /** The section of the record on screen, for the title of the browser's tab. */
  part?: string
}

/** Below the line that says who the patient is: how to reach the patient, the ids, and what can be done. */
export function PatientHeader({ patient, actions, part }: Props) {
  const { phone, government_id, external_patient_id } = patient
  return (
    <Group component="header" justify="space-between" align="center" gap="sm">
      <DocumentTitle page={part === undefined ? undefined : { text: part }} />
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
      {actions && (
        <Group gap="xs" className={classes.actions} data-print="no">
          {actions}
        </Group>
      )}
    </Group>
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
