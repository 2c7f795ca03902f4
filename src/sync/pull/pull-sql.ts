import {
  personScopeSql,
  isOfPatient,
  linked,
  patientIdColumn,
  patientsLinked,
  type PersonScope,
  rowsOpen,
  visible,
} from '../schema/scope'
import { pushed, type TableName, tableNamed, wireText } from '../schema/tables'
import type { Plan, PullWindow } from './plan'
import { LONG_ROW, rowCacheTable } from './row-cache'

// COPY takes no parameters. The values in these texts are our own names, uuids from the database
// and snapshots.

/**
 * A query of two columns: a number of rows, or the patient of one row, and a text that holds them as JSON, each with a
 * comma in front. The rows that the device should hold: all in scope, or those that changed since its last pull.
 */
export function rowsSql(name: TableName, plan: Plan, userId: string): string {
  const { scope } = plan
  if (name === 'user_clinic_permissions' && scope.everything) return administratorsSql(plan, userId)
  if (isSentWhole(name, plan)) return allRowsSql(name, plan, userId)
  const { from, isInScope } = cachedRows(name, scope, userId)
  return `select w.patient_id, ',' || w.text from (${changedIds(name, plan)}) changed
    join ${from} on w.row_id = changed.id where ${isInScope}`
}

/**
 * As `rowsSql`, with the rows that were deleted since the last pull: `is_deleted` hides them, and
 * edits that were not sent stay. Null if there can be none.
 */
export function deletedRowsSql(name: TableName, plan: Plan, userId: string): string | null {
  const { acknowledged, chainId, holdsUnknown } = plan
  if (acknowledged === null || !isRemovedLater(name)) return null
  const isSeen = (xid: string) => `pg_visible_in_snapshot(${xid}, '${acknowledged}')`
  // the device does not hold what was made and deleted in between, unless it made it
  const isHeld = `(${holdsUnknown} or s.born is null or ${isSeen('s.born')} or s.born in (
    select q.xid from sync_pushes q where q.chain_id = '${chainId}' and not ${isSeen('q.xid')}))`
  return `select 1, ',' || ${wireText(tableNamed(name))}
    from sync_rows s join ${name} t on t.id = s.row_id
    where s.table_name = '${name}' and ${changedSince('s.xid', acknowledged)}
      and ${IS_DELETION} and not ${isSeen(DELETED_BY)} and ${isHeld} and ${isDeletedInScope(name, plan, userId)}
      and t.id not in (${echoIds(name, plan)})`
}

/**
 * As `rowsSql`, with the quoted ids of rows that the device must delete. Null if there can be none.
 */
export function deletedIdsSql(name: TableName, plan: Plan, userId: string): string | null {
  const { departures, removals } = plan
  const parts = [
    ...(departures === 'all' ? [idsAllOutOfScope(name, plan, userId)] : []),
    ...(departures !== null && departures !== 'all'
      ? idsWithin(departures, name, plan, userId)
      : []),
    ...(removals && isRemovedLater(name) ? idsRemoved(removals, name, plan) : []),
    ...idsToResendAsDeleted(name, plan, userId),
  ]
  if (parts.length === 0) return null
  return `select 1, ',"' || id || '"' from (${parts.join(' union ')}) deleted (id)`
}

/** Whether `rowsSql` reads all rows in scope, several in a text, instead of those that changed. */
export const isSentWhole = (name: TableName, { since, upgraded }: Plan) =>
  since === null || upgraded.includes(name)

/** The patients of these tables' live rows, for the access log. */
export function patientsSql(tables: readonly TableName[], plan: Plan, userId: string): string {
  const patients = tables.filter(hasPatient).map(
    (name) => `select ${patientIdColumn(name)} from ${name} t
      where ${isLive(name, plan, userId)} and ${patientIdColumn(name)} is not null`,
  )
  return patients.length > 0 ? patients.join(' union ') : 'select null::uuid where false'
}

const hasPatient = (name: TableName) =>
  name === 'patients' || 'patient_id' in tableNamed(name).columns

/**
 * The names of the tables that have changes, `patient_links` among them, by one look at
 * `sync_rows`.
 */
export function changedTablesSql(plan: Plan): string {
  const { since, departures, removals, chainId, resendsUntil } = plan
  const window = departures === 'all' ? null : departures
  const isChanged = (xid: string) =>
    window
      ? `((${changedSince(xid, since!)}) or (${isWithin(xid, window)}))`
      : changedSince(xid, since!)
  const isRemoved = removals ? `or (${IS_DELETION} and ${isWithin(DELETED_BY, removals)})` : ''
  // so that one range of the index holds all of them
  const isInRange = (xid: string, ...others: (string | undefined)[]) =>
    `${xid} >= least(${[since, ...others].map((from) => snapshotXminSql(from ?? since!)).join(', ')})`
  return `select s.table_name from sync_rows s
      where ${isInRange('s.xid', window?.from, removals?.from)}
        and (${isChanged('s.xid')} ${isRemoved}) group by 1
    union select table_name from sync_again
      where chain_id = '${chainId}'
        and (${changedSince('xid', since!)} or ${isSeenIn('xid', resendsUntil)})
    union (select 'patient_links' from patient_links
      where ${isInRange('changed_xid', window?.from)} and ${isChanged('changed_xid')} limit 1)`
}

// --- Snapshots -----------------------------------------------------------------------------------

export const snapshotXminSql = (snapshot: string) => `'${snapshot.split(':')[0]}'::xid8`

/** SQL for "the transaction committed after the snapshot"; the first part can use an index. */
const changedSince = (xid: string, snapshot: string) =>
  `${xid} >= ${snapshotXminSql(snapshot)} and not pg_visible_in_snapshot(${xid}, '${snapshot}')`

/** SQL for "the snapshot sees the transaction". */
const isSeenIn = (xid: string, snapshot: string | null) =>
  snapshot === null ? 'false' : `pg_visible_in_snapshot(${xid}, '${snapshot}')`

/**
 * SQL for "the transaction lies in the window", which ends with the device's last push, itself
 * included.
 */
function isWithin(xid: string, { from, to, push }: PullWindow) {
  const isPush = push ? ` or ${xid} = '${push}'::xid8` : ''
  return `${changedSince(xid, from)} and (pg_visible_in_snapshot(${xid}, '${to}')${isPush})`
}

// --- Rows ----------------------------------------------------------------------------------------

/**
 * SQL for cached rows `w`, joined with the stored rows `t` if the scope needs their columns, and
 * the table whose pages a full read goes through.
 */
function cachedRows(name: TableName, scope: PersonScope, userId: string) {
  const isInScope = personScopeSql(tableNamed(name), scope, userId)
  const cache = rowCacheTable(name)
  if (isInScope === 'true') return { isInScope, from: `${cache} w`, paged: cache, alias: 'w' }
  return {
    isInScope,
    from: `${name} t join ${cache} w on w.row_id = t.id and not t.is_deleted`,
    paged: name,
    alias: 't',
  }
}

/** One text holds the rows of this many pages of a table, or of this many patients. */
const PAGES = 64
const PATIENTS = 64

/**
 * All rows in scope. Rows are joined to long texts, as a text for each row costs more to receive
 * than to read.
 */
function allRowsSql(name: TableName, plan: Plan, userId: string): string {
  const { scope } = plan
  const echoes = echoIds(name, plan)
  const isSent = echoes ? `and w.row_id not in (${echoes})` : ''
  const joined = (parts: string, rows: string, which: string) =>
    `select part.rows, part.text from ${parts}, lateral (
      select count(*)::integer as rows, string_agg(',' || w.text, '') as text
      from ${rows} where ${which} and octet_length(w.text) < ${LONG_ROW} ${isSent}) part
    where part.rows > 0`
  const longRows = (rows: string, which: string) =>
    `select 1, ',' || w.text from ${rows}
    where ${which} and octet_length(w.text) >= ${LONG_ROW} ${isSent}`

  if (isOfPatient(tableNamed(name)) && !scope.everything) {
    // a user who may see few patients reads no page of the others
    const patients = patientsInScope(name, scope)
    const groups = `(select array_agg(patient_id) as ids from (
        select patient_id, row_number() over () as at from (${patients}) visible) numbered
      group by at / ${PATIENTS}) patients`
    const rows = `${rowCacheTable(name)} w`
    const isOpen = rowsOpen(tableNamed(name), scope)
    return `${joined(groups, rows, `w.patient_id = any(patients.ids) and ${isOpen}`)}
      union all ${longRows(rows, `w.patient_id in (${patients}) and ${isOpen}`)}`
  }
  const { from, isInScope, paged, alias } = cachedRows(name, scope, userId)
  const pageCount = `pg_relation_size('${paged}') / current_setting('block_size')::bigint`
  const pages = `generate_series(0, ${pageCount}, ${PAGES}) page`
  const isOnPages = `${alias}.ctid >= format('(%s,0)', page)::tid
    and ${alias}.ctid < format('(%s,0)', page + ${PAGES})::tid`
  return `${joined(pages, from, `${isOnPages} and ${isInScope}`)}
    union all ${longRows(from, isInScope)}`
}

const patientsInScope = (name: TableName, scope: PersonScope) =>
  `select distinct patient_id
  from (${patientsLinked(tableNamed(name), scope, 'l.until is null')}) linked`

/**
 * Ids of rows that changed, that came into scope with their patient, or that are on the resend
 * list.
 */
function changedIds(name: TableName, plan: Plan): string {
  const { since, chainId } = plan
  const echoes = echoIds(name, plan)
  const changed = [
    `select row_id as id from sync_rows
      where table_name = '${name}' and ${changedSince('xid', since!)}`,
    `select row_id from sync_again
      where chain_id = '${chainId}' and table_name = '${name}' and ${changedSince('xid', since!)}`,
    ...idsEntered(name, plan),
  ].join(' union ')
  return echoes ? `(${changed}) except ${echoes}` : changed
}

/** Ids of rows whose patient came into scope since the last pull. */
function idsEntered(name: TableName, { since, scope }: Plan): string[] {
  const table = tableNamed(name)
  if (!isOfPatient(table) || scope.everything) return []
  const isNew = changedSince('l.changed_xid', since!)
  const entered = patientsLinked(table, scope, `l.until is null and ${isNew}`)
  const wasInScope = visible(table, scope, `l.until is null and not (${isNew})`)
  return [
    `select t.id from ${name} t
      where not t.is_deleted and ${patientIdColumn(name)} in (${entered}) and not ${wasInScope}`,
  ]
}

/**
 * Ids of rows that the device holds in exactly this version, because it has sent them since its
 * last pull. Null if there can be none.
 */
const echoIds = (name: TableName, { chainId, acknowledged }: Plan) =>
  name in pushed && acknowledged !== null
    ? `select s.row_id from sync_echoes e cross join unnest(e.row_ids) held (id)
       join sync_rows s on s.table_name = e.table_name and s.row_id = held.id and s.xid = e.xid
       where e.chain_id = '${chainId}' and e.table_name = '${name}'
         and not pg_visible_in_snapshot(e.xid, '${acknowledged}')`
    : null

// --- Deletions -----------------------------------------------------------------------------------

/** SQL for "the stored row `t` is live and in scope". */
function isLive(name: TableName, { scope }: Plan, userId: string) {
  // an administrator's permissions are computed, so that none of the stored rows is theirs
  const isComputed = name === 'user_clinic_permissions' && scope.everything
  return `not t.is_deleted and ${isComputed ? 'false' : personScopeSql(tableNamed(name), scope, userId)}`
}

/** SQL for "the device can ever have held the stored row `t`". */
function wasHeld(name: TableName, { held }: Plan) {
  const table = tableNamed(name)
  return isOfPatient(table) && !held.everything ? linked(table, held, 'true') : 'true'
}

/**
 * Tables whose deleted rows are sent with `is_deleted` first: the device may hold edits of them.
 */
const isRemovedLater = (name: TableName) => name in pushed

/** SQL for "the row of `sync_rows` `s` was deleted or restored"; few are, so it is checked first. */
export const IS_DELETION = "s.columns ? 'is_deleted'"
/** SQL for the transaction that deleted the row of `sync_rows` `s`. */
const DELETED_BY = "coalesce((s.columns ->> 'is_deleted')::xid8, s.xid)"

/** SQL for "the deletion of the patient or of a visit ended the link `l`". */
const ENDED_BY_DELETION = `(
  exists (select from sync_rows d
    where d.table_name = 'patients' and d.row_id = l.patient_id
      and (d.columns ->> 'is_deleted')::xid8 = l.changed_xid)
  or exists (select from visits v join sync_rows d on d.table_name = 'visits' and d.row_id = v.id
    where v.patient_id = l.patient_id and v.is_deleted
      and (d.columns ->> 'is_deleted')::xid8 = l.changed_xid))`

/**
 * SQL for "the stored row `t` is deleted and, but for that, in scope". Its deletion, or a later one
 * of its visit or patient, may have ended the link that had the patient in scope. A record that was
 * merged into another is out of scope.
 */
function isDeletedInScope(name: TableName, { scope }: Plan, userId: string): string {
  const links = `(l.until is null or l.changed_xid = ${DELETED_BY}
    or (l.changed_xid > ${DELETED_BY} and ${ENDED_BY_DELETION}))`
  return `(t.is_deleted and ${personScopeSql(tableNamed(name), scope, userId, links)}
    and not exists (select from patient_merges m
      where m.loser_id = ${patientIdColumn(name)} and m.unmerged_at is null))`
}

/** SQL for "the device must keep the row of that id for now, hidden". `stored`: `t`, or its join. */
function isKeptHidden(id: string, name: TableName, plan: Plan, userId: string, stored = '') {
  const settled = plan.settled ?? plan.acknowledged
  if (settled === null || !isRemovedLater(name)) return 'false'
  return `exists (select from sync_rows s ${stored}
    where s.table_name = '${name}' and s.row_id = ${id}
      and not pg_visible_in_snapshot(${DELETED_BY}, '${settled}')
      and ${isDeletedInScope(name, plan, userId)})`
}

/**
 * Without what left the scope of the user after the device's last push: the next pull sends that. A row that
 * was released from quarantine since then waits for its turn on the resend list.
 */
function idsAllOutOfScope(name: TableName, plan: Plan, userId: string): string {
  const { chainId, departuresUntil, scope, snapshot } = plan
  const table = tableNamed(name)
  const later = { from: departuresUntil!, to: snapshot, push: null }
  const sentLater = [
    ...idsWithin(
      later,
      name,
      { ...plan, held: scope },
      userId,
      rowsOpen(table, scope, 't', 'true'),
    ),
    `select a.row_id from sync_again a
      join sync_rows s on s.table_name = a.table_name and s.row_id = a.row_id
      where a.chain_id = '${chainId}' and a.table_name = '${name}'
        and not pg_visible_in_snapshot(s.born, '${later.from}')`,
  ]
  return `((${idsOutOfScope(name, plan, userId).join(' union ')})
    except (${sentLater.join(' union ')}))`
}

function idsOutOfScope(name: TableName, plan: Plan, userId: string): string[] {
  const { scope, held } = plan
  const hasMoved = `exists (select from sync_rows s
    where s.table_name = '${name}' and s.row_id = t.id and s.moved)`
  // the earlier user of the device is unknown
  const others = scope.everything ? `where u.id <> '${userId}'` : ''
  return [
    `select t.id from ${name} t
      where not (${isLive(name, plan, userId)}) and (${wasHeld(name, plan)} or ${hasMoved})
        and not ${isKeptHidden('t.id', name, plan, userId)}`,
    `select s.row_id from sync_rows s where s.table_name = '${name}'
      and not exists (select from ${name} t where t.id = s.row_id)`,
    ...(name === 'user_clinic_permissions' && held.everything
      ? [`select ${permissionId('u.id::text')} from users u cross join clinics c ${others}`]
      : []),
  ]
}

/** Rows deleted in the window. */
const idsRemoved = (window: PullWindow, name: TableName, plan: Plan): string[] => [
  `select t.id from sync_rows s join ${name} t on t.id = s.row_id
    where s.table_name = '${name}' and s.xid >= ${snapshotXminSql(window.from)} and ${IS_DELETION}
      and ${isWithin(DELETED_BY, window)} and t.is_deleted and (s.moved or ${wasHeld(name, plan)})`,
]

/**
 * What left the scope in the window, or was restored outside of it; of tables that devices only
 * read, also what was deleted. `wasOpen`: SQL for rows `t` that their patient's links had in scope.
 */
function idsWithin(
  window: PullWindow,
  name: TableName,
  plan: Plan,
  userId: string,
  wasOpen = 'true',
): string[] {
  const { held } = plan
  const table = tableNamed(name)
  const live = isLive(name, plan, userId)
  const staysHidden = isRemovedLater(name) ? isDeletedInScope(name, plan, userId) : 'false'
  const ids = [
    `select s.row_id from sync_rows s left join ${name} t on t.id = s.row_id
      where s.table_name = '${name}' and ${isWithin('s.xid', window)} and (t.id is null
        or (not (${live}) and not ${staysHidden}
          and (s.moved or ((t.is_deleted or ${IS_DELETION}) and ${wasHeld(name, plan)}))))`,
  ]
  if (!isOfPatient(table)) return ids
  const isUnlinked = `l.until is not null and ${isWithin('l.changed_xid', window)}`
  // deleted rows are among the ids above, or were sent by an earlier pull
  return [
    ...ids,
    `select t.id from ${name} t
      where not t.is_deleted and ${patientIdColumn(name)} in
        (${patientsLinked(table, held, isUnlinked)}) and ${wasOpen} and not (${live})`,
  ]
}

/**
 * Rows on the resend list that are not live, once a pull and a push have followed: the edits that
 * the device made before have arrived by then. An unknown row stays while a version of it waits in
 * quarantine.
 */
function idsToResendAsDeleted(name: TableName, plan: Plan, userId: string): string[] {
  const { chainId, resendsUntil } = plan
  // the permissions of administrators are not stored
  if (chainId === null || resendsUntil === null || name === 'user_clinic_permissions') return []
  return [
    `select a.row_id from sync_again a
      where a.chain_id = '${chainId}' and a.table_name = '${name}'
        and ${isSeenIn('a.xid', resendsUntil)}
        and not exists (
          select from ${name} t where t.id = a.row_id and ${isLive(name, plan, userId)})
        and (exists (select from ${name} t where t.id = a.row_id) or not exists (
          select from sync_quarantine q where q.table_name = '${name}' and q.row_id = a.row_id
            and q.chain_id = '${chainId}' and q.operation = 'save' and q.settled_at is null))
        and not ${isKeptHidden('a.row_id', name, plan, userId, `join ${name} t on t.id = s.row_id`)}`,
  ]
}

// --- Permissions of administrators ---------------------------------------------------------------

/**
 * Administrators have no stored permissions: the device receives a computed row for each clinic,
 * with all permissions.
 */
function administratorsSql({ since }: Plan, userId: string): string {
  const columns = Object.keys(tableNamed('user_clinic_permissions').columns).map((column) => {
    if (column === 'user_id') return `'${userId}' as user_id`
    if (column === 'clinic_id') return 'c.id::text as clinic_id'
    if (column === 'created_by' || column === 'last_modified_by') return `null::text as ${column}`
    if (column.endsWith('_at'))
      return `(date_part('epoch', c.${column}) * 1000)::bigint as ${column}`
    return `true as ${column}`
  })
  const isChanged = since
    ? `and exists (select from sync_rows s
        where s.table_name = 'clinics' and s.row_id = c.id and ${changedSince('s.xid', since)})`
    : ''
  return `select 1, ',' || row_to_json(w)::text from (
    select ${permissionId(`'${userId}'`)}::text as id, ${columns.join(', ')}
    from clinics c where not c.is_deleted ${isChanged}) w`
}

/** The id of a computed row, always the same for a user and a clinic `c`. */
const permissionId = (user: string) => `md5(${user} || c.id)::uuid`
