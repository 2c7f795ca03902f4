import { Anchor, Paper, Text, Title } from '@mantine/core'
import { useId } from 'react'
import { LinkAnchor } from '~/client/links'
import { Died } from '~/features/people/patients/Died'
import { BirthDate } from '~/features/people/patients/PatientIdentity'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { RecordList } from '~/ui/RecordList'
import { RecordText } from '~/ui/RecordText'
import { RelatedPersonDialog } from './RelatedPersonDialog'
import type { RelatedPerson } from './related-persons.server'

type Props = {
  patientId: string
  persons: readonly RelatedPerson[]
  mayChange: boolean
}

/** The family and the contact persons of a patient, and the patients whose family this one is. */
export function PatientRelatedPersons({ patientId, persons, mayChange }: Props) {
  const say = useSay()
  const titleId = useId()
  const relatedPersonName = ({ other, name, isPatient }: RelatedPerson) =>
    other
      ? other.name || say('patientPage.noName')
      : (name ?? (isPatient ? say('relatedPersons.hidden') : ''))
  const columns: Column<RelatedPerson>[] = [
    {
      key: 'name',
      label: 'relatedPersons.name',
      cell: (person) =>
        person.other ? (
          <>
            <LinkAnchor to="/app/patients/$patientId" params={{ patientId: person.other.id }}>
              <bdi>{relatedPersonName(person)}</bdi>
            </LinkAnchor>
            <Text size="xs" c="dimmed">
              <BirthDate patient={person.other} />
            </Text>
            {person.other.died_on && <Died on={person.other.died_on} />}
          </>
        ) : (
          <bdi>{relatedPersonName(person)}</bdi>
        ),
    },
    {
      key: 'relationship',
      label: 'relatedPersons.relationship',
      card: 'badge',
      cell: ({ relationship }) => say(`relatedPersons.is_${relationship}`),
    },
    {
      key: 'phone',
      label: 'relatedPersons.phone',
      cell: ({ other, phone }) => <Telephone number={other ? other.phone : phone} />,
    },
    {
      key: 'notes',
      label: 'relatedPersons.notes',
      cell: ({ notes }) => (notes ? <RecordText>{notes}</RecordText> : <Nothing />),
    },
  ]
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <RecordList
        noun="relatedPersons"
        rows={persons}
        columns={columns}
        nameOf={relatedPersonName}
        mayEdit={mayChange}
        mayDelete={mayChange}
        // changed on the other record: contacts recorded there, and links to a patient without access
        isEditable={({ relationship, isPatient, other }) =>
          relationship !== 'contactOf' && (!isPatient || other !== null)
        }
        heading={
          <Title order={2} size="h4" id={titleId}>
            {say('relatedPersons.title')}
          </Title>
        }
        dialog={(person, onClose) => <RelatedPersonDialog {...{ patientId, person, onClose }} />}
      />
    </Paper>
  )
}

function Telephone({ number }: { number: string | null }) {
  if (!number) return <Nothing />
  return (
    <Anchor size="sm" href={`tel:${number.replaceAll(/[^\d+]/g, '')}`}>
      <bdi dir="ltr">{number}</bdi>
    </Anchor>
  )
}
