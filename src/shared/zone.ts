const ofThisMachine = () => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
const ofTheServer =
  typeof process === 'undefined' ? undefined : process.env['SANAD_TIME_ZONE'] || ofThisMachine()
// on globalThis, because the command and the app are two bundles with a copy of this module each
const stored = globalThis as { [key: symbol]: string | undefined }
const KEY = Symbol.for('sanad.timeZone')

/**
 * Where the clinic's day begins and ends: the organization's setting, else SANAD_TIME_ZONE, else
 * the zone of the machine that serves. The screens use the same.
 */
export const clinicTimeZone = () => stored[KEY] ?? ofTheServer ?? 'UTC'

/**
 * Sets the clinic's zone: on a server from the organization's settings (undefined if there is none), in a
 * browser, which may be in another zone, from the viewer.
 */
export const tellTimeZone = (timeZone: string | undefined) => {
  stored[KEY] = timeZone
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Cached by zone: creating a formatter takes longer than using it. */
function zoneFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  clocks.set(timeZone, clock)
  return clock
}

/**
 * The date and time in a time zone at a moment: `2026-03-01T09:30`.
 */
export function wallTime(at: Date, timeZone: string): string {
  const parts = zoneFormatter(timeZone).formatToParts(at)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/** The day it is in a time zone at a moment, `yyyy-MM-dd`. */
export const dayIn = (at: Date, timeZone: string) => wallTime(at, timeZone).slice(0, 10)

/** Today in the clinic, `yyyy-MM-dd`. */
export const clinicToday = () => dayIn(new Date(), clinicTimeZone())

/**
 * The moment at which a clock in the time zone shows `wall` (`2026-03-01T09:30`); null if it is not a
 * time. An hour that a change of clocks skips becomes the next one; an hour that occurs twice is the
 * first.
 */
export function momentAt(wall: string, timeZone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(wall)) return null
  const asUtc = new Date(`${wall.slice(0, 16)}:00Z`)
  if (Number.isNaN(asUtc.getTime())) return null
  // the offset depends on the result: try those of the day before and of the day after
  const offsets = [-1, 1].map((days) =>
    offsetAt(new Date(asUtc.getTime() + days * 86_400_000), timeZone),
  )
  const candidates = offsets.map((offset) => new Date(asUtc.getTime() - offset))
  return candidates.find((at) => wallTime(at, timeZone) === wall.slice(0, 16)) ?? candidates[0]!
}

/** The first moment of a day in the clinic's time zone. */
export const startOfDay = (day: string) => momentAt(`${day}T00:00`, clinicTimeZone())!

/** Milliseconds by which the zone's clock is ahead of UTC. */
const offsetAt = (at: Date, timeZone: string) =>
  new Date(`${wallTime(at, timeZone)}:00Z`).getTime() - Math.floor(at.getTime() / 60_000) * 60_000

/** Whether a text is a day of the calendar, `yyyy-MM-dd`. `Date.parse` alone reads 30 February as 1 or 2 March. */
export const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)

/** The day so many days later, `yyyy-MM-dd`; negative for earlier. */
export const addDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** Whole days from one day to another, both `yyyy-MM-dd`. */
export const daysBetween = (from: string, to: string) =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000)

/** Completed months from one day to another, as birthdays count: from 31 January one is complete on 1 March. */
export function monthsBetween(from: string, to: string): number {
  const [fromYear = 0, fromMonth = 0, fromDay = 0] = from.split('-').map(Number)
  const [year = 0, month = 0, day = 0] = to.split('-').map(Number)
  return (year - fromYear) * 12 + month - fromMonth - (day < fromDay ? 1 : 0)
}

/** So many months later on the same day, or on the last of a shorter month. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last)))
    .toISOString()
    .slice(0, 10)
}
