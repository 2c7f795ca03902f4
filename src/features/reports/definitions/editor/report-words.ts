import type { Window } from '~/features/reports/cells/definition'
import { sourceFields, type Op, type ReportSource } from '~/features/reports/cells/fields'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'

/** `visit.is_new` as a part of a message key. */
const keyPart = (name: string) => name.replaceAll('.', '_')

export const sourceLabel = (source: ReportSource): MessageKey => `reportWords.source_${source}`
export const fieldLabel = (field: string) => `reportWords.field_${keyPart(field)}` as MessageKey
export const opLabel = (op: Op): MessageKey => `reportWords.op_${op}`
/** The same in every language. */
const NAMES: Readonly<Record<string, string>> = {
  icd10: 'ICD-10',
  icd10cm: 'ICD-10-CM',
  icd11: 'ICD-11',
  snomed: 'SNOMED CT',
  hba1c: 'HbA1c',
}
export const optionLabel = (option: string): Sayable =>
  NAMES[option] ? { text: NAMES[option] } : (`reportWords.option_${option}` as MessageKey)

/** The kinds of time ranges; `of_row`: whole days after a day of the counted row. */
export const WINDOWS = [
  'period',
  'months',
  'quarter',
  'before',
  'until',
  'visit',
  'of_row',
] as const
type WindowKind = (typeof WINDOWS)[number]

export function kindOfWindow(window: Window): WindowKind {
  if (typeof window === 'string') return window
  if ('months' in window) return 'months'
  if ('quarter' in window) return 'quarter'
  if ('before' in window) return 'before'
  return 'until' in window ? 'until' : 'of_row'
}

/** A time range of a kind. `outer`: the source whose row it refers to. */
export function defaultWindow(kind: WindowKind, outer: ReportSource | null): Window {
  switch (kind) {
    case 'months':
      return { months: 3 }
    case 'quarter':
      return { quarter: 'last' }
    case 'before':
      return { before: 'period' }
    case 'until':
      return { until: 'periodEnd' }
    case 'of_row': {
      const fields = Object.entries(outer ? sourceFields(outer) : {})
      return { days: [0, 15], after: fields.find(([, { type }]) => type === 'day')?.[0] ?? '' }
    }
    default:
      return kind
  }
}

/** The time ranges that a source can be counted in. */
export function windowsFor(
  source: ReportSource,
  outer: ReportSource | null,
): readonly WindowKind[] {
  if (source === 'patient_states' || source === 'stock') return ['period', 'until']
  if (outer === null) return ['period', 'months', 'quarter', 'before', 'until']
  const hasDay = Object.values(sourceFields(outer)).some(({ type }) => type === 'day')
  return WINDOWS.filter((kind) => kind !== 'of_row' || hasDay)
}
