import { Group, Paper, Text } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { AppointmentStatusBadge } from './AppointmentStatusMenu'
import type { Appointment } from './appointments.server'
import { AppointmentReason } from './AppointmentsTable'

/** When the patient is expected next, at a glance. */
export function NextAppointment({ appointment }: { appointment: Appointment | null }) {
  const say = useSay()
  if (!appointment) {
    return (
      <Text size="sm" c="dimmed">
        {say('appointments.nothingBooked')}
      </Text>
    )
  }
  const { id, timestamp, status, reason, clinic, provider } = appointment
  return (
    <Paper withBorder p="sm">
      <Group gap="sm">
        <LinkAnchor
          fw={600}
          size="sm"
          to="/app/appointments/edit/{-$appointmentId}"
          params={{ appointmentId: id }}
        >
          <Moment at={timestamp} />
        </LinkAnchor>
        <AppointmentStatusBadge status={status} />
        <Text size="sm" c="dimmed">
          <AppointmentReason reason={reason} /> · <bdi>{clinic}</bdi>
          {provider && (
            <>
              {' · '}
              <bdi>{provider}</bdi>
            </>
          )}
        </Text>
      </Group>
    </Paper>
  )
}
