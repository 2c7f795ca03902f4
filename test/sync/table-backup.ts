import { type Kysely, sql } from 'kysely'
import { inject } from 'vitest'
import { connect } from '~/db/connect'
import type { DB } from '~/db/types'

/** The last number of a pull, and the last entry of the audit trail. */
export async function lastNumbers(db: Kysely<DB>): Promise<{ pull: number; trail: number }> {
  const { rows } = await sql<{ pull: number; trail: number }>`
    select last_value as pull, (select coalesce(max(id), 0) from audit_log) as trail
    from sync_pull_times`.execute(db)
  return rows[0]!
}

/** As a restore, which brings back the audit trail of the backup, without the later entries. */
export async function forgetTrail(database: string, after: number) {
  const superuser = connect(new URL(`/${database}`, inject('postgres')).href, { max: 1 })
  await sql
    .raw(
      `begin; set local session_replication_role = replica;
       delete from audit_log where id > ${after}; commit`,
    )
    .execute(superuser)
  await superuser.destroy()
}

/** Append-only, sealed or never restored. */
const LEFT_OUT = /^(access_log|audit_|schema_)/

/** The rows of all other tables of a test's database, kept in a schema of the same database. */
export class TableBackup {
  readonly #db
  #last: { pull: number; trail: number } | undefined

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
    this.#last = await lastNumbers(this.#db)
  }

  /** As a restore: what was written since is lost, and a new epoch of phones begins. */
  async restore() {
    const tables = await this.#tables()
    const { pull, trail } = this.#last!
    await this.#run([
      'begin; set local session_replication_role = replica',
      `truncate ${tables.map(({ name }) => name).join(', ')}`,
      ...tables.map(
        ({ name, columns }) =>
          `insert into ${name} (${columns}) overriding system value select ${columns} from kept.${name}`,
      ),
      `delete from audit_log where id > ${trail}`,
      `select setval('sync_pull_times', ${pull})`,
      'select begin_sync_epoch()',
      'commit',
    ])
  }

  /** A history begins on a server that was never restored. */
  forgetRestores = () => this.#run(['delete from sync_epochs'])
}
