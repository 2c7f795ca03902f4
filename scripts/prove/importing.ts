import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { newId } from '~/shared/id'
import { connectToDataDir } from '../bench/database'
import { waitUntilIdle } from '../bench/idle'
import { readMemoryUsage } from '../bench/processes'
import {
  type BenchClient,
  freePort,
  type ServerSettings,
  signInToServer,
  startServer,
  stopServer,
} from '../bench/server'
import { heldBy, inspected } from './held'
import { readDatabaseContents, waitUntilSettled } from './import-contents'
import type { WrittenList } from './import-lists'

export type ProofClinic = {
  dataDir: string
  clinicId: string
  owner: { email: string; password: string }
}

export const KINDS_OF_KILL = ['both', 'server', 'database'] as const
type Task = 'check' | 'import' | 'undo'

const LOOK_MS = 50
/** Tenths of a second that PostgreSQL may need to recover. */
const PATIENCE = 300
const PART = 256 * 1024

/** A server on a directory, and one import by the operations of its screen. */
export class Importing {
  private readonly id = newId()
  private rows = 0
  private since = new Date()
  private db: Database | undefined
  private child!: ChildProcess
  private admin!: BenchClient

  private constructor(
    readonly clinic: ProofClinic,
    readonly settings: ServerSettings,
    readonly inspector: string,
  ) {}

  static async open(clinic: ProofClinic): Promise<Importing> {
    const { settings, port } = await inspected({
      PATH: process.env['PATH'],
      SANAD_DATA_DIR: clinic.dataDir,
      SANAD_LOG_LEVEL: process.env['SANAD_LOG_LEVEL'] ?? 'silent',
      SANAD_PG_BIN: process.env['SANAD_PG_BIN'],
      PORT: await freePort(),
    })
    const sanad = new Importing(clinic, settings, port)
    await sanad.start()
    await waitUntilIdle(clinic.dataDir, new AbortController().signal)
    return sanad
  }

  private async start() {
    this.since = new Date()
    const { child, url } = await startServer(this.settings)
    this.child = child
    const { email, password } = this.clinic.owner
    this.admin ??= await signInToServer(url, email, password)
  }

  async close() {
    await this.disconnect()
    await stopServer(this.child)
  }

  async upload({ name, file, rows, content }: WrittenList) {
    this.rows = rows
    await this.admin.call('imports.create', {
      id: this.id,
      list: name,
      clinic_id: name === 'patients' ? this.clinic.clinicId : null,
      file_name: file,
      file_size: content.length,
    })
    for (let part = 0; part * PART < content.length; part += 1)
      await this.admin.call('imports.addPart', {
        id: this.id,
        part,
        content: content.subarray(part * PART, (part + 1) * PART).toString('base64'),
      })
  }

  /** Asks for it as the screen does, with the columns as it proposes them. */
  async ask(task: Task) {
    if (task === 'undo') return this.admin.call('imports.undo', { id: this.id })
    const { file, problem } = await this.admin.call<{
      file: { mapping: object; key_column: string | null } | null
      problem: unknown
    }>('imports.get', { id: this.id })
    if (!file) throw new Error(`The list cannot be read: ${JSON.stringify(problem)}`)
    return this.admin.call('imports.run', {
      id: this.id,
      task,
      mapping: file.mapping,
      key_column: file.key_column,
      updates: true,
    })
  }

  async finish(task: Task) {
    await this.ask(task)
    await this.untilOver()
  }

  /** The most memory until the work is over, and what the server holds of it then. */
  async measured(during: string, work: () => Promise<void>) {
    const used = { during, server: 0, postgres: 0 }
    const look = () => {
      const { server, postgres } = readMemoryUsage(this.child.pid!)
      used.server = Math.max(used.server, server ?? 0)
      used.postgres = Math.max(used.postgres, postgres ?? 0)
    }
    const timer = setInterval(look, 100)
    const began = performance.now()
    try {
      await work()
    } finally {
      clearInterval(timer)
    }
    const took = performance.now() - began
    return { ...used, took, held: await heldBy(this.inspector) }
  }

  /** Rows that are written or taken back for good, also if the process is killed now. */
  async done() {
    const { status, task, rows_done, changes, undone } = await this.look()
    const all = task === 'undo' ? undone + changes : this.rows
    const rows = task === 'undo' ? undone : rows_done
    return { isOver: !['waiting', 'running'].includes(status), status, rows, share: rows / all }
  }

  async untilDone(share: number) {
    for (;;) {
      const now = await this.done()
      if (now.isOver || now.share >= share) return
      await sleep(LOOK_MS)
    }
  }

  async untilOver() {
    for (;;) {
      const { isOver, status } = await this.done()
      if (status === 'finished') return
      if (isOver) throw new Error(`The import ${status}: ${JSON.stringify(await this.said())}`)
      await sleep(LOOK_MS)
    }
  }

  async kill(what: (typeof KINDS_OF_KILL)[number]) {
    const { cluster } = openDataDirectory(this.clinic.dataDir)
    await this.disconnect()
    const postgres = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
    if (what !== 'server') process.kill(postgres, 'SIGKILL')
    if (what === 'database') return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
    await this.start()
  }

  /** A record of the import that a user has worked on since: the undo must leave it. Returns its id. */
  async workOn(list: WrittenList['name']): Promise<string> {
    const { id } = await this.asked(async (db) => {
      const { rows } = await sql<{ id: string }>`
        select row_id as id from import_changes where import_id = ${this.id} and before is null
        order by row_id limit 1`.execute(db)
      return rows[0]!
    })
    const clinic_id = this.clinic.clinicId
    if (list === 'patients')
      await this.admin.call('vitals.save', {
        id: newId(),
        patient_id: id,
        visit_id: null,
        timestamp: new Date().toISOString(),
        temperature_celsius: 37.2,
      })
    else
      await this.admin.call('batches.create', {
        id: newId(),
        clinic_id,
        drug_id: id,
        quantity: 5,
        batch_number: 'L-1',
        expiry_date: '2099-06-30',
        received_date: new Date().toISOString().slice(0, 10),
        confirmed: ['old_day', 'unlikely_date'],
      })
    return id
  }

  tally = async () => (await this.look()).tally

  /** Once the jobs that follow an import are done. */
  async contents(worked?: string) {
    return this.asked(async (db) => {
      await waitUntilSettled(db, this.since)
      return readDatabaseContents(db, this.id, worked)
    })
  }

  private said = async () => (await this.look()).failure

  private look = () =>
    this.asked(async (db) => {
      const { rows } = await sql<Looked>`
        select status, task, rows_done, tally, failure,
          (select count(*)::int from import_changes where import_id = i.id) as changes,
          coalesce((tally ->> 'undone')::int, 0) + coalesce((
            select sum((l ->> 'count')::int) from jsonb_array_elements(tally -> 'left') l)::int, 0) as undone
        from imports i where id = ${this.id}`.execute(db)
      return rows[0]!
    })

  /** PostgreSQL may have been killed since, and is asked again until it is back. */
  private async asked<R>(work: (db: Database) => Promise<R>): Promise<R> {
    for (let tries = 0; ; tries += 1) {
      this.db ??= connectToDataDir(this.clinic.dataDir)
      try {
        return await work(this.db)
      } catch (error) {
        if (tries === PATIENCE) throw error
        await this.disconnect()
        await sleep(100)
      }
    }
  }

  private async disconnect() {
    await this.db?.destroy()
    this.db = undefined
  }
}

type Database = ReturnType<typeof connectToDataDir>

type Looked = {
  status: string
  task: Task
  rows_done: number
  changes: number
  undone: number
  tally: object
  failure: unknown
}
