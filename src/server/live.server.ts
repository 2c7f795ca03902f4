import pg from 'pg'
import { connectionConfig } from '~/db/connect'
import { perProcess } from '~/db/per-process'
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
  const url = process.env['DATABASE_URL']
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

const tell = (table: string) => {
  for (const listener of news.listeners) listener(table)
}

export async function stopListening(): Promise<void> {
  news.stopped = true
  await news.client?.end()
}
