import type { TableName } from '../schema/tables'
import type { Plan } from './plan'
import { IS_DELETION, snapshotXminSql } from './pull-sql'

/**
 * The names of those tables of which something may have to be deleted or hidden, `patient_links` if that is so for the
 * rows of every patient: without a deleted or moved row, an ended link or an entry on the resend list, `deletedRowsSql`
 * and `deletedIdsSql` find nothing. To plan the two takes longer than all else in a pull of few rows.
 */
export function deletingTablesSql(tables: readonly TableName[], plan: Plan): string {
  const { since, acknowledged, departures, removals, chainId } = plan
  const window = departures === 'all' ? null : departures
  const isLater = (xid: string) => {
    const begins = [since, acknowledged, window?.from, removals?.from].filter(
      (from) => from != null,
    )
    return `${xid} >= least(${begins.map(snapshotXminSql).join(', ')})`
  }
  const absent = tables.map(
    (name) => `(select '${name}' from changed left join ${name} t on t.id = row_id
      where table_name = '${name}' and (t.id is null or t.is_deleted) limit 1)`,
  )
  const parts = [
    'select distinct table_name as name from changed where is_known',
    ...absent,
    `(select 'patient_links' from patient_links
      where until is not null and ${isLater('changed_xid')} limit 1)`,
    `select distinct table_name from sync_again where chain_id = '${chainId}'`,
  ]
  return `with changed as materialized (
      select table_name, row_id, moved or ${IS_DELETION} as is_known
      from sync_rows s where ${isLater('s.xid')})
    ${parts.join(' union all ')}`
}
