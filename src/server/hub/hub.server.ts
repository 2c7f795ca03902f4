import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { hubSecret } from '../secret.server'
import { currentSettings } from '../settings.server'
import { keyPairOf } from './envelope'

/** The name of a clinic that has not said its own. */
const NAME = 'Sanad'

/** What the hub shows of itself to phones, and its key pair. */
export async function hubIdentity(db: Kysely<DB>) {
  const { id, enabled } = await db
    .selectFrom('hub')
    .select(['id', 'enabled'])
    .executeTakeFirstOrThrow()
  const { organization } = await currentSettings(db)
  return { id, enabled, name: organization || NAME, keys: keyPairOf(await hubSecret(db)) }
}
