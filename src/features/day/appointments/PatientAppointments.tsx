import { Group, Stack } from '@mantine/core'
import { IconCalendarPlus } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import type { Actor } from '~/shared/actor'
import { useSay } from '~/shared/say'
import type { Pagination } from '~/ui/Paging'
import type { Appointment } from './appointments.server'
import { AppointmentsTable } from './AppointmentsTable'

type Props = {
  patientId: string
  rows: Appointment[]
  pagination: Pagination
  mayBook: boolean
  actor: Actor
}

/** A patient's appointments, the furthest ahead first. */
export function PatientAppointments({ patientId, rows, pagination, mayBook, actor }: Props) {
  const say = useSay()
  const book = mayBook && (
    <LinkButton
      variant="default"
      leftSection={<IconCalendarPlus size={16} aria-hidden />}
      to="/app/appointments/edit/{-$appointmentId}"
      params={{ appointmentId: 'new' }}
      search={{ patientId }}
    >
      {say('appointments.book')}
    </LinkButton>
  )
  return (
    <Stack gap="sm">
      {rows.length > 0 && book && <Group justify="flex-end">{book}</Group>}
      <AppointmentsTable
        rows={rows}
        pagination={pagination}
        actor={actor}
        isOfPatient
        empty="appointments.emptyOfPatient"
        emptyAction={book}
      />
    </Stack>
  )
}
