import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { readMedicines } from '~/forms/answers-stored'
import type { Medicine } from '~/forms/answers'
import { typed } from '~/fields/kind'
import { latinDigits } from '~/fields/typed'

/** A medicine of a filled-in form. `days`: null where the form does not say for how long. */
type FormMedicine = { name: string; at: Date; days: number | null }

const MOST_EVENTS = 300
const DAYS_OF: Record<string, number> = { hours: 1 / 24, days: 1, weeks: 7, months: 30, years: 365 }

/**
 * The medicines that were written into forms about a patient, newest form first, each name once.
 */
export async function formMedicinesOf(
  db: Kysely<DB>,
  patientId: string,
  exceptEventId?: string,
): Promise<FormMedicine[]> {
  // the day of the visit: a form from paper is typed later
  const { rows } = await sql<{ at: Date; form_data: unknown; form_fields: unknown }>`
    select coalesce(v.check_in_timestamp, e.created_at) as at, e.form_data, f.form_fields from events e
      left join visits v on v.id = e.visit_id left join event_forms f on f.id = e.form_id
    where e.patient_id = ${patientId} and not e.is_deleted and e.id is distinct from ${exceptEventId ?? null}::uuid
      and e.form_data @> '[{"fieldType": "medicine"}]'
    order by at desc, e.created_at desc, e.id desc limit ${MOST_EVENTS}`.execute(db)
  const all = rows.flatMap(({ at, form_data, form_fields }) =>
    medicinesIn(form_data, form_fields).map((medicine) => ({
      name: nameOf(medicine),
      at,
      days: daysOf(medicine),
    })),
  )
  return [
    ...new Map(all.toReversed().map((one) => [one.name.toLowerCase(), one])).values(),
  ].toReversed()
}

/**
 * The names in one form's stored answers, as the checks read them: of a choice of the form its
 * label.
 */
export const medicineNamesIn = (formData: unknown, formFields: unknown): string[] =>
  medicinesIn(formData, formFields).map(nameOf)

function medicinesIn(formData: unknown, formFields: unknown): Medicine[] {
  if (!Array.isArray(formData)) return []
  const labels = labelsIn(formFields)
  return formData
    .filter(
      (answer: unknown) => (answer as { fieldType?: unknown } | null)?.fieldType === 'medicine',
    )
    .flatMap((answer: { value: unknown }) => readMedicines(answer.value) ?? [])
    .filter((medicine) => nameOf(medicine) !== '')
    .map((medicine) => ({ ...medicine, name: labels.get(nameOf(medicine)) ?? nameOf(medicine) }))
}

const nameOf = ({ name }: Medicine) => typed(name).trim()

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

function daysOf({ duration, durationUnits }: Medicine): number | null {
  const count = Number(latinDigits(typed(duration)).trim() || Number.NaN)
  const unit = DAYS_OF[typed(durationUnits)]
  return Number.isFinite(count) && count > 0 && unit ? count * unit : null
}
