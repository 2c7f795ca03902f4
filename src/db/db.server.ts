import { connectPool, createPool } from './connect'
import { perProcess } from './per-process'

/**
 * The process's pool, made at its first use: by then the command has put the embedded server's
 * address into DATABASE_URL.
 */
export const pool = () =>
  perProcess('pool', () => {
    const url = process.env.DATABASE_URL
    if (!url) throw new Error('DATABASE_URL is not set')
    return createPool(url, { isPooled: Boolean(process.env.DATABASE_DIRECT_URL) })
  })

/** The process-wide database. It connects at its first query. */
export const db = perProcess('db', () => connectPool(pool))

/** The address past a pooler: for LISTEN, jobs, backups and imports. */
export const directUrl = () => process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL

/** A pool past the pooler; without DATABASE_DIRECT_URL, the process's only pool. */
export const directPool = () => {
  const url = process.env.DATABASE_DIRECT_URL
  return url ? perProcess('direct pool', () => createPool(url, { name: 'sanad jobs' })) : pool()
}

/** The database through `directPool`. */
export const directDb = () => perProcess('direct db', () => connectPool(directPool))
