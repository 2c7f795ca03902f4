import { ActionIcon, Button, Group, Menu, Paper, Stack, Text } from '@mantine/core'
import {
  IconArrowRight,
  IconBell,
  IconCheck,
  IconDoorExit,
  IconDotsVertical,
  IconPlayerPlay,
  IconUserOff,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { Died } from '~/features/people/patients/Died'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { type Urgency, URGENCIES } from '~/features/rules/transitions/urgency'
import { UrgencyBadge } from '~/features/rules/transitions/UrgencyBadge'
import { AppointmentReason } from '~/features/day/appointments/AppointmentsTable'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { StatusBadge } from '~/ui/StatusBadge'
import { StatusMenu } from '~/ui/menus'
import { TIME_OF_DAY } from '~/ui/clock'
import classes from './Queue.module.css'
import type { QueuedPerson, QueueStep } from './queue.server'

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

/** What is done with a patient, and in which state it is offered, as a button or in the menu. */
type Action = 'start' | 'call' | 'passOver' | 'finish' | 'leave'
type State = 'waiting' | 'called' | 'seen'
type Offered = { action: Action; words: MessageKey; isMain?: true }

const FINISH: Offered = { action: 'finish', words: 'queue.finish' }
const LEAVE: Offered = { action: 'leave', words: 'queue.leave' }
const OFFERED: Record<State, { buttons: readonly Offered[]; menu: readonly Offered[] }> = {
  waiting: {
    buttons: [
      { action: 'start', words: 'queue.start' },
      { action: 'call', words: 'queue.call' },
    ],
    menu: [FINISH, LEAVE],
  },
  called: {
    buttons: [
      { action: 'start', words: 'queue.start', isMain: true },
      { action: 'call', words: 'queue.callAgain' },
    ],
    menu: [{ action: 'passOver', words: 'queue.passOver' }, FINISH, LEAVE],
  },
  seen: { buttons: [{ ...FINISH, isMain: true }], menu: [] },
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
  const format = useFormatter()
  const { token, patientId } = person
  const name = person.patient || say('patientPage.noName')
  const { act, sendTo, setUrgency, pending } = useActions(person, step, name, mayOpen)
  const state = stepState(step)
  const { buttons, menu } = OFFERED[state]
  const time = (at: Date | null) => (at ? format.dateTime(at, TIME_OF_DAY) : '—')
  const since =
    (state === 'seen' ? (step.seenAt ?? step.calledAt) : step.waitingSince) ?? person.arrivedAt
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000))

  return (
    <Paper
      withBorder
      p="sm"
      component="li"
      className={classes.person}
      data-urgency={person.urgency}
      data-called={state === 'called' ? true : undefined}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Text
          className={classes.token}
          component="span"
          aria-label={say({ key: 'appointments.token', values: { number: token } })}
        >
          {token}
        </Text>
        <Stack gap={2} flex={1} miw={0}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <LinkAnchor fw={600} to="/app/patients/$patientId" params={{ patientId }}>
              <bdi>{name}</bdi>
            </LinkAnchor>
            <Text
              size="sm"
              c="dimmed"
              className={classes.since}
              title={say({ key: 'queue.waitsSince', values: { time: time(since) } })}
            >
              {say({ key: 'queue.sinceMinutes', values: { count: minutes } })}
            </Text>
          </Group>
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
          <SecondIdentifier of={person.identifiers} />
          {person.diedOn && <Died on={person.diedOn} />}
          <Text size="sm" c="dimmed">
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
          </Text>
          {state === 'seen' && step.seenBy && (
            <Text size="sm">
              {say({ key: 'queue.seenBy', values: { who: step.seenBy, time: time(step.seenAt) } })}
            </Text>
          )}
          {state === 'called' && (
            <Text size="sm" fw={500}>
              {say({
                key: 'queue.calledBy',
                values: { who: step.calledBy ?? '—', time: time(step.calledAt) },
              })}
            </Text>
          )}
          {state === 'waiting' && step.passedOverAt && (
            <StatusBadge tone="warning">{say('queue.passedOver')}</StatusBadge>
          )}
          <Group gap="xs" mt={4}>
            {buttons.map(({ action, words, isMain }) => (
              <Button
                key={action}
                size="compact-sm"
                variant={isMain ? 'filled' : 'default'}
                disabled={pending}
                leftSection={<ActionSymbol action={action} size={14} />}
                onClick={() => void act[action]()}
              >
                {say(words)}
              </Button>
            ))}
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  c="dimmed"
                  size="sm"
                  ms="auto"
                  aria-label={say({ key: 'queue.actionsFor', values: { name } })}
                >
                  <IconDotsVertical size={16} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
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
                      leftSection={
                        <IconArrowRight size={16} aria-hidden className={classes.ahead} />
                      }
                      onClick={() => void sendTo(department)}
                    >
                      <bdi>{department.name}</bdi>
                    </Menu.Item>
                  ))}
              </Menu.Dropdown>
            </Menu>
          </Group>
        </Stack>
      </Group>
    </Paper>
  )
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
