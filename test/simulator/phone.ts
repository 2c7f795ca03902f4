import { BESIDE } from '~/sync/schema/tables'
import {
  entriesIn,
  keyOf,
  type Name,
  type Pulled,
  type RowRef,
  TABLES,
  type Values,
  type Way,
} from './state'

export type HeldRow = RowRef & {
  values: Values
  isDeleted: boolean
  status: 'synced' | 'created' | 'updated' | 'deleted'
  changed: Set<string>
  /** When the app changed it, by the clock. */
  touchedAt: number
  /** Number of pushes since the row was hidden by `is_deleted` or left the scope. */
  pushesSinceGone: number | null
}

type Body = Record<string, { created: object[]; updated: object[]; deleted: string[] }>

/**
 * A phone's rows and the rules of WatermelonDB's `synchronize` (docs/phone-sync.md, "What the app
 * does with a row"); test/sync/phone.ts runs WatermelonDB itself.
 */
export class SimulatedPhone {
  readonly rows = new Map<string, HeldRow>()
  /** The number of its last pull on each way. */
  readonly numbers: Record<Way, number> = { public: 0, hub: 0 }
  way: Way = 'public'
  /** The columns that its registration form hides. */
  hidden: readonly string[] = []
  /** How far its clock is off, in milliseconds. */
  skew = 0
  now: () => number = () => 0

  constructor(
    readonly number: number,
    public userId: string,
    /** It has scanned both codes. */
    readonly hasBoth = false,
    /** It has a newer version of the app, with further columns. */
    readonly isNewer = false,
  ) {}

  get lastPulledAt() {
    return this.numbers[this.way]
  }

  /** Its user has created it for this phone alone. */
  get appPassword() {
    return `${this.userId} on phone ${this.number}`
  }

  /** Rows that the app shows. */
  shown = (table?: Name) =>
    [...this.rows.values()].filter(
      (row) => row.status !== 'deleted' && (table === undefined || row.table === table),
    )

  create({ table, id }: RowRef, values: Values) {
    this.rows.set(keyOf({ table, id }), {
      table,
      id,
      values,
      isDeleted: false,
      status: 'created',
      changed: new Set(),
      touchedAt: this.now(),
      pushesSinceGone: null,
    })
  }

  edit(row: HeldRow, values: Values) {
    Object.assign(row.values, values)
    row.touchedAt = this.now()
    for (const column of Object.keys(values)) row.changed.add(column)
    if (row.status !== 'created') row.status = 'updated'
  }

  /** `destroyed`: called for each row that the pull removes. */
  apply(pulled: Pulled, destroyed: (row: HeldRow) => unknown) {
    // through the hub, the app ignores them
    for (const ref of this.way === 'hub' ? [] : pulled.deleted) {
      const row = this.rows.get(keyOf(ref))
      if (!row) continue
      destroyed(row)
      this.rows.delete(keyOf(ref))
    }
    for (const { table, id, values: sent, isDeleted } of pulled.rows) {
      const { [BESIDE]: beside, ...known } = sent
      const values: Values = this.isNewer ? { ...known, ...entriesIn(beside) } : known
      const local = this.rows.get(keyOf({ table, id }))
      if (
        local?.status === 'deleted' &&
        (this.way === 'hub' || pulled.list === 'updated' || isDeleted)
      )
        continue
      const kept = local && local.status !== 'deleted' ? local : undefined
      const changed = kept?.changed ?? new Set<string>()
      const own = [...changed].map((column) => [column, kept!.values[column]!])
      const unsent =
        kept !== undefined &&
        kept.status !== 'synced' &&
        (this.way === 'public' || changed.size > 0)
      this.rows.set(keyOf({ table, id }), {
        table,
        id,
        values: { ...values, ...Object.fromEntries(own) },
        isDeleted,
        status: unsent ? 'updated' : 'synced',
        changed,
        touchedAt: unsent ? kept.touchedAt : 0,
        pushesSinceGone: isDeleted ? (kept?.pushesSinceGone ?? 0) : null,
      })
    }
    this.hidden = pulled.hidden ?? this.hidden
    if (this.way === 'public') this.numbers.public = pulled.timestamp
  }

  /** Rows that changed after its last number: the app then refuses to switch to online mode. */
  seemsUnsent = () =>
    [...this.rows.values()].some(
      ({ status, touchedAt }) => touchedAt > this.numbers.hub && status !== 'deleted',
    )

  /** The change set, and what to do once it was answered. */
  changes(): { body: Body; sent: HeldRow[] } {
    const body: Body = {}
    const sent: HeldRow[] = []
    for (const table of TABLES) {
      const unsent = this.unsent().filter((row) => row.table === table)
      if (unsent.length === 0) continue
      sent.push(...unsent)
      body[table] = {
        created: unsent.filter(({ status }) => status === 'created').map(rawOf),
        updated: unsent.filter(({ status }) => status === 'updated').map(rawOf),
        deleted: unsent.filter(({ status }) => status === 'deleted').map(({ id }) => id),
      }
    }
    return { body, sent }
  }

  /** What it pushes: through the hub, deletions are not found. */
  unsent = () =>
    [...this.rows.values()].filter(
      ({ status }) => status !== 'synced' && (this.way === 'public' || status !== 'deleted'),
    )

  markSynced(sent: readonly HeldRow[]) {
    for (const row of sent) {
      if (row.status === 'deleted') this.rows.delete(keyOf(row))
      else {
        row.status = 'synced'
        row.changed = new Set()
        // WatermelonDB: the app marks the row through the hub as any change
        if (this.way === 'hub') row.touchedAt = this.now()
      }
    }
  }

  /** The server applied a push, whether its answer came or not. */
  countPush() {
    for (const row of this.rows.values()) if (row.pushesSinceGone !== null) row.pushesSinceGone += 1
  }

  /** The app's forced upload: every row, without a word on what was changed. */
  everything(): Body {
    const body: Body = {}
    for (const row of this.shown()) {
      const changes = (body[row.table] ??= { created: [], updated: [], deleted: [] })
      changes.updated.push({ ...rawOf(row), _status: 'synced', _changed: '' })
    }
    return body
  }
}

const rawOf = ({ id, values, isDeleted, status, changed }: HeldRow) => ({
  ...values,
  id,
  is_deleted: isDeleted,
  _status: status,
  _changed: [...changed].join(','),
})
