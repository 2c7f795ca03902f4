import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'

/** Units that are words; the others are signs, the same in every language. */
const named: Record<string, MessageKey> = {
  units: 'formBuilder.unit_units',
  hours: 'formBuilder.unit_hours',
  days: 'formBuilder.unit_days',
  weeks: 'formBuilder.unit_weeks',
  months: 'formBuilder.unit_months',
  years: 'formBuilder.unit_years',
}

/** A unit of measurement in the viewer's language. */
export function useUnitName() {
  const say = useSay()
  return (unit: string) => (named[unit] ? say(named[unit]) : unit)
}
