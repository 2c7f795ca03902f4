import { type AppSchema, appSchema, Database, Model, tableSchema } from '@nozbe/watermelondb'
import LokiJSAdapter from '@nozbe/watermelondb/adapters/lokijs'
import type { RawRecord } from '@nozbe/watermelondb/RawRecord'
import logger from '@nozbe/watermelondb/utils/common/logger'
import { synchronize } from '@nozbe/watermelondb/sync'
// @ts-expect-error WatermelonDB's own copy comes without types
import loki from 'lokijs'
import { newId } from '~/shared/id'
import { phoneTables } from './phone-schema'

export type Row = Record<string, string | number | boolean | null>
export type TableName = keyof typeof phoneTables

const schema: AppSchema = appSchema({
  version: 9,
  tables: Object.entries(phoneTables).map(([name, columns]) =>
    tableSchema({ name, columns: [...columns] }),
  ),
})
const modelClasses = Object.keys(phoneTables).map(
  (table) =>
    class extends Model {
      static override table = table
    },
)

logger.silence()

type Answer = { status: number; body: string }
type Hooks = {
  /** What goes out and what comes back may be lost, or come twice. */
  onPush?: (send: () => Promise<Answer>) => Promise<Answer>
  onPull?: (send: () => Promise<Answer>) => Promise<Answer>
  /** Between the pull and the push of one sync. */
  between?: () => Promise<void>
}

/**
 * The stock app as far as the server can tell: WatermelonDB, its own `synchronize`, the contract's
 * columns, real HTTP.
 */
export class Phone {
  readonly database: Database
  /** How far its clock is off, in milliseconds. */
  skew = 0
  /** Every change set that a server answered for, and the last that it tried to send. */
  readonly sent: string[] = []
  attempted = ''
  lastPull:
    | { changes: Record<string, { updated: Row[]; deleted: string[] }>; timestamp: number }
    | undefined

  constructor(
    readonly origin: string,
    public email: string,
    public password: string,
  ) {
    const adapter = new LokiJSAdapter({
      schema,
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
    this.database = new Database({ adapter, modelClasses })
  }

  now = () => Date.now() + this.skew

  /** Four requests, as the app makes them each time. Rejects when one fails; what is unsent stays so. */
  async sync(hooks: Hooks = {}) {
    await this.#peer()
    await synchronize({
      database: this.database,
      sendCreatedAsUpdated: true,
      migrationsEnabledAtVersion: undefined as unknown as number,
      pullChanges: async ({ lastPulledAt, schemaVersion, migration }) => {
        const query = new URLSearchParams({
          last_pulled_at: String(lastPulledAt ?? 0),
          schema_version: String(schemaVersion),
          migration: JSON.stringify(migration),
        })
        const send = () => this.request('GET', `/api/v2/sync?${query}`)
        const { status, body } = await (hooks.onPull ?? ((once) => once()))(send)
        if (status !== 200) throw new Error(`pull: ${status} ${body}`)
        this.lastPull = JSON.parse(body) as NonNullable<Phone['lastPull']>
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

  async request(method: string, path: string, body?: string): Promise<Answer> {
    this.attempted = body ?? ''
    const response = await fetch(this.origin + path, {
      method,
      body,
      headers: {
        authorization: `Basic ${Buffer.from(`${this.email}:${this.password}`).toString('base64')}`,
        'content-type': 'application/json',
        cookie: 'token=of-another-server',
      },
    })
    if (body && response.ok) this.sent.push(body)
    return { status: response.status, body: await response.text() }
  }

  /** The app records each contact, so there is something to push with every sync. */
  async #peer() {
    await this.database.write(async () => {
      const peers = this.database.get('peers')
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
    const records = await this.database.get(table).query().fetch()
    return records.filter(
      ({ _raw }) => (_raw as unknown as { _status: string })._status !== 'synced',
    ).length
  }
}

function set(record: Model, values: Row) {
  const { columns } = schema.tables[record.table as never] as { columns: Record<string, unknown> }
  for (const [column, value] of Object.entries(values))
    if (column in columns) record._setRaw(column as never, value)
}

const rowOf = (raw: RawRecord): Row => {
  const { _status, _changed, ...row } = raw as unknown as Row
  return row
}
