import type { PersonScope } from '~/sync/schema/scope'
import type { Wire } from '~/sync/schema/kinds'
import { BESIDE, type PushedName } from '~/sync/schema/tables'
import type { Permission, Role } from '~/shared/permissions'

/** The tables of a simulated clinic, in the order of their references. */
export const TABLES = [
  'patients',
  'visits',
  'patient_vitals',
  'patient_problems',
] as const satisfies readonly PushedName[]
export type Name = (typeof TABLES)[number]

/** Columns that users type in. Every typed value is unique. */
export const TYPED = {
  patients: ['hometown', 'camp'],
  visits: ['provider_name'],
  patient_vitals: ['bp_position'],
  patient_problems: ['problem_label'],
} as const satisfies Record<Name, readonly string[]>

/** What no screen of the app shows: it writes "" there in each edit of a patient. */
export const UNSHOWN = ['photo_url'] as const
/** The columns that the registration form shows or hides. */
export const IN_FORM = TYPED.patients

/**
 * A JSON column of patients. Users type the entries, and the app writes the time with each of them.
 */
export const MAP = {
  column: 'metadata',
  typed: ['a', 'b'],
  time: 'lastEventAddedTimestamp',
} as const
/** Columns of patients that only a newer version of the app has: the server stores them beside the others. */
export const NEWER = ['newer_a', 'newer_b'] as const
/** The columns of patients that are merged by their entries. */
export const JSON_COLUMNS: readonly string[] = [MAP.column, BESIDE]
/** The app writes it by itself in each edit of these tables: the user of the phone. */
export const OF_APP = 'recorded_by_user_id'
export const hasAuthor = (table: Name) => table === 'patient_vitals' || table === 'patient_problems'
export const entriesIn = (value: Wire | undefined): Record<string, string> =>
  typeof value === 'string' && value !== '' ? (JSON.parse(value) as Record<string, string>) : {}
/** The text that PostgreSQL makes of it: shorter keys first. */
export function stored(column: string, value: Wire): Wire {
  if (!JSON_COLUMNS.includes(column)) return value
  const entries = Object.entries(entriesIn(value)).toSorted(
    ([a], [b]) => a.length - b.length || (a < b ? -1 : 1),
  )
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`).join(', ')}}`
}

export type Values = Record<string, Wire>
export type RowRef = { table: Name; id: string }
/** A row without its table. */
export const keyOf = ({ table, id }: { table: string; id: string }) => `${table} ${id}`

export type StoredRow = RowRef & {
  values: Values
  isDeleted: boolean
  recordedClinicId: string | null
}

/** A row of `sync_rows`: the transactions that wrote a row and each of its columns. */
type Stamp = {
  xid: number
  born: number | null
  columns: Record<string, number>
  moved: boolean
}

/** A row of `patient_links`. */
export type PatientLink = {
  patientId: string
  clinicId: string
  source: 'primary' | 'registered' | 'visit'
  isOpen: boolean
  xid: number
  since: number
}

/** How a phone reaches the server: over the public address, or over the clinic's own network. */
export type Way = 'public' | 'hub'

/** A row of `sync_chains`. */
export type Chain = {
  id: string
  userId: string
  appPassword: string
  way: Way
  /** The order in which chains were opened. */
  number: number
  basePull: number | null
  baseBefore: number | null
  delivered: string
  pushedSnapshot: string | null
  /** An administrator gave the phone the server's state. */
  isGiven: boolean
}

/** A row of `sync_epochs`: a restore. */
type EpochRecord = { first: number; next: number; snapshot: string }

/** A row of `sync_pulls`. */
export type PullRecord = {
  id: number
  ordinal: number
  madeFrom: number
  chainId: string
  userId: string
  snapshot: string
  departed: string | null
  removed: string | null
  scope: PersonScope
  held: PersonScope
  withheld: 'push' | 'upload' | null
}

/** The answer to a pull. */
export type Pulled = {
  rows: (RowRef & { values: Values; isDeleted: boolean })[]
  deleted: RowRef[]
  list: 'created' | 'updated'
  timestamp: number
  /** The columns that the registration form hides; null if no form was sent. */
  hidden: readonly string[] | null
}

export type InboxEntry = RowRef & {
  chainId: string | null
  userId: string
  column: string
  phone: Wire
  server: Wire
  isDeleted: boolean
  isSettled: boolean
}

export type QuarantinedRow = RowRef & {
  chainId: string | null
  userId: string
  operation: 'save' | 'delete'
  raw: Record<string, unknown>
  reason: string
  detail: string | undefined
  /** The transactions that brought it and that applied it for its phone; null from before a restore. */
  sentXid: number | null
  appliedXid: number | null
  /** The version of the record that it named when it was refused again. */
  retriedAt?: number
  isSettled: boolean
}

/** An entry of the audit trail about a column that is merged by its entries. */
type Version = { key: string; column: string; xid: number; before: Wire; after: Wire }

/** A row of `registration_form_columns`, with the columns that the form hides. */
type FormVersion = { xid: number; hidden: readonly string[] }

/** An entry of the trash with the rows that the deletion included. */
export type Deletion = {
  root: RowRef
  deleted: RowRef[]
  unlinked: { row: RowRef; column: string; from: Wire }[]
  isRestored: boolean
}

/** Everything that a backup contains. */
export type State = {
  rows: Map<string, StoredRow>
  stamps: Map<string, Stamp>
  links: PatientLink[]
  deletions: Deletion[]
  users: Map<string, { role: Role; grants: Record<string, Permission[]> }>
  chains: Map<string, Chain>
  pulls: Map<number, PullRecord>
  pushes: {
    chainId: string | null
    userId: string
    xid: number | null
    uploadedIn: number | null
  }[]
  epochs: EpochRecord[]
  forms: FormVersion[]
  /** The values that a column has had, as the audit trail has them. */
  history: Map<string, Set<Wire>>
  versions: Version[]
  /** `sync_again`, by chain and row: the transaction. */
  resend: Map<string, Map<string, number>>
  /** `sync_echoes`, by chain and row: the transaction. */
  echoes: Map<string, Map<string, number>>
  inbox: InboxEntry[]
  quarantine: QuarantinedRow[]
  nextXid: number
  /** The last number of a pull, and the number of pulls. */
  lastPull: number
  pullCount: number
}

export const emptyState = (): State => ({
  rows: new Map(),
  stamps: new Map(),
  links: [],
  deletions: [],
  users: new Map(),
  chains: new Map(),
  pulls: new Map(),
  pushes: [],
  epochs: [],
  forms: [{ xid: 1, hidden: [] }],
  history: new Map(),
  versions: [],
  resend: new Map(),
  echoes: new Map(),
  inbox: [],
  quarantine: [],
  nextXid: 100,
  lastPull: 0,
  pullCount: 0,
})
