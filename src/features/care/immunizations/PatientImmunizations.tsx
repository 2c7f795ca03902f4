import { Text } from '@mantine/core'
import { IconClipboardText } from '@tabler/icons-react'
import { immunizationRecord } from '~/records/immunization'
import type { Actor } from '~/shared/actor'
import { useSay } from '~/shared/say'
import type { Vaccine } from '~/shared/vaccines'
import { type Column, fieldColumns, Nothing } from '~/ui/columns'
import { recordedBy } from '~/ui/RecordedBy'
import { Day } from '~/ui/Day'
import { RecordList } from '~/ui/RecordList'
import { StatusBadge } from '~/ui/StatusBadge'
import { ImmunizationDialog } from './ImmunizationDialog'
import type { Immunization } from './immunizations.server'
import { NotCounted } from './NotCounted'

type Dose = { vaccine: Vaccine; dose_number: number | null }

/** "Polio, oral (OPV), dose 2". */
export function doseName({ vaccine, dose_number }: Dose, say: ReturnType<typeof useSay>): string {
  const name = say(`immunizations.vaccines.${vaccine}`)
  return dose_number === null
    ? name
    : say({ key: 'immunizations.doseOf', values: { vaccine: name, number: dose_number } })
}

type Props = {
  patientId: string
  immunizations: readonly Immunization[]
  visit?: { id: string; clinic_id: string }
  actor: Actor
  mayEdit: boolean
  mayDelete: boolean
}

/** A dose that a form recorded is changed in the form. */
const isOwn = ({ event_id }: Immunization) => event_id === null

/** Nobody receives a vaccine twice on one day: a program, a form or two users may have recorded it twice. */
const isRepeated = ({ id, vaccine, given_on }: Immunization, rows: readonly Immunization[]) =>
  rows.some((row) => row.id !== id && row.vaccine === vaccine && row.given_on === given_on)

/** A column that is empty in each row is left out. */
const DETAILS = ['lot', 'notes'] as const

/** The doses that the patient was given, newest first. */
export function PatientImmunizations({
  patientId,
  immunizations: rows,
  visit,
  actor,
  ...rights
}: Props) {
  const say = useSay()
  const { fields } = immunizationRecord
  const columns: Column<Immunization>[] = [
    {
      key: 'vaccine',
      card: 'title',
      label: 'immunizations.vaccine',
      cell: (dose) => (
        <>
          <bdi>{doseName(dose, say)}</bdi>
          {isRepeated(dose, rows) && (
            <div>
              <StatusBadge tone="warning">{say('immunizations.twice')}</StatusBadge>
            </div>
          )}
          {dose.not_counted.length > 0 && (
            <Text size="sm" c="orange.9">
              <NotCounted verdicts={dose.not_counted} />
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'given_on',
      label: fields.given_on.label,
      cell: ({ given_on }) => <Day value={given_on} />,
    },
    {
      key: 'clinic_id',
      label: 'immunizations.clinic',
      cell: ({ clinic }) => (clinic ? <bdi>{clinic}</bdi> : <Nothing />),
    },
    ...fieldColumns(
      fields,
      DETAILS.filter((name) => rows.some((row) => row[name] !== null)),
    ),
    recordedBy,
  ]
  return (
    <RecordList
      noun="immunizations"
      rows={rows}
      columns={columns}
      nameOf={(dose) => doseName(dose, say)}
      {...rights}
      isEditable={isOwn}
      isDeletable={isOwn}
      actions={[
        {
          label: 'immunizations.openForm',
          icon: IconClipboardText,
          link: ({ event_id }) => `/app/events/${event_id}`,
          isFor: (dose) => !isOwn(dose),
        },
      ]}
      dialog={(immunization, onClose) => (
        <ImmunizationDialog {...{ patientId, immunization, visit, actor, onClose }} />
      )}
    />
  )
}
