import type { TargetTable } from '../write.server'
import type { FindReference, HikmaReading, ReferenceTable, SourceRow } from './reading'

/** What the whole source says, read before the first row. */
export type SourceFacts = {
  /** Archived or deleted at the source. */
  closedClinics: ReadonlySet<string>
  /** The registration form that stays; the others become tombstones. */
  registrationForm: string | undefined
  /** `YYYY-MM-DD` in UTC. */
  today: string
  /**
   * Whether another row has this value in Sanad or in the run. If not, it now belongs to this row.
   */
  isTaken: (what: Unique, value: string, id: string) => boolean
}
export type Unique = 'clinic' | 'email' | 'department' | 'barcode' | 'batch'

export type TableMapping = {
  /** The table of the source. */
  from: string
  /** What reports and `import_rows` call it, if several mappings read one table. */
  as?: string
  where?: string
  /** Several rows of one source row. */
  expand?: (row: SourceRow) => SourceRow[]
  to: TargetTable
  /** SQL of further columns of the source, by name; `t` is its table. */
  extra?: (has: (table: string, column?: string) => boolean) => Record<string, string>
  /** SQL of a join for them, in which each row of `t` stays once. */
  join?: (has: (table: string, column?: string) => boolean) => string
  /** The id in Sanad, if it is not that of the source. */
  idOf?: (row: SourceRow) => string
  /** The rows that a row names, by column. */
  references: Readonly<Record<string, ReferenceTable>>
  /** The rows that its JSON names. */
  alsoNames?: (row: SourceRow) => readonly (readonly [ReferenceTable, string | undefined])[]
  /** Null: another mapping has placed it. */
  map: (row: SourceRow, known: FindReference, facts: SourceFacts) => HikmaReading | null
  /** Written while `sanad.following` is on: what the source says of the status stays. */
  keepsStatus?: boolean
}

/** Column types for a `Target`: `{ text: 'name notes', uuid: 'clinic_id' }`. */
export const columns = (byType: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(byType).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])),
  )

export const MOMENT = 'timestamptz(3)'
export const STAMPS = { boolean: 'is_deleted', [MOMENT]: 'deleted_at created_at updated_at' }

/** The name, or the first of "name (2)", "name (3)" … that no other row has. */
export function freeName(isTaken: (name: string) => boolean, name: string, max: number): string {
  if (!isTaken(name)) return name
  for (let n = 2; ; n += 1) {
    const suffix = ` (${n})`
    const next =
      Array.from(name)
        .slice(0, max - suffix.length)
        .join('') + suffix
    if (!isTaken(next)) return next
  }
}
