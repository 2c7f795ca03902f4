import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { bcryptHash, type Case, CASES } from './cases'

const LEAST = 20
/** Rows of tables that patients do not fill come first as they should be: cases begin after them. */
const SOUND: Record<string, number> = {
  clinics: 8,
  users: 24,
  user_clinic_permissions: 24,
  clinic_departments: 8,
  event_forms: 5,
  drug_catalogue: 40,
  drug_batches: 80,
}
const sqlOf = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

/** Which rows of its table each case takes: cases of one table share none. */
function placed() {
  const next = new Map(Object.entries(SOUND).map(([table, count]) => [table, count + 1]))
  const places = new Map<Case, { first: number; last: number }>()
  for (const each of CASES) {
    const first = next.get(each.table) ?? 1
    const last = first + (each.rows ?? LEAST) - 1
    places.set(each, { first, last })
    next.set(each.table, last + 1)
  }
  return { places, next }
}

const the = (table: string, name: string) => {
  const found = CASES.find((each) => each.table === table && each.name === name)
  if (!found) throw new Error(`There is no case "${table} ${name}".`)
  return found
}

/** Makes the tables of a Hikma server with `patients` patients and the cases. Commits as it goes. */
export async function makeSource(
  client: Client,
  patients: number,
  { seed = 1, cases = CASES }: { seed?: number; cases?: readonly Case[] } = {},
) {
  const { places, next } = placed()
  const firstOf = (table: string, name: string) => places.get(the(table, name))!.first
  const archived = firstOf('clinics', 'is archived and has visits')
  const deleted = firstOf('clinics', 'is deleted and has visits')
  const unknownClinic = firstOf('patients', 'has an unknown clinic')
  const filled = (sql: string, { first, last }: { first: number; last: number }) =>
    sql
      .replaceAll('$first', `${first}`)
      .replaceAll('$last', `${last}`)
      .replaceAll('$archived_g', `pg_temp.hid('clinics', ${archived} + g % ${LEAST})`)
      .replaceAll('$archived', `pg_temp.hid('clinics', ${archived} + g % ${LEAST})`)
      .replaceAll('$deleted_clinic', `pg_temp.hid('clinics', ${deleted} + g % ${LEAST})`)
      .replaceAll('$unknown_clinic', `${unknownClinic} + g % ${LEAST}`)

  await client.query(sqlOf('schema.sql'))
  await client.query(`select set_config('hikma.seed', $1, false)`, [`${seed}`])
  for (const table of Object.keys(SOUND))
    await client.query(`select set_config('hikma.${table}', $1, false)`, [
      `${next.get(table)! - 1}`,
    ])
  await client.query(`select set_config('hikma.patients', $1, false)`, [`${patients}`])
  await client.query(sqlOf('volume.sql'))
  await client.query('update users set hashed_password = $1', [bcryptHash])
  // rows that refer to nothing: as after a restore without the foreign keys
  await client.query(`
    alter table user_clinic_permissions drop constraint user_clinic_permissions_created_by_fkey;
    alter table visits drop constraint visits_provider_id_fkey;
    alter table dispensing_records drop constraint dispensing_records_batch_id_fkey;
    alter table dispensing_records drop constraint dispensing_records_dispensed_by_fkey`)
  for (const each of cases) {
    const place = places.get(each)!
    await client
      .query(
        filled(
          each.sql ??
            `update ${each.table} t set ${each.set} from generate_series($first::bigint, $last::bigint) g
             where t.id = pg_temp.hid('${each.table}', g)`,
          place,
        ),
      )
      .catch((error: Error) => {
        throw new Error(`${each.table} ${each.name}: ${error.message}`, { cause: error })
      })
  }
  await client.query('analyze')
}
