import type { DeviceKind } from '~/records/record'
import { appointmentRecord } from '~/records/appointment'
import { clinicRecord } from '~/records/clinic'
import { departmentRecord } from '~/records/department'
import { dispensingRecord } from '~/records/dispensing-record'
import { drugRecord } from '~/records/drug'
import { eventRecord } from '~/records/event'
import { eventFormRecord } from '~/records/event-form'
import { permissionRecord } from '~/records/permission'
import { prescriptionItemRecord, prescriptionRecord } from '~/records/prescription'
import { settingRecord } from '~/records/setting'
import { stockRecord } from '~/records/stock'
import { patientRecord } from '~/records/patient'
import { problemRecord } from '~/records/problem'
import { visitRecord } from '~/records/visit'
import { vitalRecord } from '~/records/vital-signs'
import { columnJsonSql, type SyncColumnKind, syncColumnKinds } from './kinds'

/**
 * Whose phones receive a row, by the user's permissions: person, known: "known" (registers patients
 * or views history) in a clinic of the patient; history: views history in a clinic that cares for
 * the patient; appointment: "known" in the clinic of the row; clinic, ofClinic: any permission
 * there; form: any permission in one of its clinics, or the form is for all clinics; staff: any
 * permission anywhere; own: only the user of the row.
 */
type Scope =
  | 'person'
  | 'known'
  | 'history'
  | 'appointment'
  | 'clinic'
  | 'ofClinic'
  | 'ofClinicOrAll'
  | 'form'
  | 'staff'
  | 'own'
  | 'everybody'

type Columns = Readonly<Record<string, SyncColumnKind>>
export type SyncTable = {
  scope: Scope
  /** The columns of the phone's schema, without the id; of a table that phones write also `BESIDE`. */
  columns: Columns
  /** Columns that phones read and never write: the database computes them. */
  derived?: readonly string[]
}
type Declared = Omit<SyncTable, 'columns'> & { columns: Readonly<Record<string, DeviceKind>> }

const dates = { created_at: 'moment', updated_at: 'moment' } as const
const deletable = { ...dates, is_deleted: 'boolean', deleted_at: 'moment?' } as const
const served = { ...deletable, last_modified: 'moment', server_created_at: 'moment' } as const

/** Tables that phones read and write, in the order in which their rows refer to each other. */
const twoWay = {
  patients: {
    scope: 'person',
    columns: {
      ...patientRecord.device,
      ...deletable,
    },
  },
  patient_additional_attributes: {
    scope: 'known',
    columns: {
      patient_id: 'id',
      attribute_id: 'fieldId',
      attribute: 'requiredText',
      number_value: 'number?',
      string_value: 'text?',
      date_value: 'moment?',
      boolean_value: 'boolean?',
      metadata: 'json',
      ...served,
    },
  },
  visits: {
    scope: 'history',
    columns: {
      ...visitRecord.device,
      ...deletable,
    },
  },
  events: {
    scope: 'history',
    columns: {
      ...eventRecord.device,
      ...deletable,
    },
  },
  patient_vitals: {
    scope: 'history',
    columns: {
      ...vitalRecord.device,
      ...deletable,
    },
  },
  patient_problems: {
    scope: 'history',
    columns: {
      ...problemRecord.device,
      ...served,
    },
  },
  appointments: { scope: 'appointment', columns: { ...appointmentRecord.device, ...deletable } },
  prescriptions: { scope: 'history', columns: { ...prescriptionRecord.device, ...deletable } },
  prescription_items: {
    scope: 'history',
    columns: { ...prescriptionItemRecord.device, ...served },
    derived: prescriptionItemRecord.derived,
  },
  dispensing_records: { scope: 'history', columns: { ...dispensingRecord.device, ...served } },
} as const satisfies Record<string, Declared>

/** Tables that phones only read: the rows that a phone sends are ignored. */
const oneWay = {
  clinics: { scope: 'clinic', columns: { ...clinicRecord.device, ...deletable } },
  event_forms: { scope: 'form', columns: { ...eventFormRecord.device, ...deletable } },
  registration_forms: {
    scope: 'ofClinicOrAll',
    columns: { name: 'requiredText', fields: 'json', metadata: 'json', ...deletable },
  },
  clinic_departments: { scope: 'ofClinic', columns: { ...departmentRecord.device, ...served } },
  drug_catalogue: { scope: 'staff', columns: { ...drugRecord.device, ...served } },
  clinic_inventory: { scope: 'ofClinic', columns: { ...stockRecord.device, ...served } },
  user_clinic_permissions: { scope: 'own', columns: { ...permissionRecord.device, ...dates } },
  app_config: {
    scope: 'everybody',
    columns: { ...settingRecord.device, last_modified: 'moment', ...dates },
  },
} as const satisfies Record<string, Declared>

export type PushedName = keyof typeof twoWay
export type TableName = PushedName | keyof typeof oneWay

const withKinds = <Name extends string>(declared: Record<Name, Declared>) =>
  Object.fromEntries(
    Object.entries<Declared>(declared).map(([name, table]) => [
      name,
      { ...table, columns: columnKinds(table.columns) },
    ]),
  ) as Record<Name, SyncTable>
const columnKinds = (columns: Declared['columns']): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => [column, syncColumnKinds[kind]]),
  )

/** The column with what a newer version of the app has beside the known columns. */
export const BESIDE = 'unknown_columns'

const withBeside = ([name, table]: [string, SyncTable]) => [
  name,
  { ...table, columns: { ...table.columns, [BESIDE]: syncColumnKinds.besides } },
]
export const pushed = Object.fromEntries(
  Object.entries(withKinds<PushedName>(twoWay)).map(withBeside),
) as Record<PushedName, SyncTable>
const tables: Record<TableName, SyncTable> = { ...pushed, ...withKinds(oneWay) }
export const pushedTables = Object.entries(pushed) as [PushedName, SyncTable][]
export const allTables = Object.entries(tables) as [TableName, SyncTable][]
export const tableNamed = (name: TableName): SyncTable => tables[name]

/** Written only by the database, or by a deletion and its undo. */
const SERVERS = ['is_deleted', 'deleted_at', 'last_modified', 'server_created_at']

/**
 * The columns that phones may write. Called for each row of a push, so it is computed once per
 * table.
 */
export const writable = once(({ columns, derived = [] }: SyncTable): string[] =>
  Object.keys(columns).filter((column) => !SERVERS.includes(column) && !derived.includes(column)),
)

/** Columns about the row rather than its content: two values are never in conflict. */
export const QUIET: readonly string[] = ['created_at', 'updated_at', 'last_modified_by']

/** The columns of a `select` that reads a row as phones hold it; the table's alias is `t`. */
export const wireColumns = ({ columns }: SyncTable): string =>
  [
    't.id::text as id',
    ...Object.entries(columns).map(([name, kind]) => `${kind.read(`t.${name}`)} as ${name}`),
  ].join(', ')

/**
 * SQL for the text of a JSON object that holds the row as phones do; 25 % faster than
 * `row_to_json`.
 */
export function wireText({ columns }: SyncTable): string {
  const { [BESIDE]: besides, ...known } = columns
  const entries = Object.entries({ id: syncColumnKinds.id, ...known })
  const members = entries.map(([name]) => `"${name}":%s`).join(',')
  const values = entries.map(([name, kind]) => columnJsonSql(kind, `t.${name}`))
  if (!besides) return `format('{${members}}', ${values.join(', ')})`
  // without a column that this version knows by now, and without what would end the app's sync
  const names = [...entries.map(([name]) => name), ...LOCAL].join(',')
  const others = `(t.${BESIDE} - '{${names}}'::text[])::text`
  return `format('{${members}%s}', ${values.join(', ')},
    coalesce(',' || nullif(substr(${others}, 2, length(${others}) - 2), ''), ''))`
}

/** What WatermelonDB keeps beside the columns of a row. */
const LOCAL = ['_status', '_changed']

/** The columns of a row as sent that this version does not know. */
export function unknownColumns(name: PushedName, raw: object): Record<string, unknown> {
  const { columns } = pushed[name]
  const isBeside = (column: string) =>
    !Object.hasOwn(columns, column) && column !== 'id' && !LOCAL.includes(column)
  return Object.fromEntries(Object.entries(raw).filter(([column]) => isBeside(column)))
}

/**
 * The columns in which a phone's row and the stored row can differ: not those that only the server
 * writes.
 */
export const comparable = once(({ columns }: SyncTable): string[] =>
  Object.keys(columns).filter((column) => !SERVERS.includes(column)),
)

/** Computes a value once per table: tables never change. */
function once<R>(of: (table: SyncTable) => R): (table: SyncTable) => R {
  const known = new WeakMap<SyncTable, R>()
  return (table) => {
    if (!known.has(table)) known.set(table, of(table))
    return known.get(table)!
  }
}
