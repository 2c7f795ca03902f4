// by name, so that a browser gets these alone
import { audit, dashboard, devices, patientPage, sharing } from '../../../../messages/en.json'
import { TRASH_NOUNS } from '~/features/office/trash/trash'
import { FIELDS_OF } from '~/records/all'
import { isLanguage, languageNames, type MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import type { Changes } from './audit'

const nameless = (key: string, of: object) => !(key in of)

/** Every action that has a label. */
export const ACTIONS = Object.keys(audit).flatMap((key) => {
  const [, noun, verb] = /^action_([^_]+)_(.+)$/.exec(key) ?? []
  return noun && verb ? [`${noun}.${verb}`] : []
})

/** The sentence for an operation; undefined for one of an older version. */
export function actionWords(action: string): MessageKey | undefined {
  const name = action.replace('.', '_')
  return nameless(`action_${name}`, audit) ? undefined : (`audit.action_${name}` as MessageKey)
}

/** The label of a column: of its field in the record, else of its own. */
export function columnWords(table: string, column: string): Sayable | undefined {
  const field = FIELDS_OF[table]?.[column]
  if (field) return field.label
  if (!nameless(`column_${column}`, audit)) return `audit.column_${column}` as MessageKey
  return nameless(`column_${column}`, devices)
    ? undefined
    : (`devices.column_${column}` as MessageKey)
}

/**
 * The kinds of record that the trail can be narrowed to. Raw logs of phones have no audit trail.
 */
export const TABLES = [
  ...new Set([
    ...Object.keys(TRASH_NOUNS),
    ...Object.keys(devices).map((key) => key.replace(/^table_/, '')),
  ]),
].filter((table) => tableWords(table) && table !== 'event_logs')

/** The kind of record. */
export function tableWords(table: string): MessageKey | undefined {
  if (TRASH_NOUNS[table]) return TRASH_NOUNS[table]
  return nameless(`table_${table}`, devices) ? undefined : (`devices.table_${table}` as MessageKey)
}

/** Where the labels of a column's values are, if its field has no options. */
const VALUES: Record<string, readonly [prefix: string, of: object]> = {
  'patients.sex': ['patientPage.', patientPage],
  'appointments.status': ['dashboard.status_', dashboard],
  'history_openings.reason': ['sharing.reason_', sharing],
}

/** Yes or no, or a value with a label; undefined if the value needs none. */
export function valueWords(
  table: string,
  column: string,
  value: Changes[string][0],
): Sayable | undefined {
  if (typeof value === 'boolean') return value ? 'common.yes' : 'common.no'
  if (column === 'language' && isLanguage(value)) return { text: languageNames[value] }
  const option = FIELDS_OF[table]?.[column]?.options?.find((each) => each.value === value)
  if (option) return option.label
  const [prefix, of] = VALUES[`${table}.${column}`] ?? []
  if (typeof value !== 'string' || !prefix || !of) return undefined
  const key = `${prefix.split('.').slice(1).join('.').replace(/^.*\./, '')}${value}`
  return nameless(key, of) ? undefined : (`${prefix}${value}` as MessageKey)
}
