import type pg from 'pg'

/**
 * Each start, before anything is written, as the owner of the database: partitions of the access log, and
 * a new epoch of the audit trail if this server counts transactions from a lower number.
 */
export async function openTrail(owner: pg.Client): Promise<void> {
  await owner.query('select open_trail()')
}
