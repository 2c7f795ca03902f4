import { sql } from 'kysely'
import { parseStored } from '~/db/stored-json'
import { ApplyRow, ListWaiting, QuarantinedRowId } from '~/features/office/devices/device'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { findPatientIds } from '~/server/access-entry'
import { type Context, mutation, query, signedIn } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfRows } from '~/server/shown'
import { conflict, invalid, notFound } from '~/shared/errors'
import { newId, isId } from '~/shared/id'
import { type Incoming, readRow, type RefusalReason } from '~/sync/push/incoming'
import { type Wire } from '~/sync/schema/kinds'
import { conflictValueKind } from './conflicts.server'
import { askForRelease } from '~/sync/push/release.server'
import { queueForSenders } from '~/sync/push/resend.server'
import { deleteDecided, maySettleOrHasSent, maySettle, saveSent } from '~/sync/push/settle.server'
import {
  BESIDE,
  unknownColumns,
  pushed,
  type PushedName,
  tableNamed,
  writable,
} from '~/sync/schema/tables'
import { isObject } from '~/shared/object'

/**
 * Rows that phones sent and that could not be applied: the user's own, and those that the user may
 * resolve.
 */
export const listRefused = query('quarantine.list', {
  access: 'reviews',
  reads: ['sync_quarantine'],
  looksUp: ['clinics', 'patients', 'users'],
  input: ListWaiting,
  allow: signedIn,
  async run({ db, actor }, { page, settled }) {
    const refused = db
      .selectFrom('sync_quarantine as q')
      .where(maySettleOrHasSent(actor, 'q'))
      .where('q.settled_at', settled ? 'is not' : 'is', null)
    const { rows, pagination } = await loadListPage(
      refused
        .leftJoin('users', 'users.id', 'q.user_id')
        .leftJoin('users as settler', 'settler.id', 'q.settled_by')
        .leftJoin('clinics', 'clinics.id', 'q.clinic_id')
        .leftJoin('patients', (join) =>
          join.onRef('patients.id', '=', 'q.patient_id').on(patientsWhere(knowPatient, actor)),
        )
        .select([
          'q.id',
          'q.received_at',
          'q.table_name',
          'q.operation',
          'q.reason',
          'q.outcome',
          'q.settled_at',
          // null if the actor has no access to the patient
          'patients.id as patient_id',
        ])
        .select(['users.name as sent_by', 'settler.name as settled_by', 'clinics.name as clinic'])
        .select(
          sql<string | null>`nullif(concat_ws(' ', patients.given_name, patients.surname), '')`.as(
            'patient',
          ),
        )
        .select(sql<boolean>`${maySettle(actor, 'q')}`.as('may_settle'))
        .orderBy('q.received_at', 'desc')
        .orderBy('q.id'),
      refused,
      page,
    )
    return {
      rows: rows.map(({ reason, ...row }) => ({ ...row, reason: reason as RefusalReason })),
      pagination,
    }
  },
  shows: patientsOfRows,
})

/** One row: each column as the phone sent it, and the stored value if the row exists. */
export const getRefused = query('quarantine.get', {
  access: 'reviews',
  reads: ['sync_quarantine'],
  looksUp: ['clinics', 'drug_catalogue', 'event_forms', 'patients', 'users'],
  input: QuarantinedRowId,
  allow: signedIn,
  async run(ctx, { id }) {
    const { db, actor } = ctx
    const found = await db
      .selectFrom('sync_quarantine as q')
      .leftJoin('users', 'users.id', 'q.user_id')
      .leftJoin('patients', (join) =>
        join.onRef('patients.id', '=', 'q.patient_id').on(patientsWhere(knowPatient, actor)),
      )
      .select([
        'q.id',
        'received_at',
        'patients.id as patient_id',
        'table_name',
        'row_id',
        'operation',
        'row',
        'reason',
        'detail',
      ])
      .select(['outcome', 'users.name as sent_by'])
      .select(sql<boolean>`${maySettle(actor, 'q')}`.as('may_settle'))
      .where('q.id', '=', id)
      .where(maySettleOrHasSent(actor, 'q'))
      .executeTakeFirst()
    if (!found) throw notFound('sync.refusedNotFound')
    const { row, reason, ...rest } = found
    const read = parseStored(row)
    const sent = isObject(read) ? read : {}
    const table = isPushed(rest.table_name) ? tableNamed(rest.table_name) : null
    const held: Record<string, unknown> =
      rest.detail === BESIDE && isPushed(rest.table_name)
        ? { [BESIDE]: unknownColumns(rest.table_name, sent), ...sent }
        : sent
    const columns =
      table && rest.operation === 'save' ? writable(table).filter((column) => column in held) : []
    const values = columns.map((column) => ({
      column,
      value: asWire(held[column]),
      kind: conflictValueKind(rest.table_name, column),
    }))
    return {
      ...rest,
      reason: reason as RefusalReason,
      values,
      // no row of a table that phones write
      text: values.length === 0 && rest.operation === 'save' ? row : null,
      names: await loadNamesInValues(ctx, values),
    }
  },
  shows: async ({ patient_id, names }, { ctx }) => [
    patient_id,
    ...(await findPatientIds(ctx.db, Object.keys(names))),
  ],
})

/** Names by id. A device's user receives no name of a patient without access to that patient. */
async function loadNamesInValues(
  { db, actor }: Context,
  values: { value: Wire }[],
): Promise<Record<string, string>> {
  const ids = values.map(({ value }) => value).filter(isId)
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from users where id = any(${ids}::uuid[])
    union all select id, name from clinics where id = any(${ids}::uuid[])
    union all select id, name from event_forms where id = any(${ids}::uuid[])
    union all select id, generic_name from drug_catalogue where id = any(${ids}::uuid[])
    union all select id, concat_ws(' ', given_name, surname) from patients where id = any(${ids}::uuid[])
      and ${patientsWhere(knowPatient, actor)}`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

const asWire = (value: unknown): Wire =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as Wire)
    : JSON.stringify(value)

const isPushed = (table: string): table is PushedName => Object.hasOwn(pushed, table)

/**
 * Applies the row, corrected if needed, with the actor's rights. Refused (`conflict`) while it
 * cannot be applied.
 */
export const applyRefused = mutation('quarantine.apply', {
  input: ApplyRow,
  allow: signedIn,
  async run(ctx, { id, values }) {
    const waiting = await requireWaiting(ctx, id)
    const { table_name: table, row_id: rowId, operation } = waiting
    if (!isPushed(table)) throw conflict('sync.notApplicable')
    if (operation === 'delete') {
      if (!rowId) throw conflict('sync.notApplicable')
      await deleteDecided(ctx, table, rowId)
    } else {
      const row = corrected(table, sentRow(table, waiting), values)
      await saveSent(ctx, row, {
        senderId: waiting.user_id,
        chainId: waiting.chain_id,
        sentXid: waiting.sent_xid,
      })
      await askForRelease(ctx.db)
    }
    return settle(ctx, waiting, 'applied')
  },
})

/**
 * Dismisses it for good. The phone deletes the row, or gets the stored one; what was sent can still
 * be read.
 */
export const rejectRefused = mutation('quarantine.reject', {
  input: QuarantinedRowId,
  allow: signedIn,
  run: async (ctx, { id }) => settle(ctx, await requireWaiting(ctx, id), 'rejected'),
})

type Sent = { id: string } & Record<string, unknown>

/** A row without a valid id is stored under a new one. */
function sentRow(table: PushedName, { row, row_id }: { row: string; row_id: string | null }): Sent {
  const sent = parseStored(row)
  if (isObject(sent) && row_id) return sent as Sent
  if (!isObject(sent) || !writable(tableNamed(table)).some((column) => column in sent))
    throw conflict('sync.notApplicable')
  return { ...sent, id: newId() }
}

function corrected(table: PushedName, sent: Sent, values: Record<string, Wire>): Incoming {
  const row = readRow(table, { ...sent, ...values }, 'updated')
  if ('reason' in row) throw invalid({ [`values.${row.detail ?? ''}`]: { key: row.reason } })
  const changed =
    row.changed.length > 0
      ? row.changed
      : writable(tableNamed(table)).filter((name) => name in row.values)
  const typed = Object.keys(values)
  return { ...row, state: 'edited', typed, changed: [...new Set([...changed, ...typed])] }
}

async function requireWaiting({ db, actor }: Context, id: string) {
  const found = await db
    .selectFrom('sync_quarantine')
    .select(['id', 'chain_id', 'user_id', 'table_name', 'row_id', 'operation', 'row'])
    .select(sql<string | null>`sent_xid::text`.as('sent_xid'))
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .where(maySettle(actor, 'sync_quarantine'))
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw notFound('sync.refusedNotFound')
  return found
}

async function settle(
  ctx: Context,
  row: Awaited<ReturnType<typeof requireWaiting>>,
  outcome: 'applied' | 'rejected',
) {
  await ctx.db
    .updateTable('sync_quarantine')
    .set({ outcome, settled_by: ctx.actor.userId, settled_at: new Date() })
    .where('id', '=', row.id)
    .execute()
  const { chain_id: chainId, user_id: userId, table_name: table, row_id: rowId } = row
  if (rowId) await queueForSenders(ctx.db, [{ chainId, userId, table, id: rowId }])
  return { id: row.id, outcome }
}
