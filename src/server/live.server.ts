import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { connectionConfig, openConnection } from '~/db/connect'
import { directUrl } from '~/db/db.server'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { log } from './log'

/** Called with the name of a table whenever any process changed rows in it. */
type Listener = (table: string) => void
/** Called when sessions of a user have ended. */
type EndListener = (userId: string) => void

const RETRY_MS = 2_000

/** One connection of the process that listens, however many screens are open. */
const news = perProcess('live', () => ({
  listeners: new Set<Listener>(),
  endListeners: new Set<EndListener>(),
  client: undefined as pg.Client | undefined,
  stopped: false,
}))

/** Calls the listener for every change from now on. Returns what ends that. */
export function onChange(listener: Listener): () => void {
  news.listeners.add(listener)
  if (news.listeners.size === 1 && !news.client) void listen()
  return () => news.listeners.delete(listener)
}

/** Calls the listener whenever sessions of a user end. Returns what stops that. */
export function onSessionsEnded(listener: EndListener): () => void {
  news.endListeners.add(listener)
  return () => news.endListeners.delete(listener)
}

/** A screen that missed news while we were away asks again for everything, as soon as the server answers. */
async function listenAgain(): Promise<void> {
  if (await listen()) tell('*')
}

/** Whether news come from now on. */
async function listen(): Promise<boolean> {
  const url = directUrl()
  if (!url || news.stopped) return false
  const client = new pg.Client(connectionConfig(url, { statementTimeout: 0, name: 'sanad live' }))
  news.client = client
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === 'sanad_changes') tell(payload)
    else for (const end of news.endListeners) end(payload)
  })
  client.on('error', (error) =>
    log.warn({ err: error }, 'the connection that listens for changes broke'),
  )
  client.on('end', () => {
    news.client = undefined
    if (!news.stopped) setTimeout(() => void listenAgain(), RETRY_MS).unref()
  })
  try {
    await client.connect()
    await client.query('listen sanad_changes; listen sanad_sessions_ended')
    return true
  } catch (error) {
    log.warn({ err: error }, 'cannot listen for changes yet')
    await client.end().catch(() => undefined)
    return false
  }
}

const CHECK_EVERY_MS = 250

/**
 * Whether what `db` announces reaches a listener at the address: through a pooler in transaction mode, LISTEN succeeds
 * and nothing arrives.
 */
export async function isHeard(db: Kysely<DB>, url: string, patience = 10_000): Promise<boolean> {
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad live' })
  const id = newId()
  const heard = new Set<string | undefined>()
  client.on('notification', ({ payload }) => heard.add(payload))
  try {
    await client.query('listen sanad_checks')
    for (const end = Date.now() + patience; !heard.has(id) && Date.now() < end;) {
      await sql`select pg_notify('sanad_checks', ${id})`.execute(db)
      await sleep(CHECK_EVERY_MS)
    }
    return heard.has(id)
  } finally {
    await client.end()
  }
}

/** Logs and prints that changes by other users do not appear on screens. */
export async function reportUnheard(db: Kysely<DB>): Promise<void> {
  if (await isHeard(db, directUrl()!).catch(() => true)) return
  log.warn('notifications of the database do not arrive')
  process.stderr.write(
    'Notifications of the database do not arrive, so screens do not update by themselves and jobs begin late: ' +
      'name PostgreSQL itself, past the pooler, in DATABASE_DIRECT_URL.\n',
  )
}

const tell = (table: string) => {
  for (const listener of news.listeners) listener(table)
}

export async function stopListening(): Promise<void> {
  news.stopped = true
  await news.client?.end()
}
