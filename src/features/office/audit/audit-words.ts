// by name, so that a browser gets these alone
import { audit, devices } from '../../../../messages/en.json'
import { findProgram } from '~/features/care/programs/programs'
import { CALL_RESULTS } from '~/records/call-results'
import { DRUG_CLASSES } from '~/features/medicines/safety/rules/drug-classes'
import { TRASH_NOUNS } from '~/features/office/trash/trash'
import { FIELDS_OF } from '~/records/all'
import { isLanguage, type Language, languageNames, type MessageKey } from '~/shared/language'
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
export const AUDITED_TABLES = [
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

type Labels = Readonly<Record<string, Sayable>>
const labels = (prefix: string, values: readonly string[]): Labels =>
  Object.fromEntries(values.map((value) => [value, `${prefix}${value}` as MessageKey]))

/** Labels of a column's values, if its field has no options. A test compares them with the database's constraints. */
const VALUES: Readonly<Record<string, Labels>> = {
  'visits.closed_as': {
    last_entry: 'visits.closedLastEntry',
    arrival: 'visits.closedArrival',
  },
  'app_config.data_type': {
    string: 'devices.column_string_value',
    number: 'devices.column_number_value',
    boolean: 'devices.column_boolean_value',
    json: 'devices.structured',
    array: 'audit.list',
  },
  'appointments.status': labels('dashboard.status_', [
    'pending',
    'confirmed',
    'cancelled',
    'completed',
    'checked_in',
  ]),
  'patients.language': labels('account.language_', ['en', 'ar', 'es']),
  'appointments.urgency': labels('urgency.', ['emergency', 'priority', 'routine']),
  'clinic_departments.status': labels('departments.', ['active', 'inactive', 'maintenance']),
  'event_files.mime_type': {
    'image/png': { text: 'PNG' },
    'image/jpeg': { text: 'JPEG' },
    'application/pdf': { text: 'PDF' },
  },
  'follow_up_calls.result': labels('followups.result_', CALL_RESULTS),
  'history_openings.reason': labels('sharing.reason_', [
    'here',
    'referral',
    'emergency',
    'other',
    'before_update',
  ]),
  'medicine_decisions.decision': labels('reconciliations.decision_', ['keep', 'stop', 'change']),
  'medicine_decisions.kind': {
    prescribed: 'prescriptions.one',
    elsewhere: 'medicines.one',
    form: 'medicines.fromForm',
    text: 'medicines.fromPhone',
  },
  'patient_allergies.substance_code': labels('safety.classes.', DRUG_CLASSES),
  'patient_allergies.substance_kind': {
    ingredient: 'audit.substance_ingredient',
    drug_class: 'audit.substance_class',
    other: 'audit.substance_other',
    none_known: 'allergies.noneKnown',
  },
  'patient_pregnancies.dating': {
    last_period: 'pregnancies.last_period_on',
    due_date: 'pregnancies.due_on',
    weeks: 'pregnancies.weeks',
  },
  'patient_pregnancies.state': labels('pregnancies.states.', [
    'pregnant',
    'breastfeeding',
    'after_birth',
    'not_pregnant',
    'not_possible',
    'not_known',
  ]),
  'patient_problems.problem_code_system': labels('problems.', ['uncoded']),
  'patient_vitals.bp_position': labels('vitals.', ['sitting', 'standing', 'lying']),
  'patients.sex': labels('patientPage.', ['male', 'female']),
  'safety_overrides.kind': labels('safety.kind.', [
    'allergy',
    'duplicate',
    'interaction',
    'unchecked',
    'age',
    'pregnancy',
    'kidney',
    'condition',
    'dose',
    'monitoring',
    'not_asked',
  ]),
  'safety_overrides.reason_code': labels('safety.code.', [
    'tolerated',
    'benefit',
    'record_error',
    'monitored',
    'emergency',
    'other',
  ]),
  'safety_overrides.stage': labels('safety.', [
    'prescribing',
    'dispensing',
    'recording',
    'arrived',
  ]),
  'safety_rules_off.rule_table': labels('safety.table.', [
    'interaction',
    'duplicate',
    'age',
    'pregnancy',
    'kidney',
    'condition',
    'dose',
    'monitoring',
    'cross_reaction',
  ]),
  'stock_shortfalls.settlement': labels('inventory.settled_', [
    'posted',
    'explained',
    'withdrawn',
    'covered',
  ]),
  'stock_shortfalls.transaction_type': labels('inventory.type_', [
    'dispensed',
    'transferred_out',
    'expired',
    'damaged',
    'adjustment',
    'to_supplier',
    'donated',
    'opened',
  ]),
  'users.theme': labels('shell.', ['light', 'dark', 'system']),
}

/** Yes or no, or a value with a label; undefined if the value needs none. */
export function valueWords(
  table: string,
  column: string,
  value: Changes[string][0],
  language: Language,
): Sayable | undefined {
  if (typeof value === 'boolean') return value ? 'common.yes' : 'common.no'
  if (column === 'language' && isLanguage(value)) return { text: languageNames[value] }
  if (column === 'table_name' && typeof value === 'string') return tableWords(value)
  const option = FIELDS_OF[table]?.[column]?.options?.find((each) => each.value === value)
  if (option) return option.label
  if (typeof value !== 'string') return undefined
  const program = column === 'program' && findProgram(value)
  if (program) return { text: program.names[language] }
  const found = VALUES[`${table}.${column}`]
  return found && Object.hasOwn(found, value) ? found[value] : undefined
}

type Value = Changes[string][0]

/** A time as triggers write it; days have no time of day. */
export const isTime = (value: Value): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:[\d.]+)?([+-]\d\d:\d\d|Z)$/.test(value)

/** Empty columns of a new record say nothing. */
const isBlank = (before: Value, after: Value) =>
  before === null &&
  (after === false ||
    after === '' ||
    JSON.stringify(after) === '[]' ||
    JSON.stringify(after) === '{}')

/** The changed columns that people read. */
export const shownChanges = (changes: Changes) =>
  Object.entries(changes)
    .filter(([name, [before, after]]) => name !== 'deleted_at' && !isBlank(before, after))
    .map(([name, change]) => [name, onlyDifferences(change)] as const)

export const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** The ids in values of any shape. */
export const idsIn = (values: readonly unknown[]): string[] => [
  ...new Set(JSON.stringify(values).match(IDS)),
]

/** A text with names in the place of ids; of an id without a name, its end. */
export const withoutIds = (text: string, names: Readonly<Record<string, string>>) =>
  text.replace(IDS, (id) => names[id] ?? `…${id.slice(-4)}`)

/** A value without a label of its own, of any shape: people read no JSON. */
export function plainValue(
  value: Value,
  names: Readonly<Record<string, string>>,
  table: string,
  say: (what: Sayable) => string,
): string {
  if (value === null) return '—'
  return withoutIds(typeof value === 'string' ? value : partsInWords(value, table, say), names)
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"\s]+/g

/** `Precision: day; identifiers: (Value: 12)`: token by token, because a phone's value may be nested without end. */
function partsInWords(value: Value, table: string, say: (what: Sayable) => string): string {
  const tokens = JSON.stringify(value).match(TOKENS) ?? []
  const around: string[] = []
  const words = tokens.map((token, at) => {
    const isText = token.startsWith('"')
    if (token === '{' || token === '[') return around.push(token) > 1 ? '(' : ''
    if (token === '}' || token === ']') {
      around.pop()
      return around.length > 0 ? ')' : ''
    }
    if (token === ',') return around.at(-1) === '{' ? '; ' : ', '
    if (token === ':') return ': '
    if (isText && tokens[at + 1] === ':') return keyInWords(JSON.parse(token) as string, table, say)
    if (isText) return decoded(JSON.parse(token) as string) || '—'
    if (token === 'null') return '—'
    if (isYesOrNo(token)) return say(YES_OR_NO[token])
    return token
  })
  return words.join('') || '—'
}

const YES_OR_NO = { true: 'common.yes', false: 'common.no' } as const
const isYesOrNo = (token: string): token is keyof typeof YES_OR_NO => token in YES_OR_NO

function keyInWords(key: string, table: string, say: (what: Sayable) => string) {
  const words = columnWords(table, key)
  return words ? say(words) : key.replaceAll('_', ' ')
}

/** Labels of registration forms are stored as phones expect them, by encodeURI. */
function decoded(text: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(text) ? decodeURI(text) : text
  } catch {
    return text
  }
}

/** Of two structures only what differs between them, so that one changed answer is not lost among the others. */
function onlyDifferences([before, after]: Changes[string]): Changes[string] {
  if (areEntries(before) && areEntries(after)) return onlyOtherEntries(before, after)
  return isStructure(before) && isStructure(after) ? onlyOtherParts(before, after) : [before, after]
}

function onlyOtherParts(before: Structure, after: Structure): [Structure, Structure] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => isOther(before[name], after[name]))
  const changedPart = (of: Structure) =>
    Object.fromEntries(changed.filter((name) => name in of).map((name) => [name, of[name]!]))
  return [changedPart(before), changedPart(after)]
}

/**
 * Of the fields of a form, those that were added, removed or changed: of a changed one its name and what differs. In
 * another order alone, all of them.
 */
function onlyOtherEntries(before: readonly Entry[], after: readonly Entry[]): Changes[string] {
  const changedEntries = (own: readonly Entry[], others: readonly Entry[], side: 0 | 1) =>
    own.flatMap((entry): Entry[] => {
      const other = others.find(({ id }) => id === entry.id)
      if (!other) return [entry]
      if (!isOther(other, entry)) return []
      const pair = side === 0 ? onlyOtherParts(entry, other) : onlyOtherParts(other, entry)
      const called = Object.entries(entry).filter(([key]) => NAMES.has(key))
      return [{ ...Object.fromEntries(called), ...pair[side], id: entry.id }]
    })
  const parts = [changedEntries(before, after, 0), changedEntries(after, before, 1)] as const
  return parts.every(({ length }) => length === 0) ? [before, after] : [...parts]
}
/** What an entry of a list is called by. */
const NAMES: ReadonlySet<string> = new Set(['name', 'label', 'column'])
const isOther = (one: Value | undefined, other: Value | undefined) =>
  JSON.stringify(one) !== JSON.stringify(other)

type Entry = Structure & { readonly id: string }
const areEntries = (value: Value): value is readonly Entry[] =>
  Array.isArray(value) &&
  (value as readonly Value[]).every((each) => isStructure(each) && typeof each['id'] === 'string')
type Structure = { readonly [name: string]: Value }
const isStructure = (value: Value): value is Structure =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
