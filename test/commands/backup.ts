import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { connectionConfig } from '~/db/connect'
import { newId } from '~/shared/id'
import { built } from '../built'

export async function connected(url: string) {
  const client = new pg.Client(connectionConfig(url))
  await client.connect()
  return client
}

export async function rowsOf<R extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<R[]> {
  const client = await connected(url)
  try {
    return (await client.query<R>(statement)).rows
  } finally {
    await client.end()
  }
}

export async function addPatient(url: string, withVisit = false) {
  const client = await connected(url)
  const [patient, clinic] = [newId(), newId()]
  await client.query('begin')
  await client.query('insert into clinics (id, name) values ($1, $2)', [
    clinic,
    `Clinic ${clinic}\twith "signs" \\N`,
  ])
  await client.query(
    `insert into patients (id, given_name, surname, primary_clinic_id, metadata)
     values ($1, 'ليلى', 'Mansour', $2, '{"a": "b\\nc"}')`,
    [patient, clinic],
  )
  if (withVisit)
    await client.query(
      'insert into visits (id, patient_id, clinic_id, check_in_timestamp) values ($1, $2, $3, now())',
      [newId(), patient, clinic],
    )
  await client.query('commit')
  await client.end()
}

export async function addCredentials(url: string) {
  const user = newId()
  await rowsOf(
    url,
    `insert into users (id, name, email, role)
       values ('${user}', 'Amal', 'amal@clinic.example', 'super_admin');
     insert into credentials (user_id, password) values ('${user}', '$argon2id$v=19$x$y$z');
     insert into second_factors (user_id, secret, enabled_at) values ('${user}', '\\x5ec0de', now());
     insert into recovery_codes (user_id, code_hash) values ('${user}', '\\x5ec0de01');
     insert into app_passwords (user_id, name, code_hash) values ('${user}', 'Ward phone', '\\x5ec0de02')`,
  )
}

/** Runs a command to its end, as npm does it. */
export const run = (
  name: 'admin' | 'backup' | 'restore',
  args: string[],
  settings: Record<string, string>,
) =>
  spawnSync(process.execPath, [built(`commands/${name}.js`), ...args], {
    env: { PATH: process.env['PATH'], ...settings },
    encoding: 'utf8',
  })
