import { type Kysely, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { readMedicines } from '~/forms/answers-stored'
import type { Medicine } from '~/forms/answers'
import { typed } from '~/fields/kind'
import { latinDigits } from '~/fields/typed'
import { asRows, type TakenCheck } from './taken-check'

/** A medicine of a filled-in form. `days`: null where the form does not say for how long. */
type FormMedicine = {
  name: string
  at: Date
  /** The last change of the form. */
  typedAt: Date
  days: number | null
}

const MOST_EVENTS = 300
const DAYS_OF: Record<string, number> = { hours: 1 / 24, days: 1, weeks: 7, months: 30, years: 365 }

/**
 * The medicines that were written into forms about a patient, newest form first, each name once.
 */
export async function loadFormMedicines(
  db: Kysely<DB>,
  patientId: string,
): Promise<FormMedicine[]> {
  return (await loadFormMedicinesOfEach(db, [{ patientId }]))[0]!
}

/** The same for each of these checks. */
export async function loadFormMedicinesOfEach(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
): Promise<FormMedicine[][]> {
  // the day of the visit: a form from paper is typed later
  const { rows } = await sql<{
    n: number
    at: Date
    changed_at: Date
    form_data: unknown
    form_id: string | null
  }>`${asPrepared(checks.length)}
    select c.n, e.at, e.changed_at, e.form_data, e.form_id from ${asRows(checks)} cross join lateral (
      select coalesce(v.check_in_timestamp, e.created_at) as at, e.form_data, e.form_id, e.created_at as typed_at,
        e.last_modified as changed_at, e.id
      from events e left join visits v on v.id = e.visit_id
      where e.patient_id = c.patient_id and not e.is_deleted and e.id is distinct from c.event_id
        and e.form_data @> '[{"fieldType": "medicine"}]'
      order by at desc, e.created_at desc, e.id desc limit ${MOST_EVENTS}) e
    order by c.n, e.at desc, e.typed_at desc, e.id desc`.execute(db)
  const labels = await formLabels(
    db,
    rows.map(({ form_id }) => form_id),
  )
  const ofCheck = Map.groupBy(rows, ({ n }) => n)
  return checks.map((_, n) => {
    const all = (ofCheck.get(n) ?? []).flatMap(({ at, changed_at, form_data, form_id }) =>
      medicinesIn(form_data, labels(form_id)).map((medicine) => ({
        name: medicineName(medicine),
        at,
        typedAt: changed_at,
        days: courseDays(medicine),
      })),
    )
    return [
      ...new Map(all.toReversed().map((one) => [one.name.toLowerCase(), one])).values(),
    ].toReversed()
  })
}

/** The labels of the medicines that these forms offer to choose, by the id of the form. */
export async function formLabels(db: Kysely<DB>, formIds: readonly (string | null)[]) {
  const ids = [...new Set(formIds.filter((id) => id !== null))]
  const forms = await db
    .selectFrom('event_forms')
    .select(['id', 'form_fields'])
    .where(columnInIds('id', ids))
    .execute()
  const labels = new Map(forms.map(({ id, form_fields }) => [id, labelsIn(form_fields)]))
  return (formId: string | null): Labels => (formId && labels.get(formId)) || new Map()
}
type Labels = ReadonlyMap<string, string>

/**
 * The names in one form's stored answers, as the checks read them: of a choice of the form its
 * label.
 */
export const medicineNamesIn = (formData: unknown, formFields: unknown): string[] =>
  medicineNames(formData, labelsIn(formFields))

/** The same with the labels of the form's choices. */
export const medicineNames = (formData: unknown, labels: Labels): string[] =>
  medicinesIn(formData, labels).map(medicineName)

function medicinesIn(formData: unknown, labels: Labels): Medicine[] {
  if (!Array.isArray(formData)) return []
  return formData
    .filter(
      (answer: unknown) => (answer as { fieldType?: unknown } | null)?.fieldType === 'medicine',
    )
    .flatMap((answer: { value: unknown }) => readMedicines(answer.value) ?? [])
    .filter((medicine) => medicineName(medicine) !== '')
    .map((medicine) => ({
      ...medicine,
      name: labels.get(medicineName(medicine)) ?? medicineName(medicine),
    }))
}

const medicineName = ({ name }: Medicine) => typed(name).trim()

function labelsIn(formFields: unknown): Map<string, string> {
  if (!Array.isArray(formFields)) return new Map()
  const options = formFields
    .filter((field: unknown) => (field as { fieldType?: unknown } | null)?.fieldType === 'medicine')
    .flatMap((field: { options?: unknown }) => (Array.isArray(field.options) ? field.options : []))
    .filter(
      (option): option is { value: string; label: string } =>
        typeof option?.value === 'string' && typeof option.label === 'string',
    )
  return new Map(options.map(({ value, label }) => [value, label]))
}

function courseDays({ duration, durationUnits }: Medicine): number | null {
  const count = Number(latinDigits(typed(duration)).trim() || Number.NaN)
  const unit = DAYS_OF[typed(durationUnits)]
  return Number.isFinite(count) && count > 0 && unit ? count * unit : null
}
