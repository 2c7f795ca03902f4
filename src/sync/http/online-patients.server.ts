import { type Expression, type SqlBool, sql } from 'kysely'
import { idsOfAll } from '~/features/people/patients/search/search.server'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { patientColumn, patientRecord } from '~/records/patient'
import type { Context } from '~/server/operation'
import { can } from '~/shared/actor'
import { type Params, unknownCall } from './call'
import { isId } from '~/shared/id'

/**
 * The ids of the patients who match every filter, in the order of the web's list. The app sends the
 * text of its search box as `given_name`, so that filter works as the web's search box does: it
 * matches any part of name, phone and ids.
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
      : sql<SqlBool>`exists (select from patients p
          where p.id = ${sql.ref(patientId)} and ${sql.join(conditions, sql` and `)})`
  return idsOfAll(ctx, { search: typed || undefined }, only)
}

function condition(column: string, value: string): Expression<SqlBool> {
  const ref = sql.ref(`p.${column}`)
  switch (patientColumn(column).filter) {
    case 'part':
      return sql`position(lower(${value}) in lower(${ref})) > 0`
    case 'same':
      return sql`lower(${ref}) = lower(${value})`
    // a year, a month of a year or a day
    case 'start':
      return sql`starts_with(${ref}::text, ${value.slice(0, 10)})`
    case 'id':
      if (isId(value)) return sql`${ref} = ${value}`
  }
  // ignoring the filter would return patients who do not match
  throw unknownCall()
}

/**
 * The fields of the registration form that phones know, and the patient's answers by the id of the
 * field.
 */
export async function patientForm(ctx: Context, patient: Params, attributes: readonly Params[]) {
  const form = await firstForm(ctx.db)
  const fields = form.fields.filter(
    ({ baseField, column }) => !baseField || column in patientRecord.device,
  )
  const answers = new Map(
    attributes.map((attribute) => [attribute['attribute_id'], attributeAnswer(attribute)]),
  )
  const values: Params = {}
  for (const { id, column, baseField } of fields) {
    const value = baseField ? patient[column] : answers.get(id)
    if (value !== undefined && value !== null) values[id] = value
  }
  return { fields: fields.map(({ id, column, baseField }) => ({ id, column, baseField })), values }
}

const attributeAnswer = (attribute: Params) =>
  ['number_value', 'date_value', 'boolean_value', 'string_value']
    .map((column) => attribute[column])
    .find((value) => value !== null && value !== undefined)
