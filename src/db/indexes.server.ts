import type pg from 'pg'

/*
 * For bulk loads: building an index from all rows at once takes a fraction of the time of adding each row to it.
 * These functions drop indexes and constraints, and return the SQL that makes them again after the rows are in.
 */

/** Only one table; without it all tables. Indexes of partitions follow their parent and are left out. */
type Choice = { table?: string }

/** Drops the constraints of these kinds (`pg_constraint.contype`). */
export async function dropConstraints(
  client: pg.Client,
  kinds: readonly ('f' | 'p' | 'u' | 'x')[],
  { table: only }: Choice = {},
): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name,
       pg_get_constraintdef(o.oid) as definition
     from pg_constraint o join pg_class c on c.oid = conrelid
     where contype = any($1) and connamespace = current_schema()::regnamespace and conparentid = 0
       and (contype = 'f' or relkind = 'r' and not relispartition)
       and ($2::regclass is null or conrelid = $2::regclass)
     order by 1, 2`,
    [kinds, only],
  )
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint ${name}`)
  return rows.map(
    ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
  )
}

/** Drops the indexes that no constraint owns. */
export async function dropIndexes(client: pg.Client, { table }: Choice = {}): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class c on c.oid = indrelid
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relispartition
       and not exists (select from pg_constraint where conindid = indexrelid)
       and ($1::regclass is null or indrelid = $1::regclass)
     order by 1`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}
