import type pg from 'pg'

/** The functions, triggers and views of a database, as SQL, without those of extensions. */
export async function definitions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc
     where pronamespace = current_schema()::regnamespace
       and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.deptype = 'e')
     union all select pg_get_triggerdef(t.oid)
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and c.relnamespace = current_schema()::regnamespace
     union all select viewname || definition from pg_views where schemaname = current_schema()
     order by text`,
  )
  return rows.map(({ text }) => text)
}
