import { Divider, Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { UrgencyBadge } from '~/features/rules/transitions/UrgencyBadge'
import { Died } from '~/features/people/patients/Died'
import { PatientAge } from '~/features/people/patients/PatientAge'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useNow } from '~/ui/clock'
import classes from './Dashboard.module.css'
import { ListLink, NothingHere } from './Part'
import type { DaySummary, Waiting } from './summary.server'

const STATUSES = ['pending', 'confirmed', 'checked_in', 'completed', 'cancelled'] as const

/** Today's appointments by status, and who came; each number is a list. */
export function Appointments({ day }: { day: DaySummary }) {
  const { today, appointments, registered, visited, openVisits } = day
  const booked = STATUSES.filter((status) => appointments[status])
  return (
    <>
      {booked.length === 0 && <NothingHere what="dashboard.noAppointments" />}
      <ul className={classes.list}>
        {booked.map((status) => (
          <Count
            key={status}
            label={`dashboard.status_${status}`}
            count={appointments[status] ?? 0}
            to={`/app/appointments?from=${today}&to=${today}&status=${status}`}
          />
        ))}
      </ul>
      <Divider my="xs" />
      <ul className={classes.list}>
        <Count
          label="dashboard.registeredToday"
          count={registered}
          to={`/app/patients?registeredFrom=${today}&registeredTo=${today}`}
        />
        {visited !== null && (
          <Count
            label="dashboard.visitedToday"
            count={visited}
            to={`/app/patients?visitedFrom=${today}&visitedTo=${today}&seen=only`}
          />
        )}
        {openVisits !== null && openVisits > 0 && (
          <Count label="dashboard.openVisits" count={openVisits} to="/app/visits/open" />
        )}
      </ul>
    </>
  )
}

function Count({ label, count, to }: { label: MessageKey; count: number; to: string }) {
  const say = useSay()
  const format = useFormatter()
  return (
    <li>
      <span className={classes.what}>
        <ListLink to={to}>{say(label)}</ListLink>
      </span>
      <Text span fw={600} className={classes.figure}>
        {format.number(count)}
      </Text>
    </li>
  )
}

/** Who waits where and for how long. */
export function WaitingList({ day: { waiting, waitingCount, beingSeen } }: { day: DaySummary }) {
  const say = useSay()
  return (
    <>
      {waitingCount === 0 && <NothingHere what="dashboard.noneWaiting" />}
      <ul className={classes.list}>
        {waiting.map((row) => (
          <OneWaiting key={`${row.id} ${row.department}`} row={row} />
        ))}
      </ul>
      <Text size="sm" c="dimmed" mt="xs">
        {say({ key: 'dashboard.beingSeen', values: { count: beingSeen } })}
        {waitingCount > 0 && (
          <>
            {' · '}
            <ListLink to="/app/queue">
              {say({ key: 'dashboard.allWaiting', values: { count: waitingCount } })}
            </ListLink>
          </>
        )}
      </Text>
    </>
  )
}

function OneWaiting({ row }: { row: Waiting }) {
  const say = useSay()
  const format = useFormatter()
  const now = useNow()
  const name = [row.given_name, row.surname].filter(Boolean).join(' ')
  return (
    <li>
      <Text span size="sm" c="dimmed" className={classes.figure}>
        {say({ key: 'dashboard.tokenOf', values: { number: row.token } })}
      </Text>
      <span className={classes.what}>
        <ListLink to={`/app/patients/${row.patient_id}`}>
          <bdi>{name}</bdi>
        </ListLink>{' '}
        {row.urgency !== 'routine' && <UrgencyBadge urgency={row.urgency} />}{' '}
        {row.died_on && <Died on={row.died_on} />}
        <Text size="xs" c="dimmed">
          <PatientAge patient={row.born} />
          {' · '}
          <bdi>{row.department ?? row.clinic}</bdi>
          {row.department && (
            <>
              {' · '}
              <bdi>{row.clinic}</bdi>
            </>
          )}
        </Text>
      </span>
      {row.waiting_since && (
        <time dateTime={row.waiting_since.toISOString()} className={classes.figure}>
          {format.relativeTime(row.waiting_since, { now, style: 'short' })}
        </time>
      )}
    </li>
  )
}
