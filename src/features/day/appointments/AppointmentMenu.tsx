import { Menu } from '@mantine/core'
import {
  IconCalendar,
  IconCalendarCancel,
  IconCalendarCheck,
  IconCalendarX,
  IconCheck,
  IconDoorEnter,
  IconPencil,
  IconPrinter,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import { useDelete } from '~/ui/delete'
import { type Actor, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { DeleteItem } from '~/ui/menus'
import { isUsualMove, movesOffered } from './appointment'
import type { AppointmentStatus } from '~/features/rules/transitions/transitions'
import { useMoveOn } from './AppointmentStatusMenu'
import type { Appointment } from './appointments.server'

const moveIcons = {
  pending: IconCalendar,
  confirmed: IconCalendarCheck,
  checked_in: IconDoorEnter,
  completed: IconCheck,
  cancelled: IconCalendarCancel,
} as const satisfies Record<AppointmentStatus, TablerIcon>

type Props = { appointment: Appointment; actor: Actor }

/** Menu items for an appointment. */
export function AppointmentMenu({ appointment, actor }: Props) {
  const { id, patient: name, patient_id, clinic_id, series_id, status, is_archived } = appointment
  const say = useSay()
  const { run } = useAction()
  const { remove } = useDelete()
  const { moveOn } = useMoveOn()

  async function cancelRest() {
    const isMeant = await confirm({
      text: { key: 'appointments.cancelSeriesAsks', values: { name } },
      action: 'appointments.cancelSeries',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => api.appointments.cancelSeries({ id }), {
      success: ({ cancelled }) => ({
        key: 'appointments.cancelledSeries',
        values: { count: cancelled },
      }),
    })
  }

  const deleteIt = () => remove('appointments', id, { name })

  return (
    <>
      {!is_archived && (
        <LinkMenuItem
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/appointments/edit/{-$appointmentId}"
          params={{ appointmentId: id }}
        >
          {say('common.edit')}
        </LinkMenuItem>
      )}
      <LinkMenuItem
        leftSection={<IconUser size={16} aria-hidden />}
        to="/app/patients/$patientId"
        params={{ patientId: patient_id }}
      >
        {say('appointments.openRecord')}
      </LinkMenuItem>
      <LinkMenuItem
        leftSection={<IconPrinter size={16} aria-hidden />}
        to="/app/appointments/print/$appointmentId"
        params={{ appointmentId: id }}
      >
        {say('paper.printSlip')}
      </LinkMenuItem>
      {!is_archived &&
        movesOffered(appointment)
          .filter((to) => isUsualMove(status, to))
          .map((to) => {
            const Icon = moveIcons[to]
            return (
              <Menu.Item
                key={to}
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => void moveOn(appointment, to)}
              >
                {say(`appointments.move_${to}`)}
              </Menu.Item>
            )
          })}
      {!is_archived && series_id && (status === 'pending' || status === 'confirmed') && (
        <Menu.Item leftSection={<IconCalendarX size={16} aria-hidden />} onClick={cancelRest}>
          {say('appointments.cancelSeries')}
        </Menu.Item>
      )}
      {!is_archived && mayIn(actor, 'can_delete_records', clinic_id) && (
        <>
          <Menu.Divider />
          <DeleteItem label="appointments.delete" onClick={deleteIt} />
        </>
      )}
    </>
  )
}
