import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTimeZone } from 'use-intl'
import { LinkAnchor } from '~/client/links'
import { Died } from '~/features/people/patients/Died'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import type { Actor } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { StatusBadge } from '~/ui/StatusBadge'
import { AppointmentMenu } from './AppointmentMenu'
import { AppointmentStatusMenu, useMoveOn } from './AppointmentStatusMenu'
import type { Appointment } from './appointments.server'

type Props = {
  rows: Appointment[]
  pagination: Pagination
  actor: Actor
  /** On the patient's own page the name would only repeat. */
  isOfPatient?: boolean
  empty: MessageKey
  emptyAction?: ReactNode
}

/**
 * Appointments with the names of patients, providers and clinics; the status is changed in place.
 */
export function AppointmentsTable({
  rows,
  pagination,
  actor,
  isOfPatient,
  empty,
  emptyAction,
}: Props) {
  const say = useSay()
  const columns: Column<Appointment>[] = [
    {
      key: 'timestamp',
      card: isOfPatient ? 'title' : 'badge',
      label: 'appointments.when',
      cell: ({ timestamp }) => <Moment at={timestamp} />,
    },
    {
      key: 'patient',
      card: 'title',
      label: 'appointments.patient',
      cell: (row) => <Patient {...row} />,
    },
    {
      key: 'status',
      card: 'badge',
      label: 'appointments.status',
      cell: (row) => <StatusAndCheckIn appointment={row} />,
    },
    { key: 'provider', label: 'appointments.provider', cell: ({ provider }) => named(provider) },
    {
      key: 'clinic',
      label: 'clinics.one',
      isOfClinic: true,
      cell: ({ clinic }) => <bdi>{clinic}</bdi>,
    },
    {
      key: 'departments',
      label: 'appointments.departments',
      cell: ({ departments }) => named(departments.map(({ name }) => name).join(' › ')),
    },
    { key: 'reason', label: 'appointments.reason', cell: (row) => <Why {...row} /> },
  ]
  return (
    <DataTable
      label="appointments.title"
      columns={isOfPatient ? columns.filter(({ key }) => key !== 'patient') : columns}
      rows={rows}
      pagination={pagination}
      rowLink={({ id }) => `/app/appointments/edit/${id}`}
      nameOf={({ patient }) => patient || say('patientPage.noName')}
      actions={(appointment) => <AppointmentMenu appointment={appointment} actor={actor} />}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

/** The status, and the check-in button beside a patient expected today. */
function StatusAndCheckIn({ appointment }: { appointment: Appointment }) {
  const say = useSay()
  const today = useToday()
  const timeZone = useTimeZone() ?? 'UTC'
  const { moveOn, pending } = useMoveOn()
  const { status, timestamp, is_archived, patient, died_on } = appointment
  const isExpected =
    (status === 'pending' || status === 'confirmed') && dayIn(timestamp, timeZone) === today
  return (
    <Group gap="xs" wrap="nowrap">
      <AppointmentStatusMenu appointment={appointment} />
      {isExpected && !is_archived && !died_on && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={pending}
          aria-label={say({
            key: 'appointments.checkInOf',
            values: { name: patient || say('patientPage.noName') },
          })}
          onClick={() => void moveOn(appointment, 'checked_in')}
        >
          {say('appointments.checkIn')}
        </Button>
      )}
    </Group>
  )
}

const named = (name: string | null) => (name ? <bdi>{name}</bdi> : <Nothing />)

function Patient({
  patient_id,
  patient,
  identifiers,
  token,
  is_walk_in,
  status,
  died_on,
}: Appointment) {
  const say = useSay()
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <LinkAnchor inherit to="/app/patients/$patientId" params={{ patientId: patient_id }}>
          <bdi>{patient || say('patientPage.noName')}</bdi>
        </LinkAnchor>
        {token !== null && status === 'checked_in' && (
          <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {say({ key: 'appointments.token', values: { number: token } })}
          </Text>
        )}
        {died_on && <Died on={died_on} />}
        {is_walk_in && <StatusBadge tone="quiet">{say('appointments.walkIn')}</StatusBadge>}
      </Group>
      <SecondIdentifier of={identifiers} />
    </>
  )
}

/** A phone may have written a reason of its own. */
export function AppointmentReason({ reason }: { reason: string }) {
  const say = useSay()
  const known = APPOINTMENT_REASONS.find((one) => one === reason)
  return known ? say(`appointments.reasons.${known}`) : <bdi>{reason}</bdi>
}

function Why({ reason, series_id }: Appointment) {
  const say = useSay()
  if (!series_id) return <AppointmentReason reason={reason} />
  return (
    <Group gap={6} wrap="nowrap">
      <AppointmentReason reason={reason} />
      <IconRepeat size={14} aria-hidden />
      <VisuallyHidden>{say('appointments.series')}</VisuallyHidden>
    </Group>
  )
}
