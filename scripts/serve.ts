import { join } from 'node:path'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { db, directDb, directPool, pool } from '~/db/db.server'
import {
  alreadyRunning,
  describeHolder,
  openDataDirectory,
  waitForDataDirectory,
} from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { checkExternalDatabase } from '~/db/external.server'
import { Refusal } from '~/db/refusal'
import type { DatabaseUrls } from '~/db/roles.server'
import { startReports } from '~/features/reports/starter/install.server'
import { localCertificate, renewCertificate } from '~/server/certificate/local-certificate.server'
import { openAccesses, stopAccesses } from '~/server/access-log'
import { refuseWeakPassphrase } from '~/server/backup-settings'
import { watchDisk } from '~/server/disk.server'
import { env } from '~/server/env'
import { serving } from '~/server/health.server'
import { serveMetrics } from '~/server/http-metrics.server'
import { formerAssets, staticFiles } from '~/server/http-static.server'
import { type Handler, listen } from '~/server/http.server'
import { followHub } from '~/server/hub/listener.server'
import { startJobs } from '~/server/jobs.server'
import { reportUnheard, stopListening } from '~/server/live.server'
import { log } from '~/server/log'
import { endReplica } from '~/server/replica.server'
import { checkFilesDir, filesState, missingFiles } from '~/server/storage.server'
import { sealTrails } from '~/server/trail/seal.server'
import { beforeReady } from '~/server/startup.server'
import { buildFolder, formerClients } from './build-folder'
import { command, report, whenAbandoned } from './command'
import { externalUrls, prepareToServe } from './database'
import type { Demo } from './demo'
import { forgetDemos } from './demo-remains'
import { jobs } from './jobs'

/** How long requests in flight may take when we are asked to stop. */
const patience = 10_000

/** What is closed, in this order: new connections first, the database last. */
const endings = [
  'holder',
  'hub',
  'http',
  'metrics',
  'jobs',
  'accesses',
  'news',
  'seals',
  'pool',
  'postgres',
  'lock',
  'demo',
] as const
type Ending = (typeof endings)[number]

async function serve(demo?: Demo) {
  refuseWeakPassphrase()
  checkFilesDir()
  const { dataDir } = env()
  if (demo) env().hasDemoPages = true
  const settings = { ...env(), tls: env().tls ?? localCertificate(dataDir) }
  const ends: Partial<Record<Ending, () => Promise<unknown> | void>> = {}
  const close = async () => {
    for (const step of endings) {
      try {
        await ends[step]?.()
      } catch (error) {
        log.error({ err: error }, 'stopping')
      }
    }
  }
  let stopping: number | undefined
  const stop = async (code: number) => {
    if (stopping !== undefined) {
      // the terminal, npm and our parent each pass on the same Ctrl-C
      if (Date.now() - stopping > 1_000) process.exit(130)
      return
    }
    stopping = Date.now()
    serving.draining = true
    await close()
    process.exit(code)
  }
  process.on('SIGINT', () => void stop(0))
  process.on('SIGTERM', () => void stop(0))
  process.on('SIGHUP', () => void stop(0))
  whenAbandoned(() => void stop(0))
  // A bug in a request must not take the clinic's server away; it is logged, and the request times out or fails.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))

  try {
    await open()
  } catch (error) {
    if (stopping !== undefined) return
    report(explainFailure(error), 'npm start')
    await stop(1)
  }

  async function open() {
    // what cannot be printed, on a full disk, must not end the process
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
    const handlers: Handler[] = []
    const urls = externalUrls()
    const database = urls ? external(urls) : await embedded()
    const renewals = keepCertificate(dataDir)
    const server = await listen(settings, handlers)
    ends.http = () => {
      clearInterval(renewals)
      return server.drain(patience)
    }
    if (settings.metricsPort !== undefined)
      ends.metrics = closing(await listenForMetrics(settings.metricsPort))
    const started = async () => {
      const found = await database(server.url)
      await prepareToServe(found)
      process.env.DATABASE_URL = found.appUrl
      return found
    }
    const [app, { ownerUrl }] = await Promise.all([loadApp(), started()])
    // a listener that never gives its connection back must not keep us
    ends.pool = () =>
      Promise.race([
        Promise.all([
          endReplica(),
          ...[...new Set([pool(), directPool()])].map((each) => each.end()),
        ]),
        sleep(3_000, undefined, { ref: false }),
      ])
    const signIns = demo ? await demo.fill(db, ownerUrl) : []
    await openAccesses(db)
    ends.accesses = stopAccesses
    ends.news = stopListening
    const lines = [...(await beforeReady(db)), ...(await startReports(db))]
    if (urls) reportProblems().catch((error: unknown) => log.error({ err: error }, 'starting'))
    const background = await startJobs(directPool(), directDb(), jobs)
    ends.jobs = () => Promise.race([background.stop(), sleep(patience, undefined, { ref: false })])
    handlers.push(
      staticFiles(join(buildFolder(), 'client')),
      ...formerClients().map((folder) => formerAssets(folder)),
      (request) => app.fetch(request),
    )
    ends.seals = () => sealTrails(db, { signal: AbortSignal.timeout(patience) })
    ends.hub = await followHub(db, app.respondHub)
    if (stopping !== undefined) return
    process.stdout.write([...lines, `Sanad is ready at ${server.url}`, ...signIns, ''].join('\n'))
    forgetDemos().catch((error: unknown) =>
      log.error({ err: error }, 'a demo that was killed could not be removed'),
    )
  }

  /** Takes the data directory at once; the function it returns starts PostgreSQL there. */
  async function embedded() {
    const directory = openDataDirectory(settings.dataDir)
    const me = { pid: process.pid, is: 'server' } as const
    const lock = await waitForDataDirectory(directory, me)
    if (!lock) throw alreadyRunning(directory)
    ends.lock = () => lock.release()
    if (demo) ends.demo = () => demo.remove()
    return async (url: string) => {
      describeHolder(directory, { ...me, url })
      const postgres = await startEmbedded(directory, {
        onRestart: () => log.error('PostgreSQL stopped by itself and is being started again'),
        onLost: (reason) => {
          report(reason, 'npm start')
          void stop(1)
        },
      })
      watchDisk(settings.dataDir)
      ends.postgres = () => postgres.stop()
      ends.holder = () => describeHolder(directory, { ...me, url, stopping: true })
      return postgres
    }
  }
}

/** What only several machines can have wrong. */
async function reportProblems() {
  await reportUnheard(db)
  const files = await filesState(db)
  if (files.missing > 0) process.stderr.write(`${missingFiles(files)}\n`)
}

const HOUR = 60 * 60_000

/** Renews the certificate of `make-certificate`; without one, nothing happens. */
function keepCertificate(dataDir: string) {
  const renew = () => {
    try {
      renewCertificate(dataDir)
    } catch (error) {
      log.error({ err: error }, 'the certificate could not be renewed')
    }
  }
  renew()
  return setInterval(renew, HOUR).unref()
}

function external(urls: DatabaseUrls) {
  return async () => {
    await checkExternalDatabase(urls)
    return urls
  }
}

type Respond = (request: Request) => Response | Promise<Response>
type App = { fetch: Respond; respondHub: Respond }

async function loadApp(): Promise<App> {
  const file = pathToFileURL(join(buildFolder(), 'server', 'server.js')).href
  return ((await import(/* @vite-ignore */ file)) as { default: App }).default
}

async function listenForMetrics(port: number): Promise<Server> {
  return serveMetrics(port).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Refusal(`The port ${port} of SANAD_METRICS_PORT is taken by another program.`)
      : error
  })
}

const closing = (server: Server) => () => {
  server.close()
  server.closeAllConnections()
}

/** A failed migration is one sentence too; what else is thrown here is a bug and keeps its stack. */
function explainFailure(error: unknown) {
  return error instanceof Error && error.message.startsWith('The migration "')
    ? new Refusal(error.message, { cause: error })
    : error
}

await command({
  name: 'npm start',
  summary:
    'Serves Sanad until Ctrl-C or SIGTERM stops it. Settings come from the environment; README lists them.',
  options: { demo: { type: 'boolean' } },
  help: () =>
    `  --demo   a temporary clinic with a few hundred sample patients; deleted when Sanad stops

Several machines (docs/guide/scale.md): DATABASE_URL, DATABASE_DIRECT_URL past a pooler, DATABASE_OWNER_URL,
DATABASE_REPLICA_URL, SANAD_SECRET, SANAD_FILES_DIR, SANAD_TRUSTED_PROXIES.`,
  run: async ({ demo }) => serve(demo ? (await import('./demo')).openDemo() : undefined),
})
