import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'

/** Units that are words; the others are signs, the same in every language. */
const named: Record<string, MessageKey> = {
  units: 'formBuilder.unit_units',
  hours: 'formBuilder.unit_hours',
  days: 'formBuilder.unit_days',
  weeks: 'formBuilder.unit_weeks',
  months: 'formBuilder.unit_months',
  years: 'formBuilder.unit_years',
}

/** A unit of measurement in the reader's language. */
export const unitName = (unit: string, say: (what: Sayable) => string) =>
  named[unit] ? say(named[unit]) : unit
