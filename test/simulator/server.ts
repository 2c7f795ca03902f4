import type { Wire } from '~/sync/schema/kinds'
import type { Actor } from '~/shared/actor'
import type { Rules } from './rules'
import { snapshotText } from './snapshots'
import type { Call, Statement } from './trace'
import {
  type Deletion,
  emptyState,
  keyOf,
  type PatientLink,
  type RowRef,
  type StoredRow,
  stored,
  type Values,
} from './state'

/** The part of a number that is chance. */
const BY_CHANCE = 1024

/** Who writes: a phone by its number, or a user on the web. */
export type Author = { phone: number } | 'web' | 'settling'

export type Written = RowRef & { column: string; before: Wire; after: Wire; by: Author }

/** What an auditor watches. */
export type Watcher = {
  written: (write: Written) => void
  undeleted: (row: RowRef, by: Author) => void
}

/** A transaction: its number, and who writes in it. */
export type Transaction = { xid: number; by: Author; userId: string }

/**
 * The server in memory: tables, stamps, links, trash. It stands in for what SQL does in the product
 * (src/db/schema: sync.sql, links.sql, deletions.sql, recorded-clinics.sql).
 */
export class Server {
  state = emptyState()
  /** What the server was asked and answered, if a history is recorded. */
  trace: Call[] | null = null

  /** Transactions that have begun and not committed. */
  readonly running = new Map<number, { patientId: string; commit: () => void }>()

  constructor(
    readonly rules: Rules,
    readonly watcher: Watcher,
  ) {}

  /** In seconds: it moves with each pull. */
  clock = 1_700_000_000

  #given = 0
  /** `next_pull_number()`: the later of the clock and the last number, and something by chance. */
  pullNumber() {
    const { state } = this
    const isNear = this.rules.model.numbersNearClock
    // a push takes longer than a pull, and users type in between
    const clock = isNear ? (this.clock += 2) * 1000 : 0
    this.#given += 1
    state.lastPull = Math.max(clock, state.lastPull) + 1 + ((this.#given * 389) % BY_CHANCE)
    return state.lastPull
  }
  chainId = () => `chain ${(this.#given += 1)}`

  begin = (by: Author, userId = ''): Transaction => ({ xid: this.state.nextXid++, by, userId })

  snapshot(own?: number): string {
    const listed = this.rules.model.seesRunning ? [...this.running.keys()] : []
    return snapshotText(this.state.nextXid, own === undefined ? listed : [...listed, own])
  }

  /** Waits for locks: a transaction that writes about the patient commits first. */
  waitFor(patientId: string) {
    for (const transaction of this.running.values())
      if (transaction.patientId === patientId) transaction.commit()
  }

  row = (ref: RowRef) => this.state.rows.get(keyOf(ref))
  live = (table?: string) =>
    [...this.state.rows.values()].filter(
      (row) => !row.isDeleted && (table === undefined || row.table === table),
    )

  actorOf(userId: string): Actor {
    const { role, grants } = this.state.users.get(userId)!
    return { userId, name: userId, role, language: 'en', clinicId: null, grants }
  }

  openLinks = (patientId: string) =>
    this.state.links.filter((link) => link.isOpen && link.patientId === patientId)

  // --- Writing -----------------------------------------------------------------------------------

  insert(tx: Transaction, { table, id }: RowRef, values: Values) {
    const row: StoredRow = {
      table,
      id,
      values: Object.fromEntries(
        Object.entries(values).map(([column, value]) => [column, stored(column, value)]),
      ),
      isDeleted: false,
      recordedClinicId: null,
    }
    row.recordedClinicId = this.#recordedClinic(tx, row)
    this.state.rows.set(keyOf(row), row)
    this.state.stamps.set(keyOf(row), { xid: tx.xid, born: tx.xid, columns: {}, moved: false })
    for (const [column, after] of Object.entries(row.values)) {
      this.#keepHistory(row, column, after)
      this.watcher.written({ table, id, column, before: null, after, by: tx.by })
    }
    this.#follow(tx, row, null)
  }

  /** The statements of a user on the web. */
  #record({ by, xid }: Transaction, statement: Statement) {
    if (by === 'web') this.trace?.push({ ...structuredClone(statement), xid })
  }

  saveOnWeb(tx: Transaction, { table, id }: RowRef, values: Values) {
    this.#record(tx, { kind: 'save', row: { table, id }, values })
    if (this.row({ table, id })) this.update(tx, { table, id }, values)
    else this.insert(tx, { table, id }, values)
  }

  update(tx: Transaction, ref: RowRef, values: Values) {
    const row = this.row(ref)!
    const before = { ...row.values }
    const stamp = this.state.stamps.get(keyOf(ref))!
    stamp.xid = tx.xid
    for (const [column, value] of Object.entries(values)) {
      const after = stored(column, value)
      if (before[column] === after) continue
      this.state.versions.push({
        key: keyOf(ref),
        column,
        xid: tx.xid,
        before: before[column] ?? null,
        after,
      })
      row.values[column] = after
      this.#keepHistory(row, column, before[column] ?? null)
      this.#keepHistory(row, column, after)
      stamp.columns[column] = tx.xid
      if (column === 'patient_id' || column === 'clinic_id') stamp.moved = true
      this.watcher.written({ ...ref, column, before: before[column] ?? null, after, by: tx.by })
    }
    this.#follow(tx, row, before)
  }

  #keepHistory(ref: RowRef, column: string, value: Wire) {
    const cell = `${keyOf(ref)} ${column}`
    const values = this.state.history.get(cell) ?? new Set<Wire>()
    this.state.history.set(cell, values.add(value))
  }

  #setDeleted(tx: Transaction, ref: RowRef, isDeleted: boolean) {
    const row = this.row(ref)!
    if (row.isDeleted === isDeleted) return
    row.isDeleted = isDeleted
    const stamp = this.state.stamps.get(keyOf(ref))!
    stamp.xid = tx.xid
    stamp.columns['is_deleted'] = tx.xid
    if (!isDeleted) this.watcher.undeleted(ref, tx.by)
    this.#follow(tx, row, row.values)
  }

  /** `soft_delete()` with the cascade of the simulated tables. */
  delete(tx: Transaction, root: RowRef) {
    this.#record(tx, { kind: 'delete', row: root })
    const deletion: Deletion = { root, deleted: [root], unlinked: [], isRestored: false }
    this.state.deletions.push(deletion)
    this.#setDeleted(tx, root, true)
    for (const above of deletion.deleted)
      for (const row of this.live()) {
        if (above.table === 'patients' && row.values['patient_id'] === above.id) {
          deletion.deleted.push({ table: row.table, id: row.id })
          this.#setDeleted(tx, row, true)
        } else if (above.table === 'visits' && row.values['visit_id'] === above.id) {
          if (row.table === 'patient_problems') {
            deletion.unlinked.push({
              row: { table: row.table, id: row.id },
              column: 'visit_id',
              from: above.id,
            })
            this.update(tx, row, { visit_id: null })
          } else {
            deletion.deleted.push({ table: row.table, id: row.id })
            this.#setDeleted(tx, row, true)
          }
        }
      }
  }

  /** `undo_deletion()`; false if a parent is deleted. */
  undo(tx: Transaction, deletion: Deletion): boolean {
    const isUndone = this.#undo(tx, deletion)
    if (isUndone) this.#record(tx, { kind: 'undo', root: deletion.root })
    return isUndone
  }

  #undo(tx: Transaction, deletion: Deletion): boolean {
    const { values } = this.row(deletion.root)!
    for (const [table, column] of [
      ['patients', 'patient_id'],
      ['visits', 'visit_id'],
    ] as const) {
      const parent = values[column] ? this.row({ table, id: String(values[column]) }) : undefined
      // problems are unlinked from a deleted visit, so they do not wait for it
      const waits = table === 'patients' || deletion.root.table === 'patient_vitals'
      if (waits && parent?.isDeleted) return false
    }
    deletion.isRestored = true
    for (const row of deletion.deleted.toReversed()) this.#setDeleted(tx, row, false)
    for (const { row, column, from } of deletion.unlinked)
      if (this.row(row)?.values[column] === null) this.update(tx, row, { [column]: from })
    return true
  }

  // --- Links and the clinic that recorded a row ------------------------------------------------------

  #follow(tx: Transaction, row: StoredRow, before: Values | null) {
    if (row.table === 'patients') {
      const home = row.values['primary_clinic_id']
      const earlier = before?.['primary_clinic_id'] ?? null
      const isHome = (clinic: string) => !row.isDeleted && clinic === home
      for (const clinic of [home, earlier])
        if (clinic) this.#link(tx, row.id, String(clinic), 'primary', isHome)
      if (earlier && earlier !== home)
        this.#link(tx, row.id, String(earlier), 'registered', () => true)
    }
    if (row.table === 'visits') {
      const patientId = String(row.values['patient_id'])
      const visits = this.live('visits').filter(({ values }) => values['patient_id'] === patientId)
      const isVisited = (clinic: string) =>
        visits.some(({ values }) => values['clinic_id'] === clinic)
      for (const clinic of new Set([row.values['clinic_id'], before?.['clinic_id']]))
        if (clinic) this.#link(tx, patientId, String(clinic), 'visit', isVisited)
    }
  }

  #link(
    tx: Transaction,
    patientId: string,
    clinicId: string,
    source: PatientLink['source'],
    isReason: (clinicId: string) => boolean,
  ) {
    const { links } = this.state
    const link = links.find(
      (each) =>
        each.patientId === patientId && each.clinicId === clinicId && each.source === source,
    )
    const isOpen = isReason(clinicId)
    if (!link) {
      if (isOpen) links.push({ patientId, clinicId, source, isOpen, xid: tx.xid, since: tx.xid })
      return
    }
    if (link.isOpen === isOpen) return
    Object.assign(link, { isOpen, xid: tx.xid }, isOpen ? { since: tx.xid } : {})
  }

  #recordedClinic({ userId }: Transaction, { table, values }: StoredRow): string | null {
    if (table === 'patients') return null
    if (table === 'visits') return String(values['clinic_id'])
    const visit =
      values['visit_id'] && this.row({ table: 'visits', id: String(values['visit_id']) })
    if (visit) return String(visit.values['clinic_id'])
    const patientId = String(values['patient_id'])
    const grants = this.state.users.get(userId)?.grants ?? {}
    const primaryFirst = ({ source }: PatientLink) => (source === 'primary' ? 0 : 1)
    const links = this.openLinks(patientId).toSorted(
      (a, b) =>
        primaryFirst(a) - primaryFirst(b) ||
        a.since - b.since ||
        (a.clinicId < b.clinicId ? -1 : 1),
    )
    const own = links.find(({ clinicId }) => grants[clinicId]?.includes('can_edit_records'))
    const home = this.row({ table: 'patients', id: patientId })?.values['primary_clinic_id']
    return own?.clinicId ?? (home as string | null) ?? links[0]?.clinicId ?? null
  }
}
