import { openConnection } from './connect'

/**
 * Each start, before anything is written, as the owner of the database: partitions of the access log, and
 * a new epoch of the audit trail if this server counts transactions from a lower number.
 */
export async function openTrail(url: string): Promise<void> {
  const client = await openConnection(url, { statementTimeout: 0 })
  try {
    await client.query('select open_trail()')
  } finally {
    await client.end()
  }
}
