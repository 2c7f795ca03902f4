import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core'
import {
  IconArrowRight,
  IconBell,
  IconCheck,
  IconDoorExit,
  IconPlayerPlay,
  IconUserOff,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { type Urgency, URGENCIES } from '~/features/rules/transitions/urgency'
import { UrgencyBadge } from '~/features/rules/transitions/UrgencyBadge'
import { AppointmentReason } from '~/features/day/appointments/AppointmentsTable'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { StatusBadge } from '~/ui/StatusBadge'
import { RowMenu, StatusMenu } from '~/ui/menus'
import { TIME_OF_DAY } from '~/ui/clock'
import classes from './Queue.module.css'
import type { QueuedPerson, QueueStep } from './queue.server'
import { QueueRow } from './QueueRow'

type Named = { id: string; name: string }
type Props = {
  person: QueuedPerson
  /** The viewer reads records in this clinic. */
  mayOpen: boolean
  step: QueueStep
  now: Date
  departments: readonly Named[]
  /** If all patients shown are in the same department, its name would only repeat. */
  isOneDepartment: boolean
}

/** What is done with a patient, and in which state it is offered, as the button, the bell or in the menu. */
type Action = 'start' | 'call' | 'passOver' | 'finish' | 'leave'
type State = 'waiting' | 'called' | 'seen'
type Offered = { action: Action; words: MessageKey; isNext?: true }

const FINISH: Offered = { action: 'finish', words: 'queue.finish' }
const LEAVE: Offered = { action: 'leave', words: 'queue.leave' }
/** `call`: the word of the button with the bell. */
type OfferedIn = { main: Offered; call?: MessageKey; menu: readonly Offered[] }
const OFFERED: Record<State, OfferedIn> = {
  waiting: {
    main: { action: 'start', words: 'queue.start' },
    call: 'queue.call',
    menu: [FINISH, LEAVE],
  },
  called: {
    main: { action: 'start', words: 'queue.start', isNext: true },
    call: 'queue.callAgain',
    menu: [{ action: 'passOver', words: 'queue.passOver' }, FINISH, LEAVE],
  },
  seen: { main: { ...FINISH, isNext: true }, menu: [] },
}
const ICONS: Record<Action, typeof IconCheck> = {
  start: IconPlayerPlay,
  call: IconBell,
  passOver: IconUserOff,
  finish: IconCheck,
  leave: IconDoorExit,
}

/** A patient who waits or is being seen: since when, the provider, and what comes next. */
export function QueuePerson({ person, mayOpen, step, now, departments, isOneDepartment }: Props) {
  const say = useSay()
  const time = useTimeOfDay()
  const { token } = person
  const name = person.patient || say('patientPage.noName')
  const { act, sendTo, setUrgency, pending } = useActions(person, step, name, mayOpen)
  const state = stepState(step)
  const { main, call, menu } = OFFERED[state]
  const since =
    (state === 'seen' ? (step.seenAt ?? step.calledAt) : step.waitingSince) ?? person.arrivedAt
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000))

  return (
    <QueueRow
      lead={
        <Text
          className={classes.token}
          component="span"
          aria-label={say({ key: 'appointments.token', values: { number: token } })}
        >
          {token}
        </Text>
      }
      patientId={person.patientId}
      patient={person.patient}
      identifiers={person.identifiers}
      diedOn={person.diedOn}
      urgency={person.urgency}
      isCalled={state === 'called'}
      facts={
        <>
          <PatientAge patient={person.born} />
          {' · '}
          {!isOneDepartment && step.department && (
            <>
              <bdi>{step.department}</bdi> ·{' '}
            </>
          )}
          <AppointmentReason reason={person.reason} />
          {person.provider && (
            <>
              {' · '}
              <bdi>{person.provider}</bdi>
            </>
          )}
        </>
      }
      state={<StepState step={step} state={state} />}
    >
      <div className={classes.status}>
        <StatusMenu
          badge={<UrgencyBadge urgency={person.urgency} />}
          label={{
            key: 'urgency.change',
            values: { name, urgency: say(`urgency.${person.urgency}`) },
          }}
          pending={pending}
        >
          {URGENCIES.filter((urgency) => urgency !== person.urgency).map((urgency) => (
            <Menu.Item key={urgency} onClick={() => void setUrgency(urgency)}>
              <UrgencyBadge urgency={urgency} />
            </Menu.Item>
          ))}
        </StatusMenu>
        <Text
          size="sm"
          c="dimmed"
          className={classes.since}
          title={say({ key: 'queue.waitsSince', values: { time: time(since) } })}
        >
          {say({ key: 'queue.sinceMinutes', values: { count: minutes } })}
        </Text>
      </div>
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-sm"
          variant={main.isNext ? 'filled' : 'default'}
          disabled={pending}
          leftSection={<ActionSymbol action={main.action} size={14} />}
          onClick={() => void act[main.action]()}
        >
          {say(main.words)}
        </Button>
        {call && (
          <ActionIcon
            size={26}
            variant="default"
            disabled={pending}
            aria-label={say(call)}
            title={say(call)}
            onClick={() => void act.call()}
          >
            <ActionSymbol action="call" size={14} />
          </ActionIcon>
        )}
        <RowMenu label={{ key: 'queue.actionsFor', values: { name } }}>
          {menu.map(({ action, words }) => (
            <Menu.Item
              key={action}
              leftSection={<ActionSymbol action={action} size={16} />}
              onClick={() => void act[action]()}
            >
              {say(words)}
            </Menu.Item>
          ))}
          {departments.length > 0 && <Menu.Label>{say('queue.sendOn')}</Menu.Label>}
          {departments
            .filter(({ id }) => id !== step.departmentId)
            .map((department) => (
              <Menu.Item
                key={department.id}
                leftSection={<IconArrowRight size={16} aria-hidden className={classes.ahead} />}
                onClick={() => void sendTo(department)}
              >
                <bdi>{department.name}</bdi>
              </Menu.Item>
            ))}
        </RowMenu>
      </Group>
    </QueueRow>
  )
}

/** Who called or sees the patient since when; that a call was not answered. */
function StepState({ step, state }: { step: QueueStep; state: State }) {
  const say = useSay()
  const time = useTimeOfDay()
  if (state === 'seen' && step.seenBy)
    return (
      <Text size="xs">
        {say({ key: 'queue.seenBy', values: { who: step.seenBy, time: time(step.seenAt) } })}
      </Text>
    )
  if (state === 'called')
    return (
      <Text size="xs" fw={500}>
        {say({
          key: 'queue.calledBy',
          values: { who: step.calledBy ?? '—', time: time(step.calledAt) },
        })}
      </Text>
    )
  return state === 'waiting' && step.passedOverAt ? (
    <StatusBadge tone="warning">{say('queue.passedOver')}</StatusBadge>
  ) : null
}

function useTimeOfDay() {
  const format = useFormatter()
  return (at: Date | null) => (at ? format.dateTime(at, TIME_OF_DAY) : '—')
}

function ActionSymbol({ action, size }: { action: Action; size: number }) {
  const Icon = ICONS[action]
  return <Icon size={size} aria-hidden />
}

function stepState({ status, calledAt }: QueueStep): State {
  if (status === 'in_progress') return 'seen'
  return calledAt ? 'called' : 'waiting'
}

function useActions(person: QueuedPerson, step: QueueStep, name: string, mayOpen: boolean) {
  const say = useSay()
  const { run, pending } = useAction()
  const navigate = useNavigate()
  const { id: appointmentId, patientId } = person
  const where = { appointmentId, position: step.position }
  const act: Record<Action, () => Promise<unknown>> = {
    // users who may read the record continue there
    async start() {
      const started = await run(() => api.queue.start(where))
      if (started && mayOpen)
        await navigate({ to: '/app/patients/$patientId', params: { patientId } })
    },
    call: () => run(() => api.queue.call(where)),
    passOver: () => run(() => api.queue.passOver(where)),
    finish: () =>
      run(() => api.queue.finish(where), {
        success: ({ isCompleted }) => ({
          key: isCompleted ? 'queue.completedDone' : 'queue.finishedDone',
          values: { name },
        }),
      }),
    leave: () =>
      run(() => api.queue.leave({ appointmentId }), {
        success: { key: 'queue.leftDone', values: { name } },
        undo: () =>
          api.appointments.setStatus({ id: appointmentId, status: 'checked_in', isMeant: true }),
      }),
  }
  const sendTo = (department: Named) =>
    run(() => api.queue.send({ appointmentId, departmentId: department.id }), {
      success: { key: 'queue.sentDone', values: { name, department: department.name } },
    })
  const setUrgency = (urgency: Urgency) =>
    run(() => api.queue.setUrgency({ appointmentId, urgency }), {
      success: { key: 'urgency.changed', values: { name, urgency: say(`urgency.${urgency}`) } },
      undo: () => api.queue.setUrgency({ appointmentId, urgency: person.urgency }),
    })
  return { act, sendTo, setUrgency, pending }
}
