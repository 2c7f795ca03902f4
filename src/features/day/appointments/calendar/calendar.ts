import { addAll, largest, smallest } from '~/shared/any-length'
import type { Language } from '~/shared/language'
import { daysBetween, momentAt, wallTime } from '~/shared/zone'
import { DEFAULT_MINUTES } from '../appointment'
import type { Appointment } from '../appointments.server'
import { dayLater } from '../recurrence'

export type CalendarView = 'day' | 'week' | 'month'

/** Saturday where Arabic is read, Monday elsewhere: as the date pickers have it. */
const firstWeekday = (language: string) => (language === 'ar' ? 6 : 1)

/** The days that a view shows, the first and the last of them included. */
export function daysShown(
  view: CalendarView,
  day: string,
  language: string,
): { from: string; to: string } {
  if (view === 'day') return { from: day, to: day }
  if (view === 'week') {
    const from = weekStart(day, language)
    return { from, to: dayLater(from, 6, 'day') }
  }
  const first = `${day.slice(0, 8)}01`
  const last = dayLater(dayLater(first, 1, 'month'), -1, 'day')
  return { from: weekStart(first, language), to: dayLater(weekStart(last, language), 6, 'day') }
}

function weekStart(day: string, language: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return dayLater(day, -((weekday - firstWeekday(language) + 7) % 7), 'day')
}

export function daysFrom(from: string, to: string): string[] {
  const days = [from]
  for (let day = from; day < to;) days.push((day = dayLater(day, 1, 'day')))
  return days
}

/** The view before (-1) or after (1) this one. */
export const stepDay = (view: CalendarView, day: string, by: -1 | 1) => dayLater(day, by, view)

export type PlacedAppointment = {
  appointment: Appointment
  /** Minutes of the clock since midnight. */
  start: number
  minutes: number
  /** Minutes of the clock of the day before, or of one before it, on which it began; null: on this day. */
  began: number | null
  /** Which of how many side by side, where several are at once. */
  lane: number
  lanes: number
}
export type CalendarColumn = {
  key: string
  name: string | null
  day: string
  providerId?: string | null
  items: PlacedAppointment[]
}

export const minuteOfDay = (wall: string) =>
  Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16))
const two = (value: number) => String(value).padStart(2, '0')
export const formatClock = (minute: number) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
/** The moment of a minute of a day's clock. */
export const momentAtMinute = (day: string, minute: number, timeZone: string) =>
  momentAt(`${day}T${formatClock(minute)}`, timeZone)!

export function columnsByDay(
  appointments: readonly Appointment[],
  days: readonly string[],
  timeZone: string,
): CalendarColumn[] {
  const all = appointments.map(timedIn(timeZone))
  return days.map((day) => ({ key: day, name: null, day, items: placed(all, day) }))
}

/** One column for each provider of the day; appointments without one have a column of their own. */
export function columnsByProvider(
  appointments: readonly Appointment[],
  day: string,
  timeZone: string,
  language: Language,
): CalendarColumn[] {
  const groups = [...Map.groupBy(appointments, ({ provider_id }) => provider_id)]
  return groups
    .map(([providerId, items]) => ({
      key: providerId ?? 'none',
      name: items[0]!.provider,
      day,
      providerId,
      items: placed(items.map(timedIn(timeZone)), day),
    }))
    .toSorted(byName(language))
}

/** One column for each department; an appointment with two departments is in both. */
export function columnsByDepartment(
  appointments: readonly Appointment[],
  day: string,
  timeZone: string,
  language: Language,
): CalendarColumn[] {
  const stays = appointments.flatMap(
    (appointment): { id: string; name: string | null; appointment: Appointment }[] =>
      appointment.departments.length > 0
        ? appointment.departments.map(({ id, name }) => ({ id, name, appointment }))
        : [{ id: 'none', name: null, appointment }],
  )
  return [...Map.groupBy(stays, ({ id }) => id)]
    .map(([key, items]) => ({
      key,
      name: items[0]!.name,
      day,
      items: placed(
        [...new Set(items.map(({ appointment }) => appointment))].map(timedIn(timeZone)),
        day,
      ),
    }))
    .toSorted(byName(language))
}

/** The same on the server and in a browser of any language. */
const byName = (language: Language) => (a: CalendarColumn, b: CalendarColumn) => {
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null)
  return a.name.localeCompare(b.name, language)
}

const DAY_MINUTES = 24 * 60

/** `wall`: when it begins, by the clock of the place. */
type Timed = { appointment: Appointment; wall: string }
const timedIn =
  (timeZone: string) =>
  (appointment: Appointment): Timed => ({
    appointment,
    wall: wallTime(appointment.timestamp, timeZone),
  })

/** The part of an appointment that is on a day, by the clock; undefined if none is. */
function partOn(
  { appointment, wall }: Timed,
  day: string,
): Pick<PlacedAppointment, 'start' | 'minutes' | 'began'> | undefined {
  const at = minuteOfDay(wall)
  const minutes = appointment.duration ?? DEFAULT_MINUTES
  const days = daysBetween(wall.slice(0, 10), day)
  if (days === 0)
    return { start: at, minutes: Math.max(15, Math.min(minutes, DAY_MINUTES - at)), began: null }
  const left = at + minutes - days * DAY_MINUTES
  if (days < 0 || left <= 0) return undefined
  return { start: 0, minutes: Math.max(15, Math.min(left, DAY_MINUTES)), began: at }
}

const placed = (appointments: readonly Timed[], day: string): PlacedAppointment[] =>
  sideBySide(
    appointments.flatMap((timed) => {
      const part = partOn(timed, day)
      return part ? [{ appointment: timed.appointment, ...part }] : []
    }),
  )

/** Overlapping appointments are side by side. */
function sideBySide(
  parts: readonly Omit<PlacedAppointment, 'lane' | 'lanes'>[],
): PlacedAppointment[] {
  const items = parts.toSorted((a, b) => a.start - b.start || b.minutes - a.minutes)
  const done: PlacedAppointment[] = []
  let group: PlacedAppointment[] = []
  let ends: number[] = []
  const close = () => {
    addAll(
      done,
      group.map((item) => ({ ...item, lanes: ends.length })),
    )
    ;[group, ends] = [[], []]
  }
  for (const item of items) {
    if (group.length > 0 && ends.every((end) => end <= item.start)) close()
    const free = ends.findIndex((end) => end <= item.start)
    const lane = free < 0 ? ends.length : free
    ends[lane] = item.start + item.minutes
    group.push({ ...item, lane, lanes: 1 })
  }
  close()
  return done
}

type Drawn = { first: number; last: number; columns: CalendarColumn[] }
/**
 * From which to which full hour a day is drawn: the usual hours, and further where something is booked outside of them.
 * The night is not drawn for what goes on from the day before: that stands at the top edge, unless it is over by then.
 */
export function drawn(columns: readonly CalendarColumn[]): Drawn {
  const items = columns.flatMap((column) => column.items)
  const begun = items.filter(({ began }) => began === null)
  const first = smallest([8, ...begun.map(({ start }) => Math.floor(start / 60))])
  const last = Math.min(
    24,
    largest([18, ...items.map(({ start, minutes }) => Math.ceil((start + minutes) / 60))]),
  )
  const fromTop = (item: PlacedAppointment): PlacedAppointment[] => {
    if (item.began === null || item.start >= first * 60) return [item]
    const left = item.start + item.minutes - first * 60
    return left > 0 ? [{ ...item, start: first * 60, minutes: Math.max(SHORTEST, left) }] : []
  }
  return {
    first,
    last,
    columns: columns.map((column) => ({
      ...column,
      items: sideBySide(column.items.flatMap(fromTop)),
    })),
  }
}
/** Minutes that a line of text needs. */
const SHORTEST = 30
