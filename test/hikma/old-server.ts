import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Client } from 'pg'

/** The tables that phones write, in the order of their references. */
const WRITTEN = [
  'patients',
  'patient_additional_attributes',
  'visits',
  'events',
  'patient_vitals',
  'patient_problems',
  'appointments',
  'prescriptions',
  'prescription_items',
  'dispensing_records',
]
const TABLES = ['clinics', 'user_clinic_permissions', 'event_forms', 'drug_catalogue', ...WRITTEN]

type Row = Record<string, unknown>
type Changes = Record<string, { created: Row[]; updated: Row[]; deleted: string[] }>

/**
 * The part of a Hikma server that phones sync with, over its database: a pull answers with the time of the server's
 * clock in milliseconds, a push overwrites whole rows.
 */
export async function startOldServer(client: Client) {
  const types = await columnTypes(client)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url!, 'http://old')
      const body = Buffer.concat(chunks).toString()
      answer(url, request.method!, body).then(
        (value) => response.end(JSON.stringify(value)),
        (error: Error) => response.writeHead(500).end(JSON.stringify({ error: error.message })),
      )
    })
  })
  const answer = async (url: URL, method: string, body: string) => {
    if (url.pathname !== '/api/v2/sync') return { id: 'a user' }
    if (method === 'GET') return pull(client, Number(url.searchParams.get('last_pulled_at')))
    await push(client, types, JSON.parse(body) as Changes)
    return { success: true }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { origin: `http://127.0.0.1:${port}`, stop: () => void server.close() }
}

async function columnTypes(client: Client) {
  const { rows } = await client.query<{ table_name: string; columns: Record<string, string> }>(
    `select table_name, json_object_agg(column_name, data_type) as columns
     from information_schema.columns where table_name = any($1) group by table_name`,
    [TABLES],
  )
  return new Map(rows.map(({ table_name, columns }) => [table_name, columns]))
}

async function pull(client: Client, since: number) {
  const timestamp = Date.now()
  const changes: Changes = {}
  for (const table of TABLES) {
    const changedAt = table === 'user_clinic_permissions' ? 'updated_at' : 'last_modified'
    const { rows } = await client.query<{ row: Row }>(
      `select distinct on (t.id) row_to_json(t) as row from ${table} t
       where ${changedAt} > to_timestamp($1 / 1000.0)`,
      [since],
    )
    const live = rows.filter(({ row }) => row['is_deleted'] !== true).map(({ row }) => row)
    const deleted = rows.filter(({ row }) => row['is_deleted'] === true)
    changes[table] = {
      created: since === 0 ? live : [],
      updated: since === 0 ? [] : live,
      deleted: deleted.map(({ row }) => String(row['id'])),
    }
  }
  return { changes, timestamp }
}

async function push(client: Client, types: Awaited<ReturnType<typeof columnTypes>>, sent: Changes) {
  for (const table of WRITTEN.filter((name) => sent[name])) {
    const columns = types.get(table)!
    const { created, updated, deleted } = sent[table]!
    for (const row of [...created, ...updated]) {
      const values = Object.entries(row)
        .filter(([column]) => column in columns)
        .map(([column, value]) => [column, stored(value, columns[column]!)] as const)
      const names = values.map(([column]) => column)
      await client.query(
        `insert into ${table} (${names.join(', ')})
         values (${names.map((_, at) => `$${at + 1}`).join(', ')})
         on conflict (${table === 'patient_additional_attributes' ? 'patient_id, attribute_id' : 'id'}) do update
           set last_modified = now(), ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        values.map(([, value]) => value),
      )
    }
    await client.query(
      `update ${table} set is_deleted = true, deleted_at = now(), last_modified = now()
       where id = any($1)`,
      [deleted],
    )
  }
}

function stored(value: unknown, type: string) {
  if (value === '' && type.startsWith('json')) return '{}'
  if (value === '' && !/^text|^character/.test(type)) return null
  if (typeof value === 'number' && (type === 'date' || type.startsWith('timestamp')))
    return new Date(value).toISOString()
  return value
}
