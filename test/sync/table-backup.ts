import { sql } from 'kysely'
import { inject } from 'vitest'
import { connect } from '~/db/connect'

/** Append-only, sealed or never restored. */
const LEFT_OUT = /^(access_log|audit_|schema_)/

/** The rows of all other tables of a test's database, kept in a schema of the same database. */
export class TableBackup {
  readonly #db
  #pullNumber: { last: number; called: boolean } | undefined

  /** As the superuser: a restore fires no trigger. */
  constructor(database: string) {
    this.#db = connect(new URL(`/${database}`, inject('postgres')).href, { max: 1 })
  }

  end = () => this.#db.destroy()

  async #run(statements: readonly string[]) {
    await sql.raw(statements.join(';\n')).execute(this.#db)
  }

  async #tables() {
    const { rows } = await sql<{ name: string; columns: string }>`
      select c.relname as name, string_agg(quote_ident(a.attname), ', ') as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by 1`.execute(this.#db)
    return rows.filter(({ name }) => !LEFT_OUT.test(name))
  }

  async make() {
    const tables = await this.#tables()
    await this.#run([
      'drop schema if exists kept cascade; create schema kept',
      ...tables.map(
        ({ name, columns }) => `create table kept.${name} as select ${columns} from ${name}`,
      ),
    ])
    const { rows } = await sql<{ last: number; called: boolean }>`
      select last_value as last, is_called as called from sync_pull_numbers`.execute(this.#db)
    this.#pullNumber = rows[0]
  }

  /** As a restore: what was written since is lost, and a new epoch of phones begins. */
  async restore() {
    const tables = await this.#tables()
    const { last, called } = this.#pullNumber!
    await this.#run([
      'begin; set local session_replication_role = replica',
      `truncate ${tables.map(({ name }) => name).join(', ')}`,
      ...tables.map(
        ({ name, columns }) =>
          `insert into ${name} (${columns}) overriding system value select ${columns} from kept.${name}`,
      ),
      `select setval('sync_pull_numbers', ${last}, ${called})`,
      'select begin_sync_epoch()',
      'commit',
    ])
  }

  /** A history begins on a server that was never restored. */
  forgetRestores = () => this.#run(['delete from sync_epochs'])
}
