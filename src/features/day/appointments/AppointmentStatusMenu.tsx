import { Menu } from '@mantine/core'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { runAsking } from '~/features/rules/earlier/save-asking'
import type { EarlierDayQuestion } from '~/shared/earlier-day'
import { confirm } from '~/ui/confirm'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import { StatusMenu } from '~/ui/menus'
import { isUsualMove, movesOffered } from './appointment'
import type { AppointmentStatus } from '~/features/rules/transitions/transitions'
import { type Urgency, URGENT } from '~/features/rules/transitions/urgency'
import { UrgencyBadge } from '~/features/rules/transitions/UrgencyBadge'

const tones: Record<AppointmentStatus, Tone> = {
  pending: 'plain',
  confirmed: 'good',
  checked_in: 'warning',
  completed: 'quiet',
  cancelled: 'bad',
}

type Shown = {
  id: string
  patient: string
  status: AppointmentStatus
  timestamp: Date | string
  is_archived?: boolean
  died_on?: string | null
}

export function AppointmentStatusBadge({ status }: { status: AppointmentStatus }) {
  return <StatusBadge tone={tones[status]}>{useSay()(`appointments.${status}`)}</StatusBadge>
}

/** Changes the status; an unusual change asks first. The toast can undo it. */
export function useMoveOn() {
  const say = useSay()
  const { run, pending } = useAction()
  async function moveOn(
    { id, patient: name, status }: Shown,
    to: AppointmentStatus,
    urgency?: Urgency,
  ) {
    const isUsual = isUsualMove(status, to)
    if (!isUsual && !(await isMeant(name, status, to))) return
    const set = (
      next: AppointmentStatus,
      more: { urgency?: Urgency; confirmed?: EarlierDayQuestion[] } = {},
    ) => api.appointments.setStatus({ id, status: next, isMeant: true, ...more })
    await runAsking(run, (confirmed) => set(to, { urgency, confirmed }), {
      success: {
        key: 'appointments.statusDone',
        values: { name, status: say(`appointments.${to}`) },
      },
      undo: () => set(status),
    })
  }
  const isMeant = (name: string, from: AppointmentStatus, to: AppointmentStatus) => {
    const values = { name, from: say(`appointments.${from}`), to: say(`appointments.${to}`) }
    const asked = say({ key: 'appointments.askText', values })
    return confirm({
      title: 'appointments.askTitle',
      text: { text: from === 'checked_in' ? `${asked} ${say('appointments.askVisit')}` : asked },
      action: 'appointments.askAction',
    })
  }
  return { moveOn, pending }
}

/** The status, and the moves from it: the usual ones first. */
export function AppointmentStatusMenu({ appointment }: { appointment: Shown }) {
  const say = useSay()
  const { moveOn, pending } = useMoveOn()
  const { patient: name, status } = appointment
  const badge = <AppointmentStatusBadge status={status} />
  if (appointment.is_archived) return badge
  // a patient who has died is not checked in any more; an arrival before the death is entered as completed
  const all = movesOffered(appointment)
  const usual = all.filter((to) => isUsualMove(status, to))
  const others = all.filter((to) => !usual.includes(to))
  const item = (to: AppointmentStatus) => [
    <Menu.Item key={to} onClick={() => void moveOn(appointment, to)}>
      {say(`appointments.${to}`)}
    </Menu.Item>,
    ...(to === 'checked_in' && usual.includes(to) ? URGENT : []).map((urgency) => (
      <Menu.Item
        key={`${to} ${urgency}`}
        rightSection={<UrgencyBadge urgency={urgency} />}
        onClick={() => void moveOn(appointment, to, urgency)}
      >
        {say(`appointments.${to}`)}
      </Menu.Item>
    )),
  ]
  return (
    <StatusMenu
      badge={badge}
      label={{
        key: 'appointments.changeStatus',
        values: { name, status: say(`appointments.${status}`) },
      }}
      pending={pending}
    >
      {usual.flatMap(item)}
      {usual.length > 0 && others.length > 0 && (
        <Menu.Label>{say('appointments.otherMoves')}</Menu.Label>
      )}
      {others.flatMap(item)}
    </StatusMenu>
  )
}
