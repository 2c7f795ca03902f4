import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { freePort, type Sanad, startSanad } from '../../commands/sanad'
import { asOwner, cloneTemplate, urlsOf } from '../../harness'

const clockFile = fileURLToPath(new URL('skewed-clock.ts', import.meta.url))

/**
 * The product as it is installed, on a database of its own: to be killed at any moment, and with a
 * clock that is wrong.
 */
export class Server {
  #sanad: Sanad | undefined
  private constructor(
    readonly name: string,
    readonly db: Awaited<ReturnType<typeof cloneTemplate>>,
    readonly origin: string,
    readonly folder: string,
  ) {}

  static async make(): Promise<Server> {
    const name = `random_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
    const db = await cloneTemplate(name)
    const port = await freePort()
    const server = new Server(
      name,
      db,
      `http://127.0.0.1:${port}`,
      mkdtempSync(join(tmpdir(), 'sanad-random-')),
    )
    await asOwner(name, (owner) => sql.raw(skewable(name)).execute(owner))
    await server.setClock(0)
    await server.start()
    return server
  }

  async start() {
    this.#sanad = startSanad({
      DATABASE_URL: named(urlsOf(this.name).appUrl),
      DATABASE_OWNER_URL: named(urlsOf(this.name).ownerUrl),
      PORT: new URL(this.origin).port,
      SANAD_DATA_DIR: this.folder,
      SANAD_DB_POOL: '4',
      SANAD_TEST_CLOCK: this.#clock,
      NODE_OPTIONS: `--import=${new URL(`file://${clockFile}`).href}`,
    })
    await this.#sanad.ready
  }

  /** kill -9, and everything that PostgreSQL still did for it is over. */
  async kill() {
    this.#sanad?.child.kill('SIGKILL')
    await this.#sanad?.exit
  }

  /** PostgreSQL ends each of its connections, as it does when it dies itself. Sanad must outlive that. */
  async disconnect() {
    await sql`select pg_terminate_backend(pid, 10_000) from pg_stat_activity
      where datname = current_database() and application_name = ${underTest}`.execute(this.db)
    // it hears of that before it answers; a request at that moment may meet a closed connection
    await fetch(`${this.origin}/api/health/live`)
  }

  /** That happens while it answers: at the moment when it wants to write into that table, or else after the answer. */
  async during(table: string, request: () => Promise<unknown>, happens: () => Promise<void>) {
    const holder = new pg.Client(urlOf(this.name))
    await holder.connect()
    await holder.query(`begin; lock table ${table} in share row exclusive mode`)
    const answered = request().catch(() => {})
    const isWaitedFor = async () => {
      const { rows } = await holder.query<{ pid: number }>(
        'select pid from pg_locks where not granted and relation = $1::regclass',
        [table],
      )
      return rows.length > 0
    }
    while (!(await isWaitedFor()) && !(await isOver(answered))) await sleep(2)
    await happens()
    await answered
    await holder.query('rollback')
    await holder.end()
    await this.#isAlone()
  }

  /** What the server had begun is rolled back. */
  async #isAlone() {
    for (;;) {
      const { rows } = await sql<{ busy: number }>`select count(*) as busy from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(
        this.db,
      )
      if (rows[0]!.busy === 0) return
      await sleep(5)
    }
  }

  /** Both its clocks, its own and PostgreSQL's, are off by that much. */
  async setClock(milliseconds: number) {
    writeFileSync(this.#clock, String(milliseconds))
    this.#sanad?.child.kill('SIGUSR2')
    await sql`update clock.skew set skew = make_interval(secs => ${milliseconds / 1000})`.execute(
      this.db,
    )
  }

  get #clock() {
    return join(this.folder, 'clock')
  }

  async stop() {
    this.#sanad?.child.kill('SIGTERM')
    await this.#sanad?.exit
    await this.db.destroy()
    const admin = new pg.Client(urlOf('postgres'))
    await admin.connect()
    await admin.query(`drop database ${this.name} with (force)`)
    await admin.end()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** What PostgreSQL calls its connections, and not those of the test. */
const underTest = 'sanad-under-test'

const named = (url: string) => `${url}?application_name=${underTest}`

const isOver = (work: Promise<unknown>) =>
  Promise.race([work.then(() => true), sleep(1).then(() => false)])

function urlOf(database: string) {
  const url = new URL(inject('postgres'))
  url.pathname = `/${database}`
  return url.href
}

/** now() and clock_timestamp() of a database, found before PostgreSQL's own, by code and by the columns' defaults. */
const skewable = (database: string) => `
  create schema clock;
  create table clock.skew as select interval '0' as skew;
  create function clock.clock_timestamp() returns timestamptz volatile language sql
    as 'select pg_catalog.clock_timestamp() + skew from clock.skew';
  create function clock.now() returns timestamptz stable language sql
    as 'select pg_catalog.now() + skew from clock.skew';
  grant usage on schema clock to public;
  grant select, update on clock.skew to public;
  alter database ${database} set search_path = public, clock, pg_catalog;
  do $do$ declare d record; begin
    for d in select adrelid::regclass as of, attname, pg_get_expr(adbin, adrelid) as says
      from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum join pg_class c on c.oid = adrelid
      where c.relnamespace = 'public'::regnamespace and attgenerated = ''
        and pg_get_expr(adbin, adrelid) ~ '\\m(now|clock_timestamp)\\(\\)'
    loop
      execute format('alter table %s alter column %I set default %s', d.of, d.attname,
        regexp_replace(d.says, '\\m(now|clock_timestamp)\\(\\)', 'clock.\\1()', 'g'));
    end loop;
  end $do$;`
