import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { hubSecret } from '../secret.server'
import { keyPairFromBytes } from './envelope'

/** What the hub shows of itself to phones, and its key pair. */
export async function hubIdentity(db: Kysely<DB>) {
  const { id, enabled } = await db
    .selectFrom('hub')
    .select(['id', 'enabled'])
    .executeTakeFirstOrThrow()
  return { id, enabled, keys: keyPairFromBytes(hubSecret()) }
}
