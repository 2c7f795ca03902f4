import { Paper, VisuallyHidden } from '@mantine/core'
import { type MouseEvent, useId, useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { useFormatter, useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import { runAsking } from '~/features/rules/earlier/save-asking'
import type { Actor } from '~/shared/actor'
import { largest } from '~/shared/any-length'
import { unusualDay } from '~/shared/planned-days'
import { useSay } from '~/shared/say'
import { dayIn, wallTime } from '~/shared/zone'
import { useAction } from '~/ui/action'
import { TIME_OF_DAY } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import { maySeeIn } from '../appointment'
import type { Appointment } from '../appointments.server'
import classes from './Calendar.module.css'
import { type CalendarColumn, formatClock, drawn, minuteOfDay, momentAtMinute } from './calendar'
import { CalendarItem, HOUR_PX, type DropTarget } from './CalendarItem'
import { useClock } from './clock'

type Props = {
  columns: readonly CalendarColumn[]
  /** The heading of a column without a name; null: the column is a day. */
  unnamed: string | null
  clinicId?: string
  now: Date
  actor: Actor
  label: string
}

/** The hours of some days, or of one day by provider or department. */
export function CalendarGrid({ columns: all, unnamed, clinicId, now, actor, label }: Props) {
  const say = useSay()
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  const hintId = useId()
  const navigate = useNavigate()
  const [said, setSaid] = useState('')
  const { run } = useAction()
  const clockAt = useClock()
  const { first, last, columns } = drawn(all)
  const hours = Array.from({ length: last - first }, (_, at) => first + at)
  const today = dayIn(now, timeZone)
  const minuteNow = minuteOfDay(wallTime(now, timeZone))
  const isDrawn = minuteNow >= first * 60 && minuteNow < last * 60
  const columnHeading = ({ name, day }: CalendarColumn) =>
    unnamed === null
      ? format.dateTime(new Date(`${day}T12:00:00Z`), {
          weekday: 'short',
          day: 'numeric',
          month: 'short',
          timeZone: 'UTC',
        })
      : (name ?? unnamed)

  async function move(
    appointment: Appointment,
    from: CalendarColumn,
    { column, start }: DropTarget,
  ) {
    const to = columns[column] ?? from
    const timestamp = momentAtMinute(to.day, start, timeZone)
    const provider_id = to.providerId === from.providerId ? undefined : to.providerId
    const { id, last_modified, patient: name } = appointment
    const time = format.dateTime(timestamp, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      ...TIME_OF_DAY,
    })
    // another hour of the same day is no slip of the calendar
    const doubt = to.day === from.day ? null : unusualDay('appointment', to.day, today)
    const isMeant =
      doubt === null ||
      (await confirm({
        title:
          doubt === 'dates.farAhead' ? 'appointments.movedFarTitle' : 'appointments.movedPastTitle',
        text: { key: 'appointments.movedText', values: { name, time, doubt: say(doubt) } },
        action: 'appointments.moveAnyway',
      }))
    if (!isMeant) return
    const success = { key: 'appointments.moved', values: { name, time } } as const
    const place = { id, last_modified, timestamp, provider_id }
    await runAsking(run, (confirmed) => api.appointments.move({ ...place, confirmed }), {
      success: () => {
        setSaid(say(success))
        return success
      },
      undo: (moved) =>
        api.appointments.move({
          id,
          last_modified: moved.last_modified,
          timestamp: appointment.timestamp,
          provider_id: provider_id === undefined ? undefined : appointment.provider_id,
        }),
    })
  }

  /** For the mouse only, on free time; the button "Book" is there for all users. */
  function book(event: MouseEvent<HTMLDivElement>, { day, providerId }: CalendarColumn) {
    if (event.target !== event.currentTarget) return
    const minute = first * 60 + Math.floor((event.nativeEvent.offsetY / HOUR_PX) * 4) * 15
    const search = {
      at: `${day}T${formatClock(minute)}`,
      clinicId,
      providerId: providerId ?? undefined,
    }
    void navigate({
      to: '/app/appointments/edit/{-$appointmentId}',
      params: { appointmentId: 'new' },
      search,
    })
  }

  return (
    <Paper withBorder className={classes.frame} component="section" aria-label={label} tabIndex={0}>
      <VisuallyHidden id={hintId}>{say('appointments.moveHint')}</VisuallyHidden>
      <VisuallyHidden aria-live="assertive">{said}</VisuallyHidden>
      <div
        className={classes.grid}
        style={{
          gridTemplateColumns: [
            '4.5rem',
            ...columns.map((column) => columnWidth(column, unnamed === null)),
          ].join(' '),
          ['--hour' as string]: `${HOUR_PX}px`,
        }}
      >
        <div className={classes.corner} />
        {columns.map((column) => (
          <div
            key={column.key}
            id={`${hintId}-${column.key}`}
            className={classes.heading}
            data-today={(unnamed === null && column.day === today) || undefined}
          >
            <bdi>{columnHeading(column)}</bdi>
          </div>
        ))}
        <div className={classes.hours} style={{ height: hours.length * HOUR_PX }} aria-hidden>
          {hours.slice(1).map((hour) => (
            <span key={hour} className={classes.hour} style={{ top: (hour - first) * HOUR_PX }}>
              {clockAt(hour * 60)}
            </span>
          ))}
        </div>
        {columns.map((column, at) => (
          /* oxlint-disable-next-line jsx-a11y/click-events-have-key-events,
             jsx-a11y/no-noninteractive-element-interactions -- shortcut */
          <div
            key={column.key}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a calendar column
            role="group"
            aria-labelledby={`${hintId}-${column.key}`}
            className={classes.column}
            data-column={at}
            onClick={(event) => book(event, column)}
          >
            {column.day === today && isDrawn && (
              <div
                className={classes.now}
                style={{ top: ((minuteNow - first * 60) / 60) * HOUR_PX }}
              />
            )}
            {column.items.map((item) => (
              <CalendarItem
                key={item.appointment.id}
                item={item}
                column={at}
                columns={columns}
                firstHour={first}
                isMovable={item.began === null && isMovable(item.appointment, actor)}
                describedBy={hintId}
                onMove={(to) => void move(item.appointment, column, to)}
                onAnnounce={setSaid}
              />
            ))}
          </div>
        ))}
      </div>
    </Paper>
  )
}

/**
 * Appointments side by side keep room for a time and a name. The days of a week share the width instead: all seven fit
 * beside the menu on a desk's screen.
 */
function columnWidth({ items }: CalendarColumn, isDay: boolean): string {
  if (isDay) return 'minmax(7rem, 1fr)'
  const least = Math.max(7.5, 7 * largest([1, ...items.map(({ lanes }) => lanes)]))
  return `minmax(${least}rem, 1fr)`
}

const isMovable = ({ status, is_archived, clinic_id }: Appointment, actor: Actor) =>
  (status === 'pending' || status === 'confirmed') && !is_archived && maySeeIn(actor, clinic_id)
