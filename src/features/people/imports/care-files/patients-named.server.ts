import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { birthFrom, latestDay } from '~/fields/birth'
import { patientColumn } from '~/records/patient'
import type { Message } from '~/shared/errors'
import type { Target } from '../lists'
import { dayIn } from '../patients-file/date-format'
import { dateFormatIn } from '../reader/formats'
import { labelIn } from '../reader/headings.server'
import type { Cells, Headings, RecordFile, Values } from '../record-files/record-file.server'

const COLUMNS = [
  'external_patient_id',
  'government_id',
  'given_name',
  'surname',
  'date_of_birth',
] as const
type Named = { [C in (typeof COLUMNS)[number]]?: string }

/** What columns may say whose record a row is: a number, or name and date of birth. */
export const patientTargets = (): Target[] =>
  COLUMNS.map((name) => ({
    name,
    label: labelIn(`devices.column_${name}`),
    required: false,
    ...(name === 'date_of_birth' && { holds: 'dates' as const }),
  }))

export const patientHeadings = (): Record<string, readonly string[]> =>
  Object.fromEntries(COLUMNS.map((name) => [name, patientColumn(name).headings ?? []]))

export const PATIENT_IDENTITIES: ReadonlySet<string> = new Set([
  'external_patient_id',
  'government_id',
])

/** Whom a row names, as it will be looked up. */
export function patientIn(
  cells: Cells,
  { headings, file }: { headings: Headings; file: RecordFile },
): { patient: Named } | { refused: Message } {
  const { date_of_birth: birth, ...named } = Object.fromEntries(
    COLUMNS.flatMap((name) => (cells[name] ? [[name, cells[name]]] : [])),
  ) as Named
  const format = dateFormatIn(file.formats, headings['date_of_birth'])
  const day =
    birth &&
    ((format && dayIn(format, birth, new Date().getUTCFullYear())) ??
      birthFrom(birth, latestDay())?.day)
  if (birth && !day)
    return {
      refused: {
        key: 'imports.reasons.date',
        values: { value: birth.slice(0, 60), column: headings['date_of_birth']! },
      },
    }
  const patient = { ...named, ...(day && { date_of_birth: day }) }
  const isNamed = patient.external_patient_id ?? patient.government_id
  if (!isNamed && !(patient.date_of_birth && (patient.given_name ?? patient.surname)))
    return { refused: { key: 'imports.reasons.patientUnnamed' } }
  return { patient }
}

/**
 * The patient of each row: by file number, else by government id, else by name and date of birth. Of several in Sanad
 * the only one of the clinic counts. A row whose date of birth is not that of its number is refused.
 */
export async function patientsNamed(
  db: Kysely<DB>,
  rows: readonly Values[],
  clinicId: string | null,
): Promise<({ patientId: string } | { refused: Message })[]> {
  const given = rows.map(({ patient }, at) => ({ at, ...(patient as Named) }))
  const { rows: found } = await sql<{
    at: number
    id: string
    is_here: boolean
    is_other: boolean
  }>`
    with given as (
      select *, lower(concat_ws(' ', trim(given_name), trim(surname))) as name
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r(at int, external_patient_id text,
        government_id text, given_name text, surname text, date_of_birth date)
    ), found as (
      select g.at, p.id, p.primary_clinic_id, p.date_of_birth, g.date_of_birth as stated, p.metadata
      from given g join patients p on p.external_patient_id = g.external_patient_id and not p.is_deleted
      union all
      select g.at, p.id, p.primary_clinic_id, p.date_of_birth, g.date_of_birth, p.metadata
      from given g join patients p on p.government_id = g.government_id and not p.is_deleted
      where g.external_patient_id is null
      union all
      select g.at, p.id, p.primary_clinic_id, p.date_of_birth, g.date_of_birth, p.metadata
      from given g join patients p on p.date_of_birth = g.date_of_birth and not p.is_deleted
        and lower(concat_ws(' ', trim(p.given_name), trim(p.surname))) = g.name
      where g.external_patient_id is null and g.government_id is null
    )
    select at, id, primary_clinic_id is not distinct from ${clinicId}::uuid as is_here,
      coalesce(stated <> date_of_birth and metadata ->> 'date_of_birth_precision' is null, false) as is_other
    from found`.execute(db)
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
    return one.is_other ? refuse('imports.reasons.patientDiffers') : { patientId: one.id }
  })
}
