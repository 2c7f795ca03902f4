import type { Plan, Window } from './plan.server'
import {
  inScope,
  isOfPatient,
  linked,
  patientColumn,
  patientsLinked,
  type PersonScope,
} from '../schema/scope'
import { pushed, type TableName, tableNamed } from '../schema/tables'
import { LONG_ROW, rowCacheOf } from './row-cache'

// COPY takes no parameters. What stands in these texts are names of our own, uuids from the database and snapshots.

const xminOf = (snapshot: string) => `'${snapshot.split(':')[0]}'::xid8`

/** SQL for "the transaction committed after the snapshot"; the first part can use an index. */
export const changedSince = (xid: string, snapshot: string) =>
  `${xid} >= ${xminOf(snapshot)} and not pg_visible_in_snapshot(${xid}, '${snapshot}')`

/** SQL for "that transaction lies in the window", which ends with the phone's last push and what that itself did. */
export const isWithin = (xid: string, { from, to, push }: Window) =>
  `${changedSince(xid, from)} and (pg_visible_in_snapshot(${xid}, '${to}')${push ? ` or ${xid} = '${push}'::xid8` : ''})`

/** How many rows a text holds, and the text: rows as JSON, each with a comma in front. */
export function rowsSql(name: TableName, plan: Plan, userId: string): string {
  const { scope } = plan
  if (name === 'user_clinic_permissions' && scope.everything) return administratorsSql(plan, userId)
  if (plan.since === null || plan.upgraded.includes(name)) return wholeSql(name, plan, userId)
  const { rows, isMine } = mineOf(name, scope, userId)
  return `select 1, ',' || w.text from (${changedIds(name, plan)}) changed join ${rows} on w.row_id = changed.id where ${isMine}`
}

/**
 * SQL for rows as they were written down, `w`, beside the rows themselves, `t`, where the scope asks for something of these;
 * and which table is read from its first page to its last for all of them.
 */
function mineOf(name: TableName, scope: PersonScope, userId: string) {
  const isMine = inScope(tableNamed(name), scope, userId)
  const wire = rowCacheOf(name)
  if (isMine === 'true') return { isMine, rows: `${wire} w`, paged: wire, alias: 'w' }
  return {
    isMine,
    rows: `${name} t join ${wire} w on w.row_id = t.id and not t.is_deleted`,
    paged: name,
    alias: 't',
  }
}

/** So many pages of a table, or the rows of so many people, make one text. */
const PAGES = 64
const PEOPLE = 64

/** Everything in scope, in long texts: one for each row would cost as much to take in as to read. Long rows go by themselves. */
function wholeSql(name: TableName, plan: Plan, userId: string): string {
  const { scope } = plan
  const table = tableNamed(name)
  const echoes = echoIds(name, plan)
  const echo = echoes ? `and w.row_id not in (${echoes})` : ''
  const textsOf = (parts: string, rows: string, which: string) =>
    `select part.rows, part.text from ${parts}, lateral (select count(*)::integer as rows, string_agg(',' || w.text, '') as text
      from ${rows} where ${which} and octet_length(w.text) < ${LONG_ROW} ${echo}) part where part.rows > 0`
  const longOnes = (rows: string, which: string) =>
    `select 1, ',' || w.text from ${rows} where ${which} and octet_length(w.text) >= ${LONG_ROW} ${echo}`
  // a user who may see few patients reads no page of the others
  if (isOfPatient(table) && !scope.everything) {
    const mine = `select distinct patient_id from (${patientsLinked(table, scope, 'l.until is null')}) linked`
    const people = `(select array_agg(patient_id) as ids from (select patient_id, row_number() over () as at from (${mine}) mine) numbered
      group by at / ${PEOPLE}) people`
    const rows = `${rowCacheOf(name)} w`
    return `${textsOf(people, rows, `w.patient_id = any(people.ids)`)} union all ${longOnes(rows, `w.patient_id in (${mine})`)}`
  }
  const { rows, isMine, paged, alias } = mineOf(name, scope, userId)
  const pages = `generate_series(0, pg_relation_size('${paged}') / current_setting('block_size')::bigint, ${PAGES}) page`
  const onPages = `${alias}.ctid >= format('(%s,0)', page)::tid and ${alias}.ctid < format('(%s,0)', page + ${PAGES})::tid`
  return `${textsOf(pages, rows, `${onPages} and ${isMine}`)} union all ${longOnes(rows, isMine)}`
}

/** Of which the phone holds exactly this version, because it sent it since its last pull: that one may have taken it away. */
const echoIds = (name: TableName, { chainId, acknowledged }: Plan) =>
  name in pushed && acknowledged !== null
    ? `select s.row_id from sync_echoes e cross join unnest(e.row_ids) held (id)
       join sync_rows s on s.table_name = e.table_name and s.row_id = held.id and s.xid = e.xid
       where e.chain_id = '${chainId}' and e.table_name = '${name}' and not pg_visible_in_snapshot(e.xid, '${acknowledged}')`
    : null

/** Rows that changed, that came into scope with their patient, or that are on the resend list. */
function changedIds(name: TableName, plan: Plan): string {
  const { since, chainId, scope } = plan
  const table = tableNamed(name)
  const echoes = echoIds(name, plan)
  const parts = [
    `select row_id as id from sync_rows where table_name = '${name}' and ${changedSince('xid', since!)}`,
    `select row_id from sync_again where chain_id = '${chainId}' and table_name = '${name}' and ${changedSince('xid', since!)}`,
  ]
  if (isOfPatient(table) && !scope.everything) {
    const entered = patientsLinked(
      table,
      scope,
      `l.until is null and ${changedSince('l.changed_xid', since!)}`,
    )
    const wasHere = linked(
      table,
      scope,
      `l.until is null and not (${changedSince('l.changed_xid', since!)})`,
    )
    parts.push(
      `select t.id from ${name} t where not t.is_deleted and ${patientColumn(name)} in (${entered}) and not ${wasHere}`,
    )
  }
  const changed = parts.join(' union ')
  return echoes ? `(${changed}) except ${echoes}` : changed
}

/** As `rowsSql`; each id in quotes, with a comma in front. */
export function goneSql(name: TableName, plan: Plan, userId: string): string | null {
  const { gone, chainId, since, scope, held } = plan
  const table = tableNamed(name)
  const here = `not t.is_deleted and ${name === 'user_clinic_permissions' && scope.everything ? 'false' : inScope(table, scope, userId)}`
  const everHeld = isOfPatient(table) && !held.everything ? linked(table, held, 'true') : 'true'
  const parts: string[] = []
  if (gone === 'all') {
    parts.push(
      `select t.id from ${name} t where not (${here}) and (${everHeld} or ${hasMoved(name)})`,
    )
    parts.push(
      `select s.row_id from sync_rows s where s.table_name = '${name}' and not exists (select from ${name} t where t.id = s.row_id)`,
    )
    // an administrator's permissions are computed, not stored, and the earlier user of the device is unknown
    if (name === 'user_clinic_permissions' && held.everything) {
      const others = scope.everything ? `where u.id <> '${userId}'` : ''
      parts.push(`select ${madeUpId('u.id::text')} from users u cross join clinics c ${others}`)
    }
  } else if (gone) {
    const inWindow = isWithin('s.xid', gone)
    parts.push(`select s.row_id from sync_rows s left join ${name} t on t.id = s.row_id
      where s.table_name = '${name}' and ${inWindow} and (t.id is null or (not (${here}) and (s.moved or (t.is_deleted and ${everHeld}))))`)
    if (isOfPatient(table)) {
      const left = patientsLinked(
        table,
        held,
        `l.until is not null and ${isWithin('l.changed_xid', gone)}`,
      )
      // deleted rows are sent by the branch above, or were sent long ago
      parts.push(
        `select t.id from ${name} t where not t.is_deleted and ${patientColumn(name)} in (${left}) and not (${here})`,
      )
    }
  }
  if (chainId !== null && name in pushed) {
    const isUntold = since === null ? 'true' : changedSince('a.xid', since)
    parts.push(`select a.row_id from sync_again a where a.chain_id = '${chainId}' and a.table_name = '${name}' and ${isUntold}
      and not exists (select from ${name} t where t.id = a.row_id and ${here})`)
  }
  if (parts.length === 0) return null
  return `select 1, ',"' || id || '"' from (${parts.join(' union ')}) gone (id)`
}

const hasMoved = (name: TableName) =>
  `exists (select from sync_rows s where s.table_name = '${name}' and s.row_id = t.id and s.moved)`

const madeUpId = (user: string) => `md5(${user} || c.id)::uuid`

/** Administrators hold no rows: one for each clinic is made for the phone, where everything is true. */
function administratorsSql({ since }: Plan, userId: string): string {
  const columns = Object.keys(tableNamed('user_clinic_permissions').columns).map((column) => {
    if (column === 'user_id') return `'${userId}' as user_id`
    if (column === 'clinic_id') return 'c.id::text as clinic_id'
    if (column === 'created_by' || column === 'last_modified_by') return `null::text as ${column}`
    if (column.endsWith('_at'))
      return `(date_part('epoch', c.${column}) * 1000)::bigint as ${column}`
    return `true as ${column}`
  })
  const news = since
    ? `and exists (select from sync_rows s where s.table_name = 'clinics' and s.row_id = c.id and ${changedSince('s.xid', since)})`
    : ''
  return `select 1, ',' || row_to_json(w)::text from (
    select ${madeUpId(`'${userId}'`)}::text as id, ${columns.join(', ')} from clinics c where not c.is_deleted ${news}) w`
}

/** Which tables have anything to tell: one look at what changed since. */
export function newsSql({ since, gone, chainId }: Plan): string {
  const window = gone === 'all' ? null : gone
  const isToTell = (xid: string) =>
    window
      ? `((${changedSince(xid, since!)}) or (${isWithin(xid, window)}))`
      : changedSince(xid, since!)
  // so that one range of the index holds both
  const lowest = (xid: string) =>
    `${xid} >= least(${xminOf(since!)}, ${xminOf(window?.from ?? since!)})`
  return `select table_name from sync_rows where ${lowest('xid')} and ${isToTell('xid')} group by 1
    union select table_name from sync_again where chain_id = '${chainId}' and ${changedSince('xid', since!)}
    union (select 'patient_links' from patient_links where ${lowest('changed_xid')} and ${isToTell('changed_xid')} limit 1)`
}
