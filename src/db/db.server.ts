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
    return createPool(url)
  })

/** The process-wide database. It connects at its first query. */
export const db = perProcess('db', () => connectPool(pool))
