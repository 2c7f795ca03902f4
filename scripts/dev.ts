import { type Plugin, createServer } from 'vite'
import {
  alreadyRunning,
  openDataDirectory,
  waitForDataDirectory,
} from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { checkExternalDatabase } from '~/db/external.server'
import { Refusal } from '~/db/refusal'
import { db, directDb, directPool } from '~/db/db.server'
import { startReports } from '~/features/reports/starter/install.server'
import { env } from '~/server/env'
import { clientBehind, markClient } from '~/server/http-client.server'
import { startJobs } from '~/server/jobs.server'
import { beforeReady } from '~/server/startup.server'
import { command, whenAbandoned } from './command'
import { externalUrls, prepareToServe } from './database'
import { jobs } from './jobs'

/** What `npm start` does for every request; without it the marks could be forged here, and features would miss them. */
const clients = (): Plugin => ({
  name: 'sanad-clients',
  configureServer({ middlewares }) {
    const identify = clientBehind(env().trustedProxies)
    middlewares.use((request, _response, next) => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
      const marks = new Headers()
      markClient(marks, identify({ address: request.socket.remoteAddress, https: false, headers }))
      for (const [name, value] of marks) {
        request.headers[name] = value
        request.rawHeaders = request.rawHeaders.filter(
          (_, i, all) => all[i - (i % 2)]!.toLowerCase() !== name,
        )
        request.rawHeaders.push(name, value)
      }
      next()
    })
  },
})

await command({
  name: 'npm run dev',
  summary:
    'Serves Sanad from its sources and shows changes at once. Uses the same database as npm start.',
  async run() {
    const { dataDir, host, port } = env()
    env().hasDemoPages = true
    const ends: (() => Promise<void> | void)[] = []
    const stop = async (code: number) => {
      for (const end of ends.splice(0).toReversed()) await end()
      process.exit(code)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => void stop(0))
    whenAbandoned(() => void stop(0))

    const embedded = async () => {
      const directory = openDataDirectory(dataDir)
      const lock = await waitForDataDirectory(directory, { pid: process.pid, is: 'server' })
      if (!lock) throw alreadyRunning(directory)
      ends.push(() => lock.release())
      const postgres = await startEmbedded(directory)
      ends.push(() => postgres.stop())
      return postgres
    }
    try {
      const external = externalUrls()
      if (external) await checkExternalDatabase(external)
      const urls = external ?? (await embedded())
      await prepareToServe(urls)
      process.env.DATABASE_URL = urls.appUrl
      const lines = [...(await beforeReady(db)), ...(await startReports(db))]
      const background = await startJobs(directPool(), directDb(), jobs)
      ends.push(() => background.stop())
      const server = await createServer({
        server: { host, port, strictPort: true },
        plugins: [clients()],
      })
      ends.push(() => server.close())
      await server.listen().catch((error: Error) => {
        throw /in use/.test(error.message)
          ? new Refusal(`The port ${port} is taken: stop the other program, or set PORT.`)
          : error
      })
      process.stdout.write([...lines, `Sanad is ready at http://localhost:${port}`, ''].join('\n'))
    } catch (error) {
      for (const end of ends.splice(0).toReversed()) await end()
      throw error
    }
  },
})
