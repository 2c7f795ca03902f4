import { sql } from 'kysely'
import { loadChangedRecordNames } from '~/features/office/audit/audit.server'
import { ListWaiting, SettleValue } from '~/features/office/devices/device'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { findPatientIds } from '~/server/access-entry'
import { type Context, mutation, query, signedIn } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfList } from '~/server/shown'
import { conflict, invalid, notFound } from '~/shared/errors'
import { columnEntryRule } from '~/sync/schema/column-rules'
import { mergeEntries } from '~/sync/schema/entries'
import { type Wire, Wrong } from '~/sync/schema/kinds'
import { maySettleOrHasSent, maySettle, saveDecided, tellPhone } from '~/sync/push/settle.server'
import { pushed, type PushedName, tableNamed } from '~/sync/schema/tables'

/** Values that lost against a concurrent change: those that the actor sent or may settle. */
export const listConflicts = query('conflicts.list', {
  access: 'reviews',
  reads: ['sync_conflicts'],
  looksUp: ['clinic_departments', 'clinics', 'patients', 'users'],
  input: ListWaiting,
  allow: signedIn,
  async run(ctx, { page, settled }) {
    const { db, actor } = ctx
    const lost = db
      .selectFrom('sync_conflicts as c')
      .where(maySettleOrHasSent(actor, 'c'))
      .where('c.settled_at', settled ? 'is not' : 'is', null)
    const { rows, pagination } = await loadListPage(
      lost
        .leftJoin('users', 'users.id', 'c.user_id')
        .leftJoin('users as settler', 'settler.id', 'c.settled_by')
        .leftJoin('clinics', 'clinics.id', 'c.clinic_id')
        .leftJoin('patients', (join) =>
          join.onRef('patients.id', '=', 'c.patient_id').on(patientsWhere(knowPatient, actor)),
        )
        // the author of the current value: the last change of this column in the audit trail
        .leftJoinLateral(
          sql<{
            name: string | null
            at: Date
          }>`(select u.name, a.at from audit_log a left join users u on u.id = a.user_id
          where a.table_name = c.table_name and a.record_id = c.row_id and a.changes ? c.column_name
            and a.at <= c.received_at
          order by a.id desc limit 1)`.as('writer'),
          (join) => join.onTrue(),
        )
        .select([
          'c.id',
          'c.received_at',
          'c.edited_at',
          'c.table_name',
          'c.row_id',
          'c.column_name',
          // null if the actor has no access to the patient
          'patients.id as patient_id',
        ])
        .select([
          'c.phone_value',
          'c.server_value',
          'c.is_deleted',
          'c.outcome',
          'c.settled_at',
          'c.settled_value',
        ])
        .select(['users.name as sent_by', 'settler.name as settled_by', 'clinics.name as clinic'])
        .select(['writer.name as changed_by', 'writer.at as changed_at'])
        .select(
          sql<string | null>`nullif(concat_ws(' ', patients.given_name, patients.surname), '')`.as(
            'patient',
          ),
        )
        .select(sql<boolean>`${maySettle(actor, 'c')}`.as('may_settle'))
        .orderBy('c.received_at', 'desc')
        .orderBy('c.id'),
      lost,
      page,
    )
    const values = rows.map(({ phone_value, server_value }) => ({
      value: [phone_value, server_value] as [Wire, Wire],
    }))
    return {
      names: await loadChangedRecordNames(ctx, values),
      rows: rows.map((row) => ({
        ...row,
        kind: conflictValueKind(row.table_name, row.column_name),
        is_derived: isDerived(row.table_name, row.column_name),
      })),
      pagination,
    }
  },
  shows: async ({ rows, names }, { ctx }) => [
    ...patientsOfList(rows),
    ...(await findPatientIds(ctx.db, Object.keys(names))),
  ],
})

/** How a value of the column is asked. */
export function conflictValueKind(
  table: string,
  column: string,
): 'text' | 'number' | 'boolean' | 'moment' | 'json' {
  const kind = syncedColumn(table, column)
  if (!kind || kind.isJson) return 'json'
  if (kind.sent === 'boolean') return 'boolean'
  if (kind.sent === 'numeric') return kind.isMoment ? 'moment' : 'number'
  return 'text'
}

const syncedColumn = (table: string, column: string) =>
  Object.hasOwn(pushed, table) ? tableNamed(table as PushedName).columns[column] : undefined

/** The server computes the column, so that no value can be written. */
const isDerived = (table: string, column: string) =>
  Object.hasOwn(pushed, table) && tableNamed(table as PushedName).derived?.includes(column) === true

/**
 * Resolves a conflict with the actor's rights: keeps the stored value, takes the device's, or
 * writes another.
 */
export const settleConflict = mutation('conflicts.settle', {
  input: SettleValue,
  allow: signedIn,
  async run(ctx, input) {
    const waiting = await requireConflict(ctx, input.id)
    const { table_name: table, row_id: id, column_name: column } = waiting
    const phoneValue = input.take === 'phone' ? waiting.phone_value : undefined
    const value = input.take === 'other' ? input.value : phoneValue
    if (value !== undefined) {
      if (waiting.is_deleted) throw conflict('sync.rowDeleted')
      if (isDerived(table, column)) throw conflict('sync.derivedValue')
      const checked = syncedColumn(table, column)?.check(value)
      if (checked === undefined || checked instanceof Wrong)
        throw invalid({ value: { key: checked?.reason ?? 'sync.notApplicable' } })
      const values = { [column]: await withOthers(ctx, waiting, checked) }
      await saveDecided(ctx, {
        table: table as PushedName,
        id,
        values,
        state: 'edited',
        changed: [column],
        typed: [column],
        raw: values,
      })
    }
    await ctx.db
      .updateTable('sync_conflicts')
      .set({
        outcome: input.take,
        settled_value: JSON.stringify(value ?? waiting.server_value),
        settled_by: ctx.actor.userId,
        settled_at: new Date(),
      })
      .where('id', '=', input.id)
      .execute()
    await tellPhone(ctx, waiting.chain_id, table, id)
    return { id: input.id, outcome: input.take }
  },
})

/** Of a JSON column that is merged by its entries, those that have changed since the conflict arose stay. */
async function withOthers(
  { db }: Context,
  { table_name: table, row_id: id, column_name: column, server_value }: Waiting,
  chosen: Wire,
): Promise<Wire> {
  const rule = columnEntryRule(table as PushedName, column)
  if (!rule || typeof chosen !== 'string' || typeof server_value !== 'string') return chosen
  const { rows } = await sql<{ stored: string }>`
    select coalesce(${sql.ref(column)}, '{}')::text as stored from ${sql.table(table)}
    where id = ${id} for update`.execute(db)
  const [row] = rows
  const merged = row && mergeEntries(rule, { stored: row.stored, sent: chosen, base: server_value })
  return merged ? (merged.lost ?? merged.value) : chosen
}

type Waiting = Awaited<ReturnType<typeof requireConflict>>

async function requireConflict({ db, actor }: Context, id: string) {
  const found = await db
    .selectFrom('sync_conflicts')
    .select([
      'chain_id',
      'table_name',
      'row_id',
      'column_name',
      'phone_value',
      'server_value',
      'is_deleted',
    ])
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .where(maySettle(actor, 'sync_conflicts'))
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw notFound('sync.conflictNotFound')
  return found
}
