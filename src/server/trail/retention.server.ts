import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { log } from '../log'

/** PostgreSQL's code for "lock not available". */
const BUSY = '55P03'

/** Makes partitions of the access log for the coming months, and drops those beyond the retention setting. */
export async function keepAccessLog(db: Kysely<DB>): Promise<void> {
  for (const step of [sql`select keep_access_log_months()`, sql`select remove_expired_access()`])
    await step.execute(db).catch((error: { code?: string }) => {
      if (error.code !== BUSY) throw error
      log.info('the access log is being read; its months are kept in the next hour')
    })
}
