import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { ImportedRecord } from '../write.server'

/**
 * The patients of the clinic that records of a file mean, by the id of the record: the same name, day of birth and sex,
 * or the same number with the same name or day of birth. A record that is here under its own id, that two patients fit,
 * or whose number, phone or sex says that it is another person, means none. Only patients registered before the import
 * began count: two rows of one file are two patients.
 */
export async function knownPatients(
  db: Kysely<DB>,
  records: readonly ImportedRecord[],
  clinicId: string,
  since: Date,
): Promise<ReadonlyMap<string, string>> {
  if (records.length === 0) return new Map()
  const given = records.map((record) =>
    Object.fromEntries(COMPARED.map((name) => [name, storable(record[name])])),
  )
  const { rows } = await sql<{ id: string; patient_id: string }>`
    with whole as (
      select *, lower(concat_ws(' ', trim(given_name), trim(surname))) as name,
        metadata ->> 'date_of_birth_precision' is null as is_exact
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r(id uuid, given_name text, surname text,
        date_of_birth date, sex text, government_id text, external_patient_id text, metadata jsonb)
      where not exists (select from patients own where own.id = r.id)
    ), given as (
      -- two rows of one name and birth mean none
      select * from (select *, count(*) over (partition by name, date_of_birth) as same from whole) each
      where same = 1
    ), earlier as materialized (
      select p.* from patients p
      where p.primary_clinic_id = ${clinicId} and not p.is_deleted and p.server_created_at < ${since}
        and (p.date_of_birth in (select date_of_birth from given)
          or p.government_id in (select government_id from given where government_id <> '')
          or p.external_patient_id in (select external_patient_id from given where external_patient_id <> ''))
    ), found as (
      select g.id, p.id as patient_id from given g join earlier p on p.date_of_birth = g.date_of_birth
        where g.is_exact and g.name <> ''
      union
      select g.id, p.id from given g join earlier p on p.government_id = g.government_id
        where g.government_id <> ''
      union
      select g.id, p.id from given g join earlier p on p.external_patient_id = g.external_patient_id
        where g.external_patient_id <> ''
    ), fitting as (
      select g.id, p.id as patient_id
      from found join given g using (id) join earlier p on p.id = found.patient_id
      cross join lateral (select
        lower(concat_ws(' ', trim(p.given_name), trim(p.surname))) = g.name as is_name,
        p.date_of_birth = g.date_of_birth and g.is_exact
          and p.metadata ->> 'date_of_birth_precision' is null as is_birth,
        coalesce(nullif(p.government_id, '') = nullif(g.government_id, ''), false)
          or coalesce(nullif(p.external_patient_id, '') = nullif(g.external_patient_id, ''), false) as is_number,
        coalesce(nullif(p.government_id, '') <> nullif(g.government_id, ''), false)
          or coalesce(nullif(p.external_patient_id, '') <> nullif(g.external_patient_id, ''), false)
          or coalesce(nullif(p.sex, '') <> nullif(g.sex, ''), false) as is_other
      ) fit
      where not is_other
        and ((is_name and coalesce(is_birth, false)) or (is_number and (is_name or coalesce(is_birth, false))))
    )
    select id, min(patient_id::text) as patient_id from fitting group by id having count(*) = 1`.execute(
    db,
  )
  // two rows that mean one patient stay two: the second would be lost
  const times = new Map<string, number>()
  for (const { patient_id } of rows) times.set(patient_id, (times.get(patient_id) ?? 0) + 1)
  return new Map(
    rows.flatMap(({ id, patient_id }) => (times.get(patient_id) === 1 ? [[id, patient_id]] : [])),
  )
}

const COMPARED = [
  'id',
  'given_name',
  'surname',
  'date_of_birth',
  'sex',
  'government_id',
  'external_patient_id',
  'metadata',
] as const

/** A row that the database refuses is compared without the character. */
const storable = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value

/** Restores patients that an undo of an import deleted, and returns them. A patient deleted by a user stays deleted. */
export async function restoreUndone(
  db: Kysely<DB>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ patient_id: string }>`
    with undone as (
      delete from undone_patients where patient_id = any(${ids}::uuid[]) returning patient_id, deletion_id
    ), restored as materialized (
      select undo_deletions(array(select deletion_id from undone), null) as deletion_id
    )
    select patient_id from undone join restored using (deletion_id)`.execute(db)
  return new Set(rows.map(({ patient_id }) => patient_id))
}
