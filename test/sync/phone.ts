import { AsyncLocalStorage } from 'node:async_hooks'
import { type Collection, Database, Model } from '@nozbe/watermelondb'
import LokiJSAdapter from '@nozbe/watermelondb/adapters/lokijs'
import type { RawRecord } from '@nozbe/watermelondb/RawRecord'
import logger from '@nozbe/watermelondb/utils/common/logger'
import { synchronize } from '@nozbe/watermelondb/sync'
// @ts-expect-error WatermelonDB's own copy comes without types
import loki from 'lokijs'
import { newId } from '~/shared/id'
import { applyRemoteChanges, type Changes, changesSince } from './local-sync'
import { migrationsTo, phoneTables, schemaOfVersion, type SchemaVersion } from './phone-schema'
import { convertPulled } from './pulled-rows'

export type Row = Record<string, string | number | boolean | null>
export type TableName = keyof typeof phoneTables

const modelClassesOf = (version: SchemaVersion) =>
  Object.keys(schemaOfVersion(version).tables).map(
    (table) =>
      class extends Model {
        static override table = table
      },
  )

logger.silence()
/** The phone whose sync is running: WatermelonDB has one logger for all databases. */
const syncing = new AsyncLocalStorage<Phone>()
logger.error = (...messages: unknown[]) => {
  syncing.getStore()?.errors.push(messages.map(String).join(' '))
}

type Answer = { status: number; body: string }
type Hooks = {
  /** What goes out and what comes back may be lost, or come twice. */
  onPush?: (send: () => Promise<Answer>) => Promise<Answer>
  onPull?: (send: () => Promise<Answer>) => Promise<Answer>
  /** Between the pull and the push of one sync. */
  between?: () => Promise<void>
}

type Pulled = {
  changes: Record<string, { created: Row[]; updated: Row[]; deleted: string[] }>
  timestamp: number
}

/**
 * The app as docs/phone-sync.md describes it: WatermelonDB with its own `synchronize` and the app's
 * options, the columns of its schema, its migrations, real HTTP.
 */
export class Phone {
  database: Database
  /** How far its clock is off, in milliseconds. */
  skew = 0
  /** Every change set that a server answered for, and the last that it tried to send. */
  readonly sent: string[] = []
  attempted = ''
  /** What the sign-in set: the platform sends it along. */
  cookie = ''
  lastPull: Pulled | undefined
  /** The `migration` of the last pull, as sent. */
  lastMigration: unknown
  /** What WatermelonDB logged as errors while it synced. */
  readonly errors: string[] = []

  constructor(
    public origin: string,
    public email: string,
    public password: string,
    version: SchemaVersion = 9,
  ) {
    const adapter = new LokiJSAdapter({
      schema: schemaOfVersion(version),
      migrations: migrationsTo(version),
      useWebWorker: false,
      useIncrementalIndexedDB: false,
      dbName: `phone-${newId()}`,
      // the option of WatermelonDB's own tests; the types do not know it
      ...({
        _testLokiAdapter: new (
          loki as { LokiMemoryAdapter: new () => unknown }
        ).LokiMemoryAdapter(),
      } as object),
    })
    this.database = new Database({ adapter, modelClasses: modelClassesOf(version) })
  }

  /** The user installs the newest version of the app; the rows stay. */
  async upgrade() {
    const adapter = this.database.adapter.underlyingAdapter as unknown as {
      testClone: (options: object) => Promise<LokiJSAdapter>
    }
    this.database = new Database({
      adapter: await adapter.testClone({ schema: schemaOfVersion(9), migrations: migrationsTo(9) }),
      modelClasses: modelClassesOf(9),
    })
  }

  now = () => Date.now() + this.skew

  /** Four requests, as the app makes them each time. Rejects when one fails; what is unsent stays so. */
  async sync(hooks: Hooks = {}) {
    await this.#peer()
    await this.signIn()
    await syncing.run(this, () => this.#synchronize(hooks))
  }

  /** The first two requests. The app accepts exactly status 200 without a key `message`. */
  async signIn() {
    const { email, password } = this
    for (const path of ['/api/login', '/api/auth/sign-in']) {
      const response = await fetch(this.origin + path, {
        method: 'POST',
        body: JSON.stringify({ email, password }),
        headers: { 'content-type': 'application/json' },
      })
      const user = (await response.json()) as object
      if (response.status !== 200 || 'message' in user)
        throw new Error(`sign in: ${response.status} ${JSON.stringify(user)}`)
    }
  }

  #synchronize(hooks: Hooks) {
    return synchronize({
      database: this.database,
      sendCreatedAsUpdated: false,
      migrationsEnabledAtVersion: 1,
      pullChanges: async ({ lastPulledAt, schemaVersion, migration }) => {
        this.lastMigration = migration
        const query = new URLSearchParams({
          last_pulled_at: String(lastPulledAt ?? 0),
          schema_version: String(schemaVersion),
          migration: JSON.stringify(migration),
        })
        const send = () => this.request('GET', `/api/v2/sync?${query}`)
        const { status, body } = await (hooks.onPull ?? ((once) => once()))(send)
        if (status !== 200) throw new Error(`pull: ${status} ${body}`)
        this.lastPull = JSON.parse(body) as Pulled
        convertPulled(this.lastPull.changes, this.now())
        return this.lastPull as never
      },
      pushChanges: async ({ changes, lastPulledAt }) => {
        await hooks.between?.()
        const text = JSON.stringify(changes)
        const send = () => this.request('POST', `/api/v2/sync?last_pulled_at=${lastPulledAt}`, text)
        const { status, body } = await (hooks.onPush ?? ((once) => once()))(send)
        if (status < 200 || status > 299) throw new Error(`push: ${status} ${body}`)
      },
    })
  }

  /** The user chooses "Force download", from a time on. Returns the number of rows that the app reports. */
  async forceDownload(lastPulledAt = 0): Promise<number> {
    const pulled = await this.#rpc('query', 'sync_pull', 'params', { lastPulledAt })
    const { changes } = pulled as { changes: Changes }
    convertPulled(changes, this.now())
    return applyRemoteChanges(this.database, changes)
  }

  /** The user chooses "Force upload" of everything since a time. */
  async forceUpload(lastPulledAt = 0) {
    const changes = await changesSince(this.database, lastPulledAt)
    return this.#rpc('command', 'sync_push', 'data', { changes, lastPulledAt })
  }

  async #rpc(kind: 'query' | 'command', name: string, key: string, params: object) {
    const call = JSON.stringify({ [kind]: name, [key]: params })
    const { status, body } = await this.request('POST', `/rpc/${kind}`, call)
    if (status !== 200) throw new Error(`${name}: ${status} ${body}`)
    return JSON.parse(body) as unknown
  }

  async request(method: string, path: string, body?: string): Promise<Answer> {
    this.attempted = body ?? ''
    const response = await fetch(this.origin + path, {
      method,
      body,
      headers: {
        authorization: `Basic ${Buffer.from(`${this.email}:${this.password}`).toString('base64')}`,
        'content-type': 'application/json',
        cookie: `token=of-another-server; ${this.cookie}`,
      },
    })
    if (body && response.ok) this.sent.push(body)
    return { status: response.status, body: await response.text() }
  }

  /** The app records each contact, so there is something to push with every sync. */
  async #peer() {
    // version 8 has no such table
    const peers = this.database.get('peers') as Collection<Model> | undefined
    if (!peers) return
    await this.database.write(async () => {
      const [peer] = await peers.query().fetch()
      if (peer)
        await peer.update((record) => set(record, { url: this.origin, seen_at: this.now() }))
      else await peers.create((record) => set(record, { url: this.origin, seen_at: this.now() }))
    })
  }

  async create(table: TableName, values: Row): Promise<string> {
    const id = String(values['id'] ?? newId())
    await this.database.write(async () => {
      await this.database.get(table).create((record) => {
        ;(record._raw as { id: string }).id = id
        set(record, {
          created_at: this.now(),
          updated_at: this.now(),
          is_deleted: false,
          metadata: '{}',
          ...values,
        })
      })
    })
    return id
  }

  async update(table: TableName, id: string, values: Row) {
    await this.database.write(async () => {
      const record = await this.database.get(table).find(id)
      await record.update((each) => set(each, { ...values, updated_at: this.now() }))
    })
  }

  async delete(table: TableName, id: string) {
    await this.database.write(async () => {
      const record = await this.database.get(table).find(id)
      await record.markAsDeleted()
    })
  }

  /** A row as the app sees it; undefined when it is not there. */
  async find(table: TableName, id: string): Promise<Row | undefined> {
    const record = await this.database
      .get(table)
      .find(id)
      .catch(() => undefined)
    return record && rowOf(record._raw)
  }

  async all(table: TableName): Promise<Row[]> {
    const records = await this.database.get(table).query().fetch()
    return records
      .map((record) => rowOf(record._raw))
      .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
  }

  /** How many rows wait to be sent. */
  async unsent(table: TableName): Promise<number> {
    return (await this.unsentIds(table)).length
  }

  async unsentIds(table: TableName): Promise<string[]> {
    const records = await this.database.get(table).query().fetch()
    return records
      .filter(({ _raw }) => (_raw as unknown as { _status: string })._status !== 'synced')
      .map(({ id }) => id)
  }
}

function set(record: Model, values: Row) {
  const { columns } = record.collection.schema
  for (const [column, value] of Object.entries(values))
    if (column in columns) record._setRaw(column as never, value)
}

const rowOf = (raw: RawRecord): Row => {
  const { _status, _changed, ...row } = raw as unknown as Row
  return row
}
