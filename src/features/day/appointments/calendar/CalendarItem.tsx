import { useDirection } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useSay } from '~/shared/say'
import { useComma } from '~/ui/comma'
import classes from './Calendar.module.css'
import type { CalendarColumn, PlacedAppointment } from './calendar'
import { useClock } from './clock'
import { AppointmentReason } from '../AppointmentsTable'

/** A quarter of an hour has room for a line of text. */
export const HOUR_PX = 96
const STEP_MINUTES = 15
/** A press that moves less than this is a click. */
const CLICK_SLACK_PX = 5

export type DropTarget = { column: number; start: number }
type Props = {
  item: PlacedAppointment
  column: number
  columns: readonly CalendarColumn[]
  firstHour: number
  isMovable: boolean
  describedBy: string
  onMove: (to: DropTarget) => void
  onAnnounce: (text: string) => void
}

/**
 * An appointment in the calendar: opened by a press, moved by dragging it, or by Space and the
 * arrow keys.
 */
export function CalendarItem({
  item,
  column,
  columns,
  firstHour,
  isMovable,
  describedBy,
  onMove,
  onAnnounce,
}: Props) {
  const { appointment, start, minutes, began, lane, lanes } = item
  const comma = useComma()
  const say = useSay()
  const { dir } = useDirection()
  const navigate = useNavigate()
  const clockOf = useClock()
  const [lifted, setLifted] = useState<(DropTarget & { byKey: boolean }) | null>(null)
  const pressed = useRef<{ x: number; y: number } | null>(null)
  const wasDragged = useRef(false)
  const name = appointment.patient || say('patientPage.noName')
  const open = () =>
    void navigate({
      to: '/app/appointments/edit/{-$appointmentId}',
      params: { appointmentId: appointment.id },
    })

  function drop(to: DropTarget) {
    setLifted(null)
    if (to.start !== start || to.column !== column) onMove(to)
  }
  const within = (minute: number) => Math.min(24 * 60 - STEP_MINUTES, Math.max(0, minute))

  function dragged(event: PointerEvent<HTMLButtonElement>): DropTarget | null {
    const from = pressed.current
    if (!from || Math.hypot(event.clientX - from.x, event.clientY - from.y) < CLICK_SLACK_PX)
      return null
    const by = Math.round((((event.clientY - from.y) / HOUR_PX) * 60) / STEP_MINUTES) * STEP_MINUTES
    const under = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((one) => one.hasAttribute('data-column'))
    return {
      column: under ? Number(under.getAttribute('data-column')) : column,
      start: within(start + by),
    }
  }
  function press(event: PointerEvent<HTMLButtonElement>) {
    // a finger scrolls
    if (!isMovable || event.button !== 0 || event.pointerType === 'touch') return
    pressed.current = { x: event.clientX, y: event.clientY }
    wasDragged.current = false
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  function move(event: PointerEvent<HTMLButtonElement>) {
    const to = dragged(event)
    if (to) setLifted({ ...to, byKey: false })
  }
  function release(event: PointerEvent<HTMLButtonElement>) {
    const to = dragged(event)
    pressed.current = null
    if (!to) return
    wasDragged.current = true
    drop(to)
  }

  function key(event: KeyboardEvent) {
    const ahead = dir === 'rtl' ? -1 : 1
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-STEP_MINUTES, 0],
      ArrowDown: [STEP_MINUTES, 0],
      ArrowRight: [0, ahead],
      ArrowLeft: [0, -ahead],
    }
    if (event.key === ' ' && isMovable) {
      event.preventDefault()
      if (lifted) return drop(lifted)
      setLifted({ column, start, byKey: true })
      return onAnnounce(
        say({ key: 'appointments.pickedUp', values: { name, time: clockOf(start) } }),
      )
    }
    if (!lifted) return
    const step = steps[event.key]
    if (step) {
      event.preventDefault()
      const to = {
        column: Math.min(columns.length - 1, Math.max(0, lifted.column + step[1])),
        start: within(lifted.start + step[0]),
      }
      setLifted({ ...to, byKey: true })
      onAnnounce(
        [columns[to.column]?.name ?? columns[to.column]?.day, clockOf(to.start)]
          .filter(Boolean)
          .join(comma),
      )
    } else if (event.key === 'Enter') {
      event.preventDefault()
      drop(lifted)
    } else if (event.key === 'Escape') {
      event.preventDefault()
      setLifted(null)
      onAnnounce(say({ key: 'appointments.putBack', values: { name, time: clockOf(start) } }))
    }
  }

  const shown = lifted ?? { column, start }
  // one that goes on from the day before is moved there
  const shownTime = (minute: number) => (began === null ? clockOf(minute) : `… ${clockOf(began)}`)
  const away = shown.column - column
  return (
    <button
      type="button"
      className={classes.item}
      data-status={appointment.status}
      data-movable={isMovable || undefined}
      data-lifted={lifted ? true : undefined}
      data-short={minutes < 30 || undefined}
      title={`${shownTime(start)} ${name}`}
      aria-describedby={isMovable ? describedBy : undefined}
      style={{
        top: ((shown.start - firstHour * 60) / 60) * HOUR_PX,
        height: (minutes / 60) * HOUR_PX - 2,
        insetInlineStart: `calc(${(lane / lanes) * 100}% + ${away * 100}% + 2px)`,
        width: `calc(${100 / lanes}% - 4px)`,
      }}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={() => {
        pressed.current = null
        setLifted(null)
      }}
      onClick={() => {
        // a drag ends in a click, too
        if (!wasDragged.current && !lifted) open()
        wasDragged.current = false
      }}
      onKeyDown={key}
      onBlur={() => lifted?.byKey && setLifted(null)}
    >
      <div>
        <span className={classes.time}>{shownTime(shown.start)}</span> <bdi>{name}</bdi>
        {appointment.died_on && ` · ${say('patients.died')}`}
      </div>
      {minutes >= 45 && (
        <div>
          <AppointmentReason reason={appointment.reason} />
        </div>
      )}
    </button>
  )
}
