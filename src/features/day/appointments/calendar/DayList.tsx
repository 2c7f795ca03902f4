import { Table, VisuallyHidden } from '@mantine/core'
import { useFormatter, useTimeZone } from 'use-intl'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { TIME_OF_DAY } from '~/ui/clock'
import type { Appointment } from '../appointments.server'
import { Died } from '~/features/people/patients/Died'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { AppointmentReason } from '../AppointmentsTable'

/**
 * A day's appointments as a sheet of paper: for the desk, for a power cut. What began the evening before has its day
 * beside the time: the sheet would say that the patient comes tonight.
 */
export function DayList({
  appointments,
  day,
  label,
}: {
  appointments: readonly Appointment[]
  /** `yyyy-MM-dd` */
  day: string
  label: string
}) {
  const say = useSay()
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  const headings = [
    'time',
    'patient',
    'phone',
    'provider',
    'departments',
    'reason',
    'status',
  ] as const
  return (
    <Table withTableBorder withColumnBorders>
      <caption>
        <VisuallyHidden>{label}</VisuallyHidden>
      </caption>
      <Table.Thead>
        <Table.Tr>
          {headings.map((name) => (
            <Table.Th key={name} scope="col">
              {say(`appointments.${name}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {appointments.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              {format.dateTime(row.timestamp, {
                ...(dayIn(row.timestamp, timeZone) !== day && { day: 'numeric', month: 'short' }),
                ...TIME_OF_DAY,
              })}
            </Table.Td>
            <Table.Td>
              <bdi>{row.patient || say('patientPage.noName')}</bdi>{' '}
              {row.died_on && <Died on={row.died_on} />}
              <SecondIdentifier of={row.identifiers} />
            </Table.Td>
            <Table.Td>
              <bdi dir="ltr" style={{ whiteSpace: 'nowrap' }}>
                {row.phone}
              </bdi>
            </Table.Td>
            <Table.Td>
              <bdi>{row.provider}</bdi>
            </Table.Td>
            <Table.Td>
              <bdi>{row.departments.map(({ name }) => name).join(' › ')}</bdi>
            </Table.Td>
            <Table.Td>
              <AppointmentReason reason={row.reason} />
            </Table.Td>
            <Table.Td>{say(`appointments.${row.status}`)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
