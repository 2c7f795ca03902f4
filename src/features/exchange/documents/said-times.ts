import { standsForDay } from '~/shared/from-document'
import { clinicTimeZone, dayIn, isDay, momentAt } from '~/shared/zone'

const DAY = /^\d{4}-\d\d-\d\d/
const CLOCK = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** The moment of a dateTime; null for one without a time of day, or without a zone. */
export function momentSaid(text: string | null | undefined): Date | null {
  if (!text || !CLOCK.test(text) || !isDay(text.slice(0, 10))) return null
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? null : at
}

/** The day of a dateTime in the clinic; null for a year or a month alone, which name no day. */
export function daySaid(text: string | null | undefined): string | null {
  const day = text && DAY.exec(text)?.[0]
  if (!day || !isDay(day)) return null
  const at = standsForDay(text) ? null : momentSaid(text)
  return at ? dayIn(at, clinicTimeZone()) : day
}

/**
 * When something was measured. Without a time of day it is the middle of the day, as of what is typed later; midnight
 * stands for the day here, too.
 */
export function measuredAt(
  text: string | null | undefined,
  now: Date,
): { at: Date; hasTime: boolean } | null {
  const moment = text && standsForDay(text) ? null : momentSaid(text)
  if (moment) return { at: moment, hasTime: true }
  const day = daySaid(text)
  if (!day) return null
  const noon = momentAt(`${day}T12:00`, clinicTimeZone())
  const isToday = day === dayIn(now, clinicTimeZone())
  return noon && { at: isToday && noon > now ? now : noon, hasTime: false }
}

/** The last day of a year or a month that is over; null for another text. */
export function lastDayOfPartialDate(
  text: string | null | undefined,
  today: string,
): string | null {
  if (!text || !isPartial(text) || text >= today.slice(0, text.length)) return null
  const [year, month = 12] = text.split('-').map(Number)
  return new Date(Date.UTC(year!, month, 0)).toISOString().slice(0, 10)
}

/** A year or a month, which no column of a day holds. */
export const isPartial = (text: string | null | undefined) =>
  !!text && /^\d{4}(?:-\d\d)?$/.test(text)
