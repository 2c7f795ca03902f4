import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { stableId } from '~/features/exchange/imports/stable-id'
import { birthFrom } from '~/fields/birth'
import { withBirthPrecision } from '~/features/people/patients/patient'
import type { RegistrationEntry } from './duplicate-sets'

const AT_ONCE = 2_000

/** Registers people as an import does, many at once, and answers their ids. */
export async function registerAll(
  db: Kysely<DB>,
  people: readonly RegistrationEntry[],
): Promise<string[]> {
  const rows = people.map((person, number) => {
    const birth = birthFrom(person.date_of_birth, '2025-01-01')
    return {
      ...Object.fromEntries(Object.entries(person).map(([field, text]) => [field, text || null])),
      id: stableId('prove', String(people.length), String(number)),
      date_of_birth: birth?.day ?? null,
      metadata: withBirthPrecision({}, birth?.precision ?? 'day'),
    }
  })
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await sql`
      insert into patients (id, given_name, surname, date_of_birth, sex, phone, government_id, hometown, metadata)
      select id, given_name, surname, date_of_birth, sex, phone, government_id, hometown, metadata
      from jsonb_populate_recordset(null::patients, ${JSON.stringify(rows.slice(at, at + AT_ONCE))})`.execute(
      db,
    )
  await sql`analyze patients`.execute(db)
  await sql`analyze patient_search`.execute(db)
  return rows.map(({ id }) => id)
}
