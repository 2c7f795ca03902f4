import type { Kysely } from 'kysely'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { tellTimeZone } from '~/shared/zone'
import { onChange } from './live.server'
import { log } from './log'

/** What every request may need of the settings, without asking the database each time. */
type Settings = {
  /** "" until it is named. */
  organization: string
  /** `https://clinic.example`, or "" when not set. */
  publicOrigin: string
  /** An IANA name, or "" for that of SANAD_TIME_ZONE or of the machine. */
  timeZone: string
}

/** The database notifies of changes; this reads those that were missed while the connection was down. */
const FRESH_MS = 60_000

const kept = perProcess('settings', () => ({
  settings: undefined as Settings | undefined,
  readAt: 0,
  isWatching: false,
}))

/** What is set now: read once, and again when any process changed it. */
export async function currentSettings(db: Kysely<DB>): Promise<Settings> {
  if (!kept.settings) return readSettings(db)
  if (performance.now() - kept.readAt > FRESH_MS) {
    kept.readAt = performance.now()
    void readAgain(db)
  }
  return kept.settings
}

/** Reads them before anyone is served, and from then on whenever they change. */
export async function followSettings(db: Kysely<DB>): Promise<void> {
  await readSettings(db)
  if (kept.isWatching) return
  kept.isWatching = true
  onChange((table) => {
    if (table === 'app_config' || table === '*') void readAgain(db)
  })
}

/** Also tells this process where the clinic's day begins. */
export async function readSettings(db: Kysely<DB>): Promise<Settings> {
  const rows = await db
    .selectFrom('app_config')
    .select(['namespace', 'key', 'value'])
    .where('namespace', 'in', ['organization', 'system'])
    .where('is_deleted', '=', false)
    .execute()
  const storedSetting = (namespace: string, key: string) =>
    rows.find((row) => row.namespace === namespace && row.key === key)?.value ?? ''
  const settings = {
    organization: storedSetting('organization', 'organization-name'),
    publicOrigin: storedSetting('system', 'public-origin'),
    timeZone: storedSetting('system', 'time-zone'),
  }
  kept.settings = settings
  kept.readAt = performance.now()
  tellTimeZone(settings.timeZone || undefined)
  return settings
}

const readAgain = (db: Kysely<DB>) =>
  readSettings(db).catch((error: unknown) =>
    log.warn({ err: error }, 'the settings could not be read again'),
  )
