import { storedValues } from '~/sync/push/decide'
import type { Incoming, RowId } from '~/sync/push/incoming'
import type { Existing } from '~/sync/push/merge'
import { type RightsFacts, patientFacts } from '~/sync/push/rights.server'
import { unlinkDeletedVisits } from '~/sync/push/save.server'
import { type Actor, isAdmin } from '~/shared/actor'
import { columnEntryRule, formColumns } from '~/sync/schema/column-rules'
import { withOwnEntries } from '~/sync/schema/entries'
import type { Wire } from '~/sync/schema/kinds'
import type { PlannedWrite } from '~/sync/push/write.server'
import { BESIDE, comparable, QUIET, tableNamed } from '~/sync/schema/tables'
import type { PushState } from './push-state'
import { isVisible } from './snapshots'
import {
  hasAuthor,
  JSON_COLUMNS,
  keyOf,
  type Name,
  OF_APP,
  type RowRef,
  TABLES,
  UNSHOWN,
} from './state'

export function saveAll(state: PushState, rows: readonly Incoming[]) {
  const { server, tx } = state
  for (const table of TABLES) {
    const ofTable = rows.filter((row) => row.table === table)
    if (ofTable.length === 0) continue
    const existing = existingRows(state, table, ofTable)
    const stored = [...existing].map(([id, { values }]) => ({ ...values, id }))
    const facts = factsFor(state, table, [
      ...ofTable.map(({ id, values }) => ({ ...values, id })),
      ...stored,
    ])
    for (const incoming of ofTable) {
      const before = existing.get(incoming.id)
      if (!before?.isDeleted || !server.rules.model.keepsVisitsInTrash)
        unlinkDeletedVisits(incoming, facts)
      const planned = before
        ? server.rules.planUpdate(state, table, incoming, before, facts)
        : server.rules.planInsert(state, table, incoming, facts)
      if (before?.isDeleted && !server.rules.model.keepsTombstones) resurrect(state, incoming)
      if (!planned) continue
      if (before) {
        server.update(tx, { table, id: planned.id }, planned.values)
        supersede(state, planned)
      } else {
        server.insert(tx, { table, id: planned.id }, contentOf(incoming))
        state.inserted.push({ table, id: planned.id })
      }
    }
  }
}

/** `supersedeConflicts` */
function supersede({ server, tx, base }: PushState, { incoming, values }: PlannedWrite) {
  if (incoming.state !== 'edited' || incoming.waited) return
  for (const entry of server.state.inbox)
    if (
      !entry.isDeleted &&
      keyOf(entry) === keyOf(incoming as RowRef) &&
      entry.userId === tx.userId &&
      base.chains.some(({ id }) => id === entry.chainId) &&
      entry.column in values &&
      !QUIET.includes(entry.column) &&
      !JSON_COLUMNS.includes(entry.column)
    )
      entry.isSettled = true
}

const contentOf = ({ values, table }: Incoming) =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([column]) =>
        (column !== BESIDE || table === 'patients') &&
        comparable(tableNamed(table)).includes(column),
    ),
  )

const textOf = (value: Wire) => (typeof value === 'string' ? value : null)

function resurrect({ server, tx }: PushState, { table, id }: RowId) {
  const deletion = server.state.deletions.findLast(
    ({ root }) => root.table === table && root.id === id,
  )
  if (deletion) server.undo(tx, deletion)
}

function existingRows({ server, base }: PushState, table: Name, rows: readonly { id: string }[]) {
  const queued = server.state.resend.get(base.chain?.id ?? '') ?? new Map<string, number>()
  const isUnseen = (xid: number, isOwn = base.own.has(xid), snapshot = base.snapshot) =>
    !isOwn && (snapshot === null || !isVisible(xid, snapshot))
  const { restoreSnapshot } = base
  const { asksAboutLostForms } = server.rules.model
  return new Map<string, Existing>(
    rows.flatMap(({ id }) => {
      const row = server.row({ table, id })
      if (!row) return []
      const { columns, born } = server.state.stamps.get(keyOf(row))!
      const deletedOrRestored = columns['is_deleted']
      const isUnsent = (xid: number) =>
        restoreSnapshot !== null &&
        isVisible(xid, restoreSnapshot) &&
        deletedOrRestored !== undefined &&
        isUnseen(deletedOrRestored)
      // `hasWrittenSql`
      const hasWritten =
        server.rules.model.knowsWrittenRows &&
        base.snapshot !== null &&
        Object.values(columns).some((xid) => base.own.has(xid))
      const isBornSince = born !== null && isUnseen(born)
      // `isChangedBackSql`
      const isChangedBack = (column: string) => {
        const first = server.state.versions.find(
          (each) => each.key === keyOf(row) && each.column === column && isUnseen(each.xid, false),
        )
        return (
          base.snapshot !== null &&
          !isBornSince &&
          first !== undefined &&
          first.before === (row.values[column] ?? null)
        )
      }
      const unseen = Object.entries(columns).flatMap(([column, xid]) =>
        (isUnseen(xid) && !isChangedBack(column)) || isUnsent(xid) ? [column] : [],
      )
      const isResentSince = (snapshot: typeof base.snapshot) =>
        snapshot !== null &&
        queued.has(keyOf(row)) &&
        isUnseen(queued.get(keyOf(row))!, false, snapshot)
      const isResent = isResentSince(base.snapshot)
      const isLater =
        base.repeatedSnapshot !== null && Object.keys(base.delivered.row(table, id)).length === 0
      const [snapshot, older] = isLater
        ? [base.repeatedSnapshot, base.snapshot]
        : [base.snapshot, base.olderSnapshot]
      const bornSince = snapshot ?? base.withheldSnapshot
      // `basesSql`
      const basesOf = (column: string) => {
        const isOthers = (xid: number) => isUnseen(xid, base.own.has(xid), snapshot)
        const isUnseenColumn = columns[column] !== undefined && isOthers(columns[column])
        const isAgain = isResentSince(snapshot)
        if (snapshot === null || !(isUnseenColumn || isAgain)) return undefined
        const isSince = (xid: number, isOwn: boolean) =>
          isUnseen(xid, isOwn, snapshot) ||
          (isAgain && older !== null && isUnseen(xid, isOwn, older))
        const versions = server.state.versions.filter(
          (each) => each.key === keyOf(row) && each.column === column,
        )
        const version = versions.find(({ xid }) => isSince(xid, base.own.has(xid)))
        const isOwn = isAgain && older !== null && !isUnseenColumn
        const seen = version?.before ?? (isOwn ? row.values[column] : undefined)
        if (typeof seen !== 'string' || !server.rules.model.countsOwnEntries) return seen
        const own = versions.filter(({ xid }) => base.own.has(xid) && isSince(xid, false))
        return withOwnEntries(
          columnEntryRule(table, column)!,
          seen,
          own.map(({ before, after }) => [textOf(before), textOf(after)]),
        )
      }
      return [
        [
          id,
          {
            isDeleted: row.isDeleted,
            recordedClinicId: row.recordedClinicId,
            values: { [BESIDE]: '{}', ...row.values, is_deleted: row.isDeleted },
            unseen: new Set(unseen),
            unseenLater:
              base.repeatedSnapshot === null
                ? null
                : new Set(
                    Object.entries(columns).flatMap(([column, xid]) =>
                      isUnseen(xid, base.own.has(xid), base.repeatedSnapshot) || isUnsent(xid)
                        ? [column]
                        : [],
                    ),
                  ),
            isResent,
            emptiedByApp: new Set(emptiedByApp(server, table, base.form)),
            perhapsEmptied: new Set(
              table === 'patients' && asksAboutLostForms && base.withheldSnapshot !== null
                ? formColumns
                : [],
            ),
            bases: Object.fromEntries(JSON_COLUMNS.map((column) => [column, basesOf(column)])),
            newer: new Set(
              Object.entries(columns).flatMap(([column, xid]) =>
                base.newer.has(xid) ? [column] : [],
              ),
            ),
            isConcurrent:
              bornSince !== null &&
              born !== null &&
              !hasWritten &&
              isUnseen(born, base.own.has(born), bornSince),
          },
        ] as const,
      ]
    }),
  )
}

/** `neverShown` and `hidden_columns()` */
function emptiedByApp(
  { state }: PushState['server'],
  table: Name,
  form: PushState['base']['form'],
) {
  if (form === 'none') return []
  if (table !== 'patients') return hasAuthor(table) ? [OF_APP] : []
  const since =
    form === 'unknown'
      ? undefined
      : 'snapshot' in form
        ? form.snapshot
        : [...state.pulls.values()].find(({ chainId }) => chainId === form.chainId)?.snapshot
  const seen = since ? state.forms.findLastIndex(({ xid }) => isVisible(xid, since)) : 0
  return [
    ...UNSHOWN,
    ...JSON_COLUMNS,
    ...state.forms.slice(Math.max(seen, 0)).flatMap(({ hidden }) => hidden),
  ]
}

function factsFor(
  { server, ctx }: PushState,
  table: Name,
  rows: readonly Record<string, unknown>[],
): RightsFacts {
  const idsOf = (column: string) =>
    new Set(rows.map((row) => row[column]).filter(Boolean) as string[])
  const patients = [...idsOf(table === 'patients' ? 'id' : 'patient_id')].flatMap((id) => {
    const patient = server.row({ table: 'patients', id })
    const links = server
      .openLinks(id)
      .map(({ clinicId, source }) => ({ clinic_id: clinicId, source }))
    return patient ? [{ id, is_deleted: patient.isDeleted, links }] : []
  })
  const visits = [...idsOf('visit_id')].flatMap((id) => {
    const visit = server.row({ table: 'visits', id })
    if (!visit) return []
    const { clinic_id, patient_id } = visit.values
    return [
      [
        id,
        {
          clinic_id: String(clinic_id),
          patient_id: String(patient_id),
          is_deleted: visit.isDeleted,
        },
      ],
    ] as const
  })
  const none = new Map<string, never>()
  return {
    patients: patientFacts(ctx.actor, patients),
    visits: new Map(visits),
    prescriptions: none,
    items: none,
    events: none,
    forms: none,
    authors: authorsFor(server.state.users, ctx.actor),
  }
}

/** `isColleague` */
const authorsFor = (
  users: PushState['server']['state']['users'],
  actor: Actor,
): RightsFacts['authors'] =>
  new Map(
    [...users].map(([id, { role, grants }]) => [
      id,
      {
        isColleague:
          isAdmin(actor) ||
          role === 'admin' ||
          Object.keys(grants).some((clinic) => clinic in actor.grants),
      },
    ]),
  )

// --- Deleting --------------------------------------------------------------------------------------

export function deleteAll(state: PushState, named: readonly RowId[], rows: readonly Incoming[]) {
  const { server, tx, ctx } = state
  const deleted = server.rules.deletionsOf(state, named, rows)
  for (const table of TABLES.toReversed()) {
    const ids = deleted.filter((row) => row.table === table)
    const existing = existingRows(
      { ...state, base: { ...state.base, ...state.base.ofDeletions } },
      table,
      ids,
    )
    const stored = [...existing].map(([id, before]) => storedValues(id, before))
    const facts = factsFor(state, table, stored)
    for (const [id, before] of existing) {
      if (before.isDeleted || server.row({ table, id })!.isDeleted) continue
      if (server.rules.mayDelete(ctx.actor, table, storedValues(id, before), facts)) {
        server.delete(tx, { table, id })
        const delivered = state.base.delivered.row(table, id)
        state.conflicts.push(...server.rules.conflictsOfDeletion(table, id, before, delivered))
      } else
        state.refused.push({
          table,
          id,
          operation: 'delete',
          raw: { id },
          reason: 'sync.reason_notPermitted',
        })
    }
  }
}
