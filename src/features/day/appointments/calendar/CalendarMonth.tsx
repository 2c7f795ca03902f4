import { Paper, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY } from '~/ui/clock'
import type { MonthDay } from '../appointments.server'
import classes from './Calendar.module.css'
import { withSearch } from '~/ui/search'

type Props = {
  /** The days with an appointment. */
  days: readonly MonthDay[]
  /** All that are shown, in whole weeks. */
  shown: readonly string[]
  month: string
  today: string
  label: string
}

/** The weeks of a month; a day leads to its hours. */
export function CalendarMonth({ days, shown, month, today, label }: Props) {
  const format = useFormatter()
  const byDay = new Map(days.map((one) => [one.day, one]))
  return (
    <Paper withBorder component="section" aria-label={label} style={{ overflow: 'hidden' }}>
      <div className={classes.month}>
        {shown.slice(0, 7).map((day) => (
          <div key={day} className={classes.heading} style={{ position: 'static' }}>
            <Text span inherit visibleFrom="xs">
              {format.dateTime(noon(day), { weekday: 'short', timeZone: 'UTC' })}
            </Text>
            <Text span inherit hiddenFrom="xs">
              {format.dateTime(noon(day), { weekday: 'narrow', timeZone: 'UTC' })}
            </Text>
          </div>
        ))}
        {shown.map((day) => (
          <div
            key={day}
            className={classes.cell}
            data-other={day.slice(0, 7) !== month || undefined}
          >
            <ToDay day={day} isToday={day === today} />
            <Entries day={byDay.get(day)} />
          </div>
        ))}
      </div>
    </Paper>
  )
}

const noon = (day: string) => new Date(`${day}T12:00:00Z`)
const dayViewSearch = (day: string) => withSearch({ view: 'day', day })

function ToDay({ day, isToday }: { day: string; isToday: boolean }) {
  const format = useFormatter()
  return (
    <Link
      to="."
      search={dayViewSearch(day)}
      className={classes.day}
      data-today={isToday || undefined}
      aria-label={format.dateTime(noon(day), {
        day: 'numeric',
        month: 'long',
        year: 'numeric',
        timeZone: 'UTC',
      })}
    >
      {Number(day.slice(8))}
    </Link>
  )
}

/** As many as fit; one line more would say as much as the name that it replaces. */
function Entries({ day: of }: { day: MonthDay | undefined }) {
  const say = useSay()
  const format = useFormatter()
  if (!of) return null
  const { day, count, first } = of
  const named = count > first.length ? first.slice(0, -1) : first
  return (
    <>
      <span className={classes.count}>{format.number(count)}</span>
      {named.map(({ id, timestamp, patient, died_on }) => (
        <Link
          key={id}
          to="/app/appointments/edit/{-$appointmentId}"
          params={{ appointmentId: id }}
          className={classes.entry}
        >
          <span className={classes.time}>{format.dateTime(timestamp, TIME_OF_DAY)}</span>{' '}
          <bdi>{patient || say('patientPage.noName')}</bdi>
          {died_on && ` · ${say('patients.died')}`}
        </Link>
      ))}
      {count > named.length && (
        <Link to="." search={dayViewSearch(day)} className={classes.entry}>
          {say({ key: 'appointments.more', values: { count: count - named.length } })}
        </Link>
      )}
    </>
  )
}
