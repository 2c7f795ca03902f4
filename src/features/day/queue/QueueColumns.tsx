import { Button, Group, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMoveOn } from '~/features/day/appointments/AppointmentStatusMenu'
import { urgencyRank } from '~/features/rules/transitions/urgency'
import { UrgentCheckIn } from '~/features/rules/transitions/UrgentCheckIn'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { AppointmentReason } from '~/features/day/appointments/AppointmentsTable'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import { TIME_OF_DAY } from '~/ui/clock'
import { useFormatter } from 'use-intl'
import classes from './Queue.module.css'
import type { ExpectedPerson, QueuedPerson, QueueStep, UnfinishedPerson } from './queue.server'
import { QueuePerson } from './QueuePerson'
import { QueueRow } from './QueueRow'

type Props = {
  people: readonly QueuedPerson[]
  expected: readonly ExpectedPerson[]
  /** The total; if more rows exist than are shown, `more` leads to them. */
  expectedCount: number
  more: ReactNode
  /** Checked in on an earlier day and never finished. */
  unfinished: readonly UnfinishedPerson[]
  unfinishedCount: number
  moreUnfinished: ReactNode
  departmentId?: string
  departments: readonly { id: string; name: string }[]
  now: Date
  /** The viewer reads records in this clinic. */
  mayOpen: boolean
}

type QueueEntry = { person: QueuedPerson; step: QueueStep }

/**
 * Waiting patients, most urgent first, then longest; those being seen, with the provider; those expected; those who are
 * done.
 */
export function QueueColumns({
  people,
  expected,
  expectedCount,
  more,
  unfinished,
  unfinishedCount,
  moreUnfinished,
  departmentId,
  departments,
  now,
  mayOpen,
}: Props) {
  const at = people.flatMap((person): QueueEntry[] =>
    person.status === 'completed'
      ? []
      : person.steps
          .filter((step) => departmentId === undefined || step.departmentId === departmentId)
          .map((step) => ({ person, step })),
  )
  const turn = ({ step, person }: QueueEntry) =>
    (step.passedOverAt ?? step.waitingSince ?? person.arrivedAt).getTime()
  const waiting = at
    .filter(({ step }) => step.status === 'checked_in')
    .toSorted(
      (a, b) => urgencyRank(a.person.urgency) - urgencyRank(b.person.urgency) || turn(a) - turn(b),
    )
  const seen = at.filter(({ step }) => step.status === 'in_progress')
  const done = people.filter(({ status }) => status === 'completed')
  const rows = (list: QueueEntry[]) => (
    <ul className={classes.list}>
      {list.map(({ person, step }) => (
        <QueuePerson
          key={`${person.id}-${step.position}`}
          person={person}
          mayOpen={mayOpen}
          step={step}
          now={now}
          departments={departments}
          isOneDepartment={departmentId !== undefined}
        />
      ))}
    </ul>
  )
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        <Column title="queue.waiting" count={waiting.length} empty="queue.noneWaiting">
          {rows(waiting)}
        </Column>
        <Column title="queue.beingSeen" count={seen.length} empty="queue.noneSeen">
          {rows(seen)}
        </Column>
      </div>
      <div className={classes.column}>
        <Column title="queue.expected" count={expectedCount} empty="queue.noneExpected">
          <ul className={classes.list}>
            {expected.map((person) => (
              <Expected key={person.id} person={person} />
            ))}
          </ul>
          {expectedCount > expected.length && more}
        </Column>
        {unfinishedCount > 0 && (
          <Column title="queue.unfinished" count={unfinishedCount} empty="queue.noneSeen">
            <ul className={classes.list}>
              {unfinished.map((person) => (
                <Unfinished key={person.id} person={person} />
              ))}
            </ul>
            {unfinishedCount > unfinished.length && moreUnfinished}
          </Column>
        )}
        {done.length > 0 && (
          <Column title="queue.done" count={done.length} empty="queue.noneSeen">
            <ul className={classes.list}>
              {done.map((person) => (
                <Done key={person.id} person={person} />
              ))}
            </ul>
          </Column>
        )}
      </div>
    </div>
  )
}

type ColumnProps = { title: MessageKey; count: number; empty: MessageKey; children: ReactNode }

function Column({ title, count, empty, children }: ColumnProps) {
  const say = useSay()
  return (
    <section aria-label={say(title)}>
      <Title order={2} mb="xs">
        {say(title)}{' '}
        <Text span inherit c="dimmed" fw={400}>
          {count}
        </Text>
      </Title>
      {count === 0 ? (
        <Text size="sm" c="dimmed">
          {say(empty)}
        </Text>
      ) : (
        children
      )}
    </section>
  )
}

function Expected({ person }: { person: ExpectedPerson }) {
  const say = useSay()
  const format = useFormatter()
  const { moveOn, pending } = useMoveOn()
  const { patient, reason, provider } = person
  return (
    <QueueRow
      lead={format.dateTime(person.timestamp, TIME_OF_DAY)}
      patientId={person.patient_id}
      patient={patient}
      identifiers={person.identifiers}
      diedOn={person.died_on}
      facts={
        <>
          <PatientAge patient={person.born} />
          {' · '}
          <AppointmentReason reason={reason} />
          {provider && (
            <>
              {' · '}
              <bdi>{provider}</bdi>
            </>
          )}
        </>
      }
    >
      {!person.died_on && (
        <Group gap={2} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            disabled={pending}
            onClick={() => void moveOn(person, 'checked_in')}
          >
            {say('appointments.checkIn')}
          </Button>
          <UrgentCheckIn
            name={patient || say('patientPage.noName')}
            size="1.625rem"
            disabled={pending}
            onChoose={(urgency) => void moveOn(person, 'checked_in', urgency)}
          />
        </Group>
      )}
    </QueueRow>
  )
}

/** Their visit is closed as of its last entry. */
function Unfinished({ person }: { person: UnfinishedPerson }) {
  const say = useSay()
  const { moveOn, pending } = useMoveOn()
  return (
    <QueueRow
      lead={person.number}
      patientId={person.patient_id}
      patient={person.patient}
      identifiers={person.identifiers}
      diedOn={person.died_on}
      facts={
        <>
          <PatientAge patient={person.born} />
          {' · '}
          <Day value={person.day} />
        </>
      }
    >
      <Button
        size="compact-sm"
        variant="default"
        disabled={pending}
        leftSection={<IconCheck size={14} aria-hidden />}
        onClick={() => void moveOn(person, 'completed')}
      >
        {say('queue.finish')}
      </Button>
    </QueueRow>
  )
}

const Done = ({ person }: { person: QueuedPerson }) => (
  <QueueRow
    lead={person.token}
    patientId={person.patientId}
    patient={person.patient}
    identifiers={person.identifiers}
    diedOn={person.diedOn}
    facts={
      <>
        <PatientAge patient={person.born} />
        {' · '}
        <Moment at={person.arrivedAt} />
      </>
    }
  />
)
