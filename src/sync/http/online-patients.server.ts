import { type Expression, type SqlBool, sql } from 'kysely'
import { idsOfAll } from '~/features/patients/search.server'
import { firstForm } from '~/features/registration-form/registration-forms.server'
import type { Context } from '~/server/operation'
import { can } from '~/shared/actor'
import { type Params, unknownCall } from './call'
import { isId } from '../schema/kinds'

/** The filters that compare a part of a column's text. */
const TEXTS = [
  'surname',
  'phone',
  'hometown',
  'citizenship',
  'camp',
  'government_id',
  'external_patient_id',
]

/**
 * The ids of the patients whom every filter fits, as the web's list finds them. The app puts what is typed into its
 * search box into `given_name`, so that one is searched as the web's search box is: any part of name, phone and ids.
 */
export async function findPatients(
  ctx: Context,
  filters: Record<string, string | number | null>,
): Promise<string[]> {
  if (!can(ctx.actor, 'read_patient')) return []
  const { given_name: typed, ...others } = Object.fromEntries(
    Object.entries(filters).map(([column, value]) => [column, String(value ?? '').trim()]),
  )
  const conditions = Object.entries(others)
    .filter(([, value]) => value !== '')
    .map(([column, value]) => condition(column, value!))
  const only = (patientId: string) =>
    conditions.length === 0
      ? sql<SqlBool>`true`
      : sql<SqlBool>`exists (select from patients p where p.id = ${sql.ref(patientId)} and ${sql.join(conditions, sql` and `)})`
  return idsOfAll(ctx, { search: typed || undefined }, only)
}

function condition(column: string, value: string): Expression<SqlBool> {
  const ref = sql.ref(`p.${column}`)
  if (TEXTS.includes(column)) return sql`position(lower(${value}) in lower(${ref})) > 0`
  if (column === 'sex') return sql`lower(p.sex) = lower(${value})`
  // a year, a month of a year or a day
  if (column === 'date_of_birth')
    return sql`starts_with(p.date_of_birth::text, ${value.slice(0, 10)})`
  if (column === 'primary_clinic_id' && isId(value)) return sql`p.primary_clinic_id = ${value}`
  // ignoring it would show patients who do not fit
  throw unknownCall()
}

/** The registration form's fields, and the patient's answers by the id of the field. */
export async function patientForm(ctx: Context, patient: Params, attributes: readonly Params[]) {
  const { fields } = await firstForm(ctx.db)
  const answers = new Map(
    attributes.map((attribute) => [attribute['attribute_id'], answerOf(attribute)]),
  )
  const values: Params = {}
  for (const { id, column, baseField } of fields) {
    const value = baseField ? patient[column] : answers.get(id)
    if (value !== undefined && value !== null) values[id] = value
  }
  return { fields: fields.map(({ id, column, baseField }) => ({ id, column, baseField })), values }
}

const answerOf = (attribute: Params) =>
  ['number_value', 'date_value', 'boolean_value', 'string_value']
    .map((column) => attribute[column])
    .find((value) => value !== null && value !== undefined)
