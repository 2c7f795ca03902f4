import type pg from 'pg'

/**
 * The tables of the current schema, one line for each table, column, constraint, index and
 * sequence. Two databases with the same lines differ only in their functions, triggers, views and
 * rows. Tables of extensions are left out.
 */
export async function fingerprint(client: pg.Client): Promise<Line[]> {
  const { rows } = await client.query<Line>(`
    with place as (
      select current_schema()::regnamespace as oid, quote_ident(current_schema()) || '.' as prefix
    ), tables as (
      select oid, relname, reloptions from pg_class
      where relnamespace = (select oid from place) and relkind in ('r', 'p')
        and not exists (
          select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = pg_class.oid and d.deptype = 'e')
    ), lines (kind, of, name, says) as (
      select 'table', relname, relname, coalesce(reloptions::text, '') from tables
      union all
      select 'column', t.relname, t.relname || '.' || a.attname, concat_ws(' ',
        format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end,
        case when a.attcollation <> y.typcollation then 'collate ' || a.attcollation::regcollation end,
        case when a.attstorage <> y.typstorage then format('storage %s', a.attstorage) end,
        case when a.attidentity <> '' then format('identity %s', a.attidentity) end,
        case when a.attgenerated <> '' then format('generated %s', a.attgenerated) end,
        'default ' || pg_get_expr(d.adbin, d.adrelid),
        'at ' || row_number() over (partition by t.oid order by a.attnum))
      from tables t
        join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        join pg_type y on y.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
      union all
      select 'constraint', t.relname, t.relname || '.' || c.conname, pg_get_constraintdef(c.oid)
      -- not those of "not null", which are constraints in some versions of PostgreSQL only
      from tables t join pg_constraint c on c.conrelid = t.oid and c.contype in ('c', 'f', 'p', 'u', 'x')
      union all
      select 'index', t.relname, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
      from tables t join pg_index i on i.indrelid = t.oid
      union all
      select 'sequence', c.relname, c.relname,
        concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqcycle)
      from pg_sequence s join pg_class c on c.oid = s.seqrelid
      where c.relnamespace = (select oid from place)
    )
    select of, replace(concat_ws(' ', kind, name, says), prefix, '') as line
    from lines, place order by line`)
  return rows
}

/** `of`: the table or sequence. */
type Line = { of: string; line: string }
