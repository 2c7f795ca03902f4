import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { connectionConfig } from '~/db/connect'
import { log } from '~/server/log'
import { isOfPatient, patientColumn } from './scope'
import { allTables, type TableName, tableNamed, wireText } from './tables'
import { wireOf } from './wires'

/** Any number that nothing else in the database uses; two processes that start together take turns by it. */
const advisoryLock = 7_262_024

/**
 * Before phones are served: where `tables.ts` says otherwise than what is written down, every row of that table is
 * written down anew. Nobody writes such a table meanwhile; whoever reads sees what was there before.
 */
export async function keepWires(url: string): Promise<TableName[]> {
  const client = new pg.Client(connectionConfig(url, { statementTimeout: 0 }))
  client.on('error', () => {}) // the query that is under way reports it
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    const { rows } = await client.query<Expressions & { table_name: string }>('select * from wire_expressions')
    const written = new Map(rows.map(({ table_name, ...expressions }) => [table_name, expressions]))
    const stale = allTables
      .map(([name]) => name)
      .filter((name) => !isDeepStrictEqual(written.get(name), expressionsOf(name)))
    if (stale.length > 0 && (await client.query('select from patients limit 1')).rowCount)
      log.info({ tables: stale }, 'writing down anew what phones are told: a minute for each hundred thousand patients')
    for (const name of stale) await rewrite(client, name)
    await client.query('commit')
    return stale
  } finally {
    await client.end()
  }
}

type Expressions = { text: string; patient_id: string }

function expressionsOf(name: TableName): Expressions {
  const table = tableNamed(name)
  return { text: wireText(table), patient_id: isOfPatient(table) ? patientColumn(name) : 'null::uuid' }
}

async function rewrite(client: pg.Client, name: TableName) {
  const { text, patient_id } = expressionsOf(name)
  await client.query(`set local datestyle = 'ISO, YMD'; lock table ${name} in share mode`)
  await client.query(
    `insert into wire_expressions (table_name, text, patient_id) values ($1, $2, $3)
     on conflict (table_name) do update set text = excluded.text, patient_id = excluded.patient_id`,
    [name, text, patient_id],
  )
  // not truncated: a pull that began before goes on reading
  await client.query(`delete from ${wireOf(name)}`)
  await client.query(
    `insert into ${wireOf(name)} (row_id, patient_id, text) select t.id, ${patient_id}, ${text} from ${name} t where not t.is_deleted`,
  )
  await client.query(`analyze ${wireOf(name)}`)
}
