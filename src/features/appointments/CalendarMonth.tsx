import { Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import classes from './Calendar.module.css'
import type { CalendarColumn } from './calendar'
import { useClock } from './clock'

const SHOWN = 3

/** The weeks of a month; a day leads to its hours. */
export function CalendarMonth({
  columns,
  month,
  today,
  label,
}: {
  columns: readonly CalendarColumn[]
  month: string
  today: string
  label: string
}) {
  const say = useSay()
  const format = useFormatter()
  const clockOf = useClock()
  const noon = (day: string) => new Date(`${day}T12:00:00Z`)
  return (
    <Paper withBorder component="section" aria-label={label} style={{ overflow: 'hidden' }}>
      <div className={classes.month}>
        {columns.slice(0, 7).map(({ day }) => (
          <div key={day} className={classes.heading} style={{ position: 'static' }}>
            {format.dateTime(noon(day), { weekday: 'short', timeZone: 'UTC' })}
          </div>
        ))}
        {columns.map(({ day, items }) => (
          <div key={day} className={classes.cell} data-other={day.slice(0, 7) !== month || undefined}>
            <Link
              to="."
              search={((all: object) => ({ ...all, view: 'day', day })) as never}
              className={classes.day}
              data-today={day === today || undefined}
              aria-label={format.dateTime(noon(day), {
                day: 'numeric',
                month: 'long',
                year: 'numeric',
                timeZone: 'UTC',
              })}
            >
              {Number(day.slice(8))}
            </Link>
            {items.length > 0 && <span className={classes.count}>{items.length}</span>}
            {items.slice(0, items.length > SHOWN + 1 ? SHOWN : SHOWN + 1).map(({ appointment, start }) => (
              <Link
                key={appointment.id}
                to="/app/appointments/edit/$"
                params={{ _splat: appointment.id }}
                className={classes.entry}
              >
                <span className={classes.time}>{clockOf(start)}</span>{' '}
                <bdi>{appointment.patient || say('patientPage.noName')}</bdi>
              </Link>
            ))}
            {items.length > SHOWN + 1 && (
              <Link
                to="."
                search={((all: object) => ({ ...all, view: 'day', day })) as never}
                className={classes.entry}
              >
                {say({ key: 'appointments.more', values: { count: items.length - SHOWN } })}
              </Link>
            )}
          </div>
        ))}
      </div>
    </Paper>
  )
}
