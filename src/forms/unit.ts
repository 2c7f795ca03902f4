import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'

/** Units that are words, or signs that Arabic writes in its own letters; the others are the same in every language. */
const named: Record<string, MessageKey> = {
  units: 'formBuilder.unit_units',
  hours: 'formBuilder.unit_hours',
  days: 'formBuilder.unit_days',
  weeks: 'formBuilder.unit_weeks',
  months: 'formBuilder.unit_months',
  years: 'formBuilder.unit_years',
  cm: 'vitals.unitCm',
  kg: 'vitals.unitKg',
  lb: 'vitals.unitLb',
  mm: 'vitals.unitMm',
  mmHg: 'vitals.unitMmHg',
  '°C': 'vitals.unitC',
  'mg/dL': 'vitals.unitMgDl',
  'µmol/L': 'vitals.unitMicromol',
}

/** A unit of measurement in the reader's language. */
export const unitName = (unit: string, say: (what: Sayable) => string) =>
  named[unit] ? say(named[unit]) : unit
