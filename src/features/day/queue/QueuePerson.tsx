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
import { Reason } from '~/features/day/appointments/AppointmentsTable'
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

/** A patient who waits or is being seen: since when, the provider, and what comes next. */
export function QueuePerson({ person, mayOpen, step, now, departments, isOneDepartment }: Props) {
  const say = useSay()
  const format = useFormatter()
  const { run, pending } = useAction()
  const navigate = useNavigate()
  const { id: appointmentId, token, patientId } = person
  const name = person.patient || say('patientPage.noName')
  const where = { appointmentId, position: step.position }
  const isSeen = step.status === 'in_progress'
  const time = (at: Date | null) => (at ? format.dateTime(at, TIME_OF_DAY) : '—')
  const since = (isSeen ? (step.seenAt ?? step.calledAt) : step.waitingSince) ?? person.arrivedAt
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000))

  /** Users who may read the record continue there. */
  async function begin() {
    const started = await run(() => api.queue.start(where))
    if (started && mayOpen)
      await navigate({ to: '/app/patients/$patientId', params: { patientId } })
  }
  const done = () =>
    run(() => api.queue.finish(where), {
      success: ({ isCompleted }) => ({
        key: isCompleted ? 'queue.completedDone' : 'queue.finishedDone',
        values: { name },
      }),
    })
  const leave = () =>
    run(() => api.queue.leave({ appointmentId }), {
      success: { key: 'queue.leftDone', values: { name } },
      undo: () =>
        api.appointments.setStatus({ id: appointmentId, status: 'checked_in', isMeant: true }),
    })
  const sendTo = (department: Named) =>
    run(() => api.queue.send({ appointmentId, departmentId: department.id }), {
      success: { key: 'queue.sentDone', values: { name, department: department.name } },
    })

  const setUrgency = (urgency: Urgency) =>
    run(() => api.queue.setUrgency({ appointmentId, urgency }), {
      success: {
        key: 'urgency.changed',
        values: { name, urgency: say(`urgency.${urgency}`) },
      },
      undo: () => api.queue.setUrgency({ appointmentId, urgency: person.urgency }),
    })

  return (
    <Paper
      withBorder
      p="sm"
      component="li"
      className={classes.person}
      data-urgency={person.urgency}
      data-called={step.calledAt && !isSeen ? true : undefined}
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
            <Reason reason={person.reason} />
            {person.provider && (
              <>
                {' · '}
                <bdi>{person.provider}</bdi>
              </>
            )}
          </Text>
          {isSeen && step.seenBy && (
            <Text size="sm">
              {say({ key: 'queue.seenBy', values: { who: step.seenBy, time: time(step.seenAt) } })}
            </Text>
          )}
          {!isSeen && step.calledAt && (
            <Text size="sm" fw={500}>
              {say({
                key: 'queue.calledBy',
                values: { who: step.calledBy ?? '—', time: time(step.calledAt) },
              })}
            </Text>
          )}
          {!isSeen && !step.calledAt && step.passedOverAt && (
            <StatusBadge tone="warning">{say('queue.passedOver')}</StatusBadge>
          )}
          <Group gap="xs" mt={4}>
            {isSeen ? (
              <Button
                size="compact-sm"
                disabled={pending}
                leftSection={<IconCheck size={14} aria-hidden />}
                onClick={() => void done()}
              >
                {say('queue.finish')}
              </Button>
            ) : (
              <>
                <Button
                  size="compact-sm"
                  variant={step.calledAt ? 'filled' : 'default'}
                  disabled={pending}
                  leftSection={<IconPlayerPlay size={14} aria-hidden />}
                  onClick={() => void begin()}
                >
                  {say('queue.start')}
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  disabled={pending}
                  leftSection={<IconBell size={14} aria-hidden />}
                  onClick={() => void run(() => api.queue.call(where))}
                >
                  {say(step.calledAt ? 'queue.callAgain' : 'queue.call')}
                </Button>
              </>
            )}
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
                {!isSeen && step.calledAt && (
                  <Menu.Item
                    leftSection={<IconUserOff size={16} aria-hidden />}
                    onClick={() => void run(() => api.queue.passOver(where))}
                  >
                    {say('queue.passOver')}
                  </Menu.Item>
                )}
                {!isSeen && (
                  <Menu.Item
                    leftSection={<IconCheck size={16} aria-hidden />}
                    onClick={() => void done()}
                  >
                    {say('queue.finish')}
                  </Menu.Item>
                )}
                {!isSeen && (
                  <Menu.Item
                    leftSection={<IconDoorExit size={16} aria-hidden />}
                    onClick={() => void leave()}
                  >
                    {say('queue.leave')}
                  </Menu.Item>
                )}
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
