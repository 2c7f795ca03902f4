import { Button, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type OperationResult, api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { patientName } from '~/features/people/patients/patient'
import { PatientIdentity } from '~/features/people/patients/PatientIdentity'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { EmergencyButton } from './EmergencyButton'
import { lookUpFields } from './opening'

type Found = OperationResult<'emergencies.lookUp'>['patients'][number]

/** Leaving loses nothing that was entered. */
const ignore = () => {}
/** The button that opened the form no longer exists. */
const takeFocus = (section: HTMLElement | null) => section?.querySelector('input')?.focus()

/** Where no known patient matches: looks for a patient of another clinic, with emergency access beside each match. */
export function EmergencySearch({ search }: { search: string }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  const [found, setFound] = useState<Found[] | null>(null)
  if (!isOpen)
    return (
      <Button variant="default" w="fit-content" mt="md" onClick={() => setOpen(true)}>
        {say('sharing.emergency')}
      </Button>
    )
  const [given_name = '', ...rest] = search.trim().split(/\s+/)
  const surname = rest.join(' ')
  return (
    <Paper withBorder p="md" mt="md" component="section" ref={takeFocus}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say('sharing.emergency')}
        </Title>
        <Text size="sm">{say('sharing.emergencySearchText')}</Text>
        <FieldForm
          fields={lookUpFields}
          suggested={{ given_name, surname, date_of_birth: null }}
          submit="sharing.lookUp"
          onDraft={ignore}
          onSubmit={async (values) => setFound((await api.emergencies.lookUp(values)).patients)}
        >
          {(Field) => (
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
              <Field name="given_name" />
              <Field name="surname" />
              <Field name="date_of_birth" />
            </SimpleGrid>
          )}
        </FieldForm>
        {found && <Matches found={found} />}
      </Stack>
    </Paper>
  )
}

function Matches({ found }: { found: Found[] }) {
  const say = useSay()
  return (
    <>
      <Text size="sm" fw={600} component="output">
        {say({ key: 'form.found', values: { count: found.length } })}
      </Text>
      <List listStyleType="none" spacing="md">
        {found.map((patient) => (
          <List.Item key={patient.id}>
            <Match patient={patient} />
          </List.Item>
        ))}
      </List>
    </>
  )
}

function Match({ patient }: { patient: Found }) {
  const say = useSay()
  const { id, clinic, isKnown } = patient
  const name = patientName(patient) || say('patientPage.noName')
  return (
    <Stack gap={4}>
      {isKnown ? (
        <LinkAnchor fw={600} size="sm" to="/app/patients/$patientId" params={{ patientId: id }}>
          <bdi>{name}</bdi>
        </LinkAnchor>
      ) : (
        <Text fw={600} size="sm">
          <bdi>{name}</bdi>
        </Text>
      )}
      <Text size="sm">
        <PatientIdentity patient={patient} />
      </Text>
      {clinic && (
        <Text size="sm">{say({ key: 'duplicates.elsewhere', values: { clinics: clinic } })}</Text>
      )}
      {!isKnown && <EmergencyButton patientId={id} name={name} />}
    </Stack>
  )
}
