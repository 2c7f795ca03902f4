import type { Kysely } from 'kysely'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { runningEmbedded } from '~/db/embedded.server'
import type { DB } from '~/db/types'

/** The database of the server that runs on a data directory. The caller destroys it. */
export const connectToDataDir = (dataDir: string): Kysely<DB> =>
  connect(runningEmbedded(openDataDirectory(dataDir))!.appUrl, { max: 1, statementTimeout: 0 })
