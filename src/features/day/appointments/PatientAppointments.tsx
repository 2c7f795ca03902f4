import { Button, Group, Stack } from '@mantine/core'
import { IconCalendarPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Actor } from '~/shared/actor'
import { useSay } from '~/shared/say'
import type { Pagination } from '~/ui/Paging'
import type { Appointment } from './appointments.server'
import { AppointmentsTable } from './AppointmentsTable'

type Props = { patientId: string; rows: Appointment[]; pagination: Pagination; actor: Actor }

/** A patient's appointments, the furthest ahead first. */
export function PatientAppointments({ patientId, rows, pagination, actor }: Props) {
  const say = useSay()
  const book = (
    <Button
      variant="default"
      leftSection={<IconCalendarPlus size={16} aria-hidden />}
      renderRoot={(props) => (
        <Link
          to="/app/appointments/edit/{-$appointmentId}"
          params={{ appointmentId: 'new' }}
          search={{ patientId }}
          {...props}
        />
      )}
    >
      {say('appointments.book')}
    </Button>
  )
  return (
    <Stack gap="sm">
      {rows.length > 0 && <Group justify="flex-end">{book}</Group>}
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
