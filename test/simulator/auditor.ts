import { isOfCopy } from '~/sync/push/conflicts.server'
import { permits, permitsRow } from '~/policy/facts'
import { knowPatient } from '~/policy/rules'
import type { Wire } from '~/sync/schema/kinds'
import { BESIDE } from '~/sync/schema/tables'
import { mayAnywhere, mayIn } from '~/shared/actor'
import type { HeldRow, SimulatedPhone } from './phone'
import type { PushState } from './push-state'
import { patientIdOf } from './scope'
import type { Server, Watcher, Written } from './server'
import { isVisible } from './snapshots'
import {
  entriesIn,
  keyOf,
  JSON_COLUMNS,
  MAP,
  NEWER,
  OF_APP,
  type Pulled,
  type RowRef,
  type StoredRow,
  stored,
  TYPED,
  UNSHOWN,
} from './state'

/** A value that a user typed, and the values of the same field that were on their screen before. */
type Typed = {
  seen: ReadonlySet<string>
  /** The phone, and what its whole syncs through the hub had brought until then. */
  phone?: number
  acknowledged?: ReadonlySet<string>
}

const columnsOf = ({ table }: RowRef): readonly string[] =>
  table === 'patients' ? [...TYPED[table], ...UNSHOWN, ...ENTRIES, ...NEWER] : TYPED[table]
/** `metadata.a` */
const ENTRIES = MAP.typed.map((key) => `${MAP.column}.${key}`)
const isNewer = (column: string) => (NEWER as readonly string[]).includes(column)
const wholeColumn = (column: string) => column.split('.')[0]!
const valueIn = (values: Record<string, Wire>, column: string): Wire => {
  if (isNewer(column)) return values[column] ?? entriesIn(values[BESIDE])[column] ?? null
  const [whole, key] = column.split('.')
  return (key === undefined ? values[column] : entriesIn(values[whole!])[key]) ?? null
}
/** A value of a column, or one of its entries. */
const holds = (held: Wire, value: Wire) =>
  held === value ||
  (typeof held === 'string' && held.startsWith('{') && held.includes(`"${value}"`))
const isTyped = (row: RowRef, column: string) => columnsOf(row).includes(column)
const cellOf = (row: RowRef, column: string) => `${keyOf(row)} ${column}`
const typedIn = (row: RowRef & { values: Record<string, Wire> }): [string, string][] =>
  columnsOf(row).flatMap((column): [string, string][] => {
    const value = valueIn(row.values, column)
    return typeof value === 'string' && value !== '' ? [[column, value]] : []
  })

/** Checks the guarantees of docs/phone-sync.md while a history runs, and when it has come to rest. */
export class Auditor implements Watcher {
  readonly problems: string[] = []
  readonly #typed = new Map<string, Typed>()
  readonly #seen = new Map<number, Map<string, Set<string>>>()
  readonly #acknowledged = new Map<string, Set<string>>()
  /** By value: the phone and the user who sent it, other than by a forced upload. */
  readonly #pushedBy = new Map<string, string>()
  /** By phone and cell: what was on the screen when it was cleared. */
  readonly #cleared = new Map<string, Typed>()
  /** By phone and cell: those that the app emptied, as no screen shows them. */
  readonly #unshown = new Set<string>()
  /** Those whose push has arrived. */
  readonly #emptied = new Set<string>()
  /** Values that were stored at some time, since the last restore or in its backup. */
  stored = new Set<string>()
  /** Rows that were stored before a restore; phones may hold them, the server does not know them. */
  readonly forgotten = new Set<string>()
  server!: Server

  report = (problem: string) => void this.problems.push(problem)

  // --- What users see and type -----------------------------------------------------------------------

  #seenOn(phone: number, cell: string): Set<string> {
    const ofPhone = this.#seen.get(phone) ?? new Map<string, Set<string>>()
    this.#seen.set(phone, ofPhone)
    const seen = ofPhone.get(cell) ?? new Set<string>()
    ofPhone.set(cell, seen)
    return seen
  }

  /** A whole sync through the hub has ended: its next pull says so. */
  acknowledged(phone: SimulatedPhone) {
    for (const row of phone.rows.values())
      if (row.status === 'synced')
        for (const [column, value] of typedIn(row)) {
          const cell = `${phone.number} ${cellOf(row, column)}`
          this.#acknowledged.set(cell, (this.#acknowledged.get(cell) ?? new Set()).add(value))
        }
  }

  /** After a whole sync through the hub, the app must not take its rows for unsent. */
  switches(phone: SimulatedPhone) {
    if (phone.seemsUnsent())
      this.report(
        `online mode: phone ${phone.number} seems to have unsent rows at ${phone.numbers.hub}`,
      )
  }

  /** A row is on the screen of a phone. */
  shown(phone: number, row: HeldRow) {
    for (const [column, value] of typedIn(row)) this.#seenOn(phone, cellOf(row, column)).add(value)
  }

  typedOnPhone(phone: number, row: RowRef, column: string, value: string) {
    const seen = this.#seenOn(phone, cellOf(row, column))
    const acknowledged = new Set(this.#acknowledged.get(`${phone} ${cellOf(row, column)}`))
    this.#typed.set(value, { seen: new Set(seen), phone, acknowledged })
    seen.add(value)
  }

  /** The user of a phone cleared a field on a screen. */
  clearedOnPhone(phone: number, row: RowRef, column: string) {
    const cell = cellOf(row, column)
    this.#emptied.delete(`${phone} ${cell}`)
    this.#cleared.set(`${phone} ${cell}`, { seen: new Set(this.#seenOn(phone, cell)) })
  }

  typedOnWeb(before: Wire, value: string) {
    this.#typed.set(value, { seen: new Set(before ? [String(before)] : []) })
  }

  #hasSeen(value: string, other: string): boolean {
    return this.#sees(this.#typed.get(value), other)
  }

  #sees({ seen }: Typed = { seen: new Set<string>() }, other: string): boolean {
    return seen.has(other) || [...seen].some((each) => this.#hasSeen(each, other))
  }

  // --- Updates -------------------------------------------------------------------------------------------

  #writtenEntries(write: Written) {
    const [before, after] = [entriesIn(write.before ?? ''), entriesIn(write.after)]
    const isBeside = write.column === BESIDE
    for (const key of isBeside ? NEWER : MAP.typed)
      if (before[key] !== after[key])
        this.written({
          ...write,
          column: isBeside ? key : `${MAP.column}.${key}`,
          before: before[key] ?? null,
          after: after[key] ?? null,
        })
    const [was, is] = [before[MAP.time] ?? '', after[MAP.time] ?? '']
    if (is < was && typeof write.by === 'object')
      this.report(`entries: the time ${was} became ${is || 'empty'}`)
  }

  written({ table, id, column, before, after, by }: Written) {
    if (table === 'patients' && JSON_COLUMNS.includes(column))
      return this.#writtenEntries({ table, id, column, before, after, by })
    if (!isTyped({ table, id }, column)) return
    if (after && typeof after === 'string') this.stored.add(after)
    if (!after && typeof by === 'object')
      this.#emptied.add(`${by.phone} ${cellOf({ table, id }, column)}`)
    if (typeof by === 'object' && this.server.row({ table, id })?.isDeleted)
      this.report(`deletion: ${after} was written into a deleted row (${table}.${column})`)
    if (!before || by === 'settling' || before === after) return
    if (!after && typeof by === 'object') {
      if (
        !this.#sees(
          this.#cleared.get(`${by.phone} ${cellOf({ table, id }, column)}`),
          String(before),
        )
      )
        this.report(
          `lost update: ${before} was emptied in ${table}.${column}, and nobody cleared it`,
        )
      return
    }
    if (!this.#hasSeen(String(after), String(before)))
      this.report(`lost update: ${after} replaced ${before} in ${table}.${column}, unseen`)
  }

  undeleted({ table, id }: RowRef, by: Written['by']) {
    if (typeof by === 'object') this.report(`a push restored ${table} ${id}`)
  }

  isKept = (value: string): boolean =>
    this.stored.has(value) ||
    this.server.state.inbox.some(({ phone }) => holds(phone, value)) ||
    this.server.state.quarantine.some(({ raw }) =>
      Object.values(raw).some((each) => holds(each as Wire, value)),
    )

  /** A phone's push was applied. `sent`: the rows as the phone held them. */
  pushed(phone: SimulatedPhone, sent: readonly HeldRow[], push: PushState) {
    for (const row of sent) {
      if (row.status === 'deleted') this.#checkDeletion(phone, row, push)
      else {
        this.#checkKept(row, `phone ${phone.number} sent`)
        this.#checkCleared(phone, row)
      }
    }
    this.#checkRights(push)
    this.#checkConflicts(push)
    if (this.server.state.epochs.length === 0) this.#checkOwn(phone, push)
    for (const row of sent)
      for (const [column, value] of typedIn(row))
        if (valueIn(this.server.row(row)?.values ?? {}, column) === value)
          this.#pushedBy.set(value, `${phone.number} ${phone.userId}`)
  }

  /** A forced upload was applied. It replaces nothing: what it brings over the phone's own values waits. */
  uploaded(push: PushState) {
    this.#checkConflicts(push)
    for (const { server } of push.conflicts) this.#pushedBy.delete(String(server))
  }

  /** The app emptied a field that no screen shows: its user does not see the value any more. */
  emptiedByApp = (phone: number, row: RowRef, column: string, value: Wire) => {
    this.#pushedBy.delete(String(value))
    this.#unshown.add(`${phone} ${cellOf(row, column)}`)
  }

  /** A phone's edit does not lose to what it sent itself, nor to what the hub has brought before. */
  #checkOwn({ number, way, userId }: SimulatedPhone, { conflicts }: PushState) {
    const pairs = conflicts.flatMap((conflict) =>
      conflict.column === MAP.column
        ? MAP.typed.map((key) => ({
            ...conflict,
            column: `${MAP.column}.${key}`,
            phone: entriesIn(conflict.phone)[key] ?? null,
            server: entriesIn(conflict.server)[key] ?? null,
          }))
        : [conflict],
    )
    for (const { column, phone, server, incoming, isDeleted } of pairs) {
      if (phone === server) continue
      const typed = this.#typed.get(String(phone))
      if (incoming.state !== 'edited' || isDeleted || !server || typed?.phone !== number) continue
      const isOwn =
        this.#typed.get(String(server))?.phone === number &&
        this.#pushedBy.get(String(server)) === `${number} ${userId}`
      if (isOwn)
        this.report(`conflict: ${phone} lost to ${server} (${column}) of the same phone ${number}`)
      if (way === 'hub' && typed.acknowledged?.has(String(server)))
        this.report(`conflict: ${phone} lost to ${server} (${column}), which the hub had brought`)
    }
  }

  /** A conflict is about a value that the user of the phone typed. */
  #checkConflicts({ conflicts, base }: PushState) {
    for (const { column, phone, server, incoming, isDeleted } of conflicts) {
      if (column === OF_APP && server)
        this.report(`conflict: nobody typed ${incoming.table}.${column} ${phone}`)
      if (column === MAP.column && phone !== null && !isDeleted) {
        const [sent, kept] = [entriesIn(phone), entriesIn(server)]
        const differing = MAP.typed.filter((key) => sent[key] !== kept[key])
        const isOld = (key: string) =>
          incoming.state === 'edited' && this.stored.has(sent[key] ?? '')
        if (differing.length === 0) this.report('conflict: nobody typed an entry')
        if (base.snapshot !== null && differing.some(isOld))
          this.report(`conflict: an entry of ${phone} was stored before`)
      }
      const isOfApp =
        incoming.table === 'patients' && (UNSHOWN as readonly string[]).includes(column)
      if (isOfApp && !phone && !isDeleted)
        this.report(`conflict: nobody emptied ${incoming.table}.${column}`)
      const isUntyped = incoming.state === 'edited' || isOfCopy({ incoming, column })
      if (isUntyped && !isDeleted && this.stored.has(String(phone)))
        this.report(`conflict: ${incoming.table}.${column} ${phone} was stored before`)
    }
  }

  /** What the user cleared in a field that no form has hidden is empty, or waits for a decision. */
  #checkCleared({ number }: SimulatedPhone, row: HeldRow) {
    const { forms, inbox, quarantine } = this.server.state
    for (const column of row.changed) {
      const key = `${number} ${cellOf(row, column)}`
      const isCleared = this.#cleared.has(key) && !this.#emptied.has(key) && !row.values[column]
      const isHidden = forms.some(({ hidden }) => hidden.includes(column))
      const isEmpty = !this.server.row(row)?.values[column]
      const isWaiting = [...inbox, ...quarantine].some((entry) => keyOf(entry) === keyOf(row))
      if (isCleared && !isHidden && !isEmpty && !isWaiting && row.status === 'updated')
        this.report(`lost value: phone ${number} cleared ${row.table}.${column}, and it is back`)
    }
  }

  #checkKept(row: HeldRow, what: string) {
    for (const [column, value] of typedIn(row)) {
      const isUnsent = row.status === 'created' || row.changed.has(wholeColumn(column))
      if (isUnsent && !this.isKept(value))
        this.report(`lost value: ${what} ${value} (${row.table}.${column}), and it is nowhere`)
    }
  }

  /** An edit that the author of a deletion had not seen is in the inbox. */
  #checkDeletion(
    { number, isNewer: hasNewer }: SimulatedPhone,
    row: HeldRow,
    { server, tx }: PushState,
  ) {
    const stored = server.row(row)
    const isDeletedNow = server.state.stamps.get(keyOf(row))?.columns['is_deleted'] === tx.xid
    const isRoot =
      server.state.deletions.at(-1) &&
      server.state.deletions.some(({ root }) => keyOf(root) === keyOf(row))
    // what was stored after a restore is in the trash
    if (!stored?.isDeleted || !isDeletedNow || !isRoot || server.state.epochs.length > 0) return
    for (const [column, value] of typedIn(stored)) {
      const cell = cellOf(row, column)
      const isSeen =
        this.#seenOn(number, cell).has(value) ||
        this.#unshown.has(`${number} ${cell}`) ||
        // no screen of an older app has the column
        (isNewer(column) && !hasNewer)
      const isInInbox = server.state.inbox.some(
        (entry) => entry.isDeleted && holds(entry.server, value),
      )
      if (!isSeen && !isInInbox)
        this.report(`lost update: ${value} (${row.table}.${column}) was deleted unseen`)
    }
  }

  /** What the user may not do on the web, the phone may not do. */
  #checkRights({ server, ctx: { actor }, tx }: PushState) {
    for (const row of server.state.rows.values()) {
      if (server.state.stamps.get(keyOf(row))!.xid !== tx.xid) continue
      const mayWrite =
        row.table === 'patients'
          ? mayAnywhere(
              actor,
              'can_register_patients',
              'can_edit_records',
              'can_delete_patient_records',
            )
          : row.table === 'visits' && !row.isDeleted
            ? mayIn(actor, 'can_edit_records', String(row.values['clinic_id']))
            : mayAnywhere(
                actor,
                'can_edit_records',
                'can_delete_records',
                'can_delete_patient_visits',
                'can_delete_patient_records',
              )
      if (!mayWrite)
        this.report(`rights: ${row.table} ${row.id} was written without the permission`)
    }
  }

  /** The same push came a second time. */
  repeated(before: string, after: string) {
    if (before !== after) this.report('repetition: a push that came twice changed something')
  }

  // --- Pulls -----------------------------------------------------------------------------------------------

  #maySee(userId: string, row: StoredRow): boolean {
    const actor = this.server.actorOf(userId)
    const links = this.server
      .openLinks(patientIdOf(row))
      .map(({ clinicId, source }) => ({ clinic_id: clinicId, source }))
    return row.table === 'patients'
      ? permits(knowPatient, actor, links)
      : permitsRow(actor, row.recordedClinicId, links)
  }

  pulled(userId: string, { rows }: Pulled) {
    for (const row of rows)
      if (!row.isDeleted && !this.#maySee(userId, this.server.row(row)!))
        this.report(`scope: ${row.table} ${row.id} was sent to a user who may not see it`)
  }

  /** A pull to a phone that waits since a restore: what only the phone has stays on it. */
  keeps(phone: SimulatedPhone, { rows }: Pulled) {
    const since = this.server.state.epochs.at(-1)!.snapshot
    for (const row of rows) {
      const held = phone.rows.get(keyOf(row))
      // what was written since the restore is sent whole
      const isNew = !isVisible(this.server.state.stamps.get(keyOf(row))!.xid, since)
      if (!held || isNew) continue
      for (const [column, value] of typedIn(held))
        if (
          !held.changed.has(wholeColumn(column)) &&
          valueIn(row.values, column) !== value &&
          !this.isKept(value)
        )
          this.report(
            `restore: ${value} (${row.table}.${column}) was only on phone ${phone.number}, and was overwritten`,
          )
    }
  }

  /** A pull removed a row from a phone. */
  destroyed({ number }: SimulatedPhone, row: HeldRow) {
    if (row.status === 'created' || row.status === 'updated')
      this.#checkKept(row, `a pull removed from phone ${number}`)
  }

  // --- At rest -------------------------------------------------------------------------------------------------

  /** Phone and server hold the same rows within the scope of the user. */
  compare(phone: SimulatedPhone) {
    const { state } = this.server
    for (const row of state.rows.values()) {
      const held = phone.rows.get(keyOf(row))
      const isVisible = !row.isDeleted && this.#maySee(phone.userId, row)
      const at = `phone ${phone.number}: ${row.table} ${row.id}`
      if (isVisible && (!held || held.isDeleted))
        this.report(`convergence: ${at} is not on the phone`)
      if (!isVisible && held && !held.isDeleted) this.report(`scope: ${at} is still on the phone`)
      if (!isVisible && held?.isDeleted)
        this.report(`deletion: ${at} is still on the phone, hidden`)
      if (!isVisible || !held || held.isDeleted) continue
      for (const column of phone.isNewer && row.table === 'patients' ? NEWER : [])
        if (valueIn(row.values, column) !== valueIn(held.values, column))
          this.report(`convergence: ${at}.${column} differs`)
      for (const [column, value] of Object.entries(row.values))
        if (column !== BESIDE && stored(column, held.values[column] ?? null) !== value)
          this.report(
            `convergence: ${at}.${column} is ${value} here and ${held.values[column]} there`,
          )
    }
    for (const [key, { status }] of phone.rows) {
      if (status !== 'synced')
        this.report(`convergence: phone ${phone.number}: ${key} is still ${status}`)
      if (!state.rows.has(key) && !this.forgotten.has(key) && !this.#isRejectedOfHub(key))
        this.report(`convergence: phone ${phone.number}: the server does not know ${key}`)
    }
  }

  /** The hub removes nothing from a phone, also no new row that was rejected. */
  #isRejectedOfHub(key: string): boolean {
    const { quarantine, chains } = this.server.state
    return quarantine.some(
      (entry) =>
        entry.isSettled && keyOf(entry) === key && chains.get(entry.chainId ?? '')?.way === 'hub',
    )
  }

  /** Before a restore: rows that phones have sent and the backup does not contain. */
  forget(phones: readonly SimulatedPhone[], backup: ReadonlyMap<string, unknown>) {
    for (const phone of phones)
      for (const [key, { status }] of phone.rows)
        if (status === 'synced' && !backup.has(key)) this.forgotten.add(key)
  }
}
