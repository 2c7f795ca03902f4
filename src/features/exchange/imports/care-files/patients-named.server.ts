import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { canBeOneName, type ProfileNames } from '~/features/people/patients/duplicates/likeness'
import { readBirthPrecision } from '~/features/people/patients/patient'
import { type Birth, birthFrom, type BirthPrecision, birthSpan, latestDay } from '~/fields/birth'
import { patientColumn } from '~/records/patient'
import type { Message } from '~/shared/errors'
import type { ImportTarget } from '../lists'
import { type DateFormat, parseFormattedDay } from '../patients-file/date-format'
import { dateFormatIn } from '../reader/formats'
import { labelIn } from '../reader/headings.server'
import type { Cells, Headings, RecordFile, RecordValues } from '../record-files/record-file.server'

const COLUMNS = [
  'external_patient_id',
  'government_id',
  'given_name',
  'surname',
  'date_of_birth',
] as const
type Named = { [C in (typeof COLUMNS)[number]]?: string } & { precision?: BirthPrecision }

/** What columns may say whose record a row is: a number, or name and date of birth. */
export const patientTargets = (): ImportTarget[] =>
  COLUMNS.map((name) => ({
    name,
    label: labelIn(`devices.column_${name}`),
    required: false,
    ...(name === 'date_of_birth' && { holds: 'dates' as const }),
  }))

export const identityHeadings = (): Record<string, readonly string[]> =>
  Object.fromEntries(COLUMNS.map((name) => [name, patientColumn(name).headings ?? []]))

export const PATIENT_IDENTITIES: ReadonlySet<string> = new Set([
  'external_patient_id',
  'government_id',
])

/** A day in the format of the column, or a year or an age, which no format has. */
function birthIn(cell: string, format: DateFormat | undefined): Birth | null {
  const birth = birthFrom(cell, latestDay())
  if (!format || (birth && birth.precision !== 'day')) return birth
  const year = new Date().getUTCFullYear()
  const day = parseFormattedDay(format, cell, year) ?? parseFormattedDay('YYYY-MM-DD', cell, year)
  return day ? { day, precision: 'day' } : null
}

/** The patient that a row names, as it will be looked up. */
export function patientIn(
  cells: Cells,
  { headings, file }: { headings: Headings; file: RecordFile },
): { patient: Named } | { refused: Message } {
  const { date_of_birth: birth, ...named } = Object.fromEntries(
    COLUMNS.flatMap((name) => (cells[name] ? [[name, cells[name]]] : [])),
  ) as Named
  const format = dateFormatIn(file.formats, headings['date_of_birth'])
  const read = birth ? birthIn(birth, format) : null
  if (birth && !read)
    return {
      refused: {
        key: 'imports.reasons.date',
        values: { value: birth.slice(0, 60), column: headings['date_of_birth']! },
      },
    }
  const patient = {
    ...named,
    ...(read && { date_of_birth: read.day, precision: read.precision }),
  }
  const isNamed = patient.external_patient_id ?? patient.government_id
  if (!isNamed && !(patient.date_of_birth && (patient.given_name ?? patient.surname)))
    return { refused: { key: 'imports.reasons.patientUnnamed' } }
  return { patient }
}

/**
 * The patient of each row: by file number, else by government id, else by name and date of birth. Of several in Sanad
 * the only one of the clinic counts. A row whose name or date of birth is not that of its number is refused. A file
 * number of another clinic counts only with the patient's exact date of birth: each clinic counts its own.
 */
export async function findNamedPatients(
  db: Kysely<DB>,
  rows: readonly RecordValues[],
  clinicId: string | null,
): Promise<({ patientId: string } | { refused: Message })[]> {
  const given = rows.map(({ patient }, at) => ({ at, ...(patient as Named) }))
  const { rows: found } = await sql<Found>`
    with given as (
      select *, lower(concat_ws(' ', trim(given_name), trim(surname))) as name
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r(at int, external_patient_id text,
        government_id text, given_name text, surname text, date_of_birth date)
    ), found as (
      select g.at, p.id from given g join patients p
        on p.external_patient_id = g.external_patient_id and not p.is_deleted
      union all
      select g.at, p.id from given g join patients p on p.government_id = g.government_id and not p.is_deleted
      where g.external_patient_id is null
      union all
      select g.at, p.id from given g join patients p on p.date_of_birth = g.date_of_birth and not p.is_deleted
        and lower(concat_ws(' ', trim(p.given_name), trim(p.surname))) = g.name
      where g.external_patient_id is null and g.government_id is null
    )
    select at, p.id, p.primary_clinic_id is not distinct from ${clinicId}::uuid as is_here,
      p.date_of_birth::text as date_of_birth, p.metadata,
      jsonb_build_object('given', name_words_of(coalesce(g.given_name, '')),
        'surname', name_words_of(coalesce(g.surname, ''))) as stated,
      jsonb_build_object('given', name_words_of(coalesce(p.given_name, '')),
        'surname', name_words_of(coalesce(p.surname, ''))) as stored
    from found join given g using (at) join patients p on p.id = found.id`.execute(db)
  const byRow = Map.groupBy(found, ({ at }) => at)
  return given.map((row) => {
    const all = byRow.get(row.at) ?? []
    const here = all.filter(({ is_here }) => is_here)
    const [one, other] = here.length > 0 ? here : all
    const value =
      row.external_patient_id ??
      row.government_id ??
      [row.given_name, row.surname, row.date_of_birth].filter(Boolean).join(' ')
    const refuse = (key: Message['key']) => ({
      refused: { key, values: { value: value.slice(0, 60) } },
    })
    if (!one) return refuse('imports.reasons.patientUnknown')
    if (other) return refuse('imports.reasons.severalPatients')
    const births = [
      storedBirth(row),
      storedBirth({ ...one, precision: readBirthPrecision(one.metadata) }),
    ]
    const [stated, stored] = births
    if (stated && stored && !mayBeOneBirth(stated, stored))
      return refuse('imports.reasons.patientDiffers')
    if (!canBeOneName(one.stated, one.stored)) return refuse('imports.reasons.nameDiffers')
    const isExact = births.every((birth) => birth?.precision === 'day')
    if (!one.is_here && row.external_patient_id && !isExact)
      return refuse('imports.reasons.numberElsewhere')
    return { patientId: one.id }
  })
}

type Found = {
  at: number
  id: string
  is_here: boolean
  date_of_birth: string | null
  metadata: unknown
  stated: ProfileNames
  stored: ProfileNames
}

const storedBirth = (row: { date_of_birth?: string | null; precision?: BirthPrecision }) =>
  row.date_of_birth ? { day: row.date_of_birth, precision: row.precision ?? 'day' } : null

/** As exactly as each of the two is known. */
function mayBeOneBirth(one: Birth, other: Birth): boolean {
  const [[from, to], [otherFrom, otherTo]] = [birthSpan(one), birthSpan(other)]
  return from <= otherTo && otherFrom <= to
}
