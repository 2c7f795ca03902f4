import ar from '../../../../messages/ar.json'
import en from '../../../../messages/en.json'
import es from '../../../../messages/es.json'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { type Context, mutation, NoInput, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { type Message, AppError, invalid, notFound } from '~/shared/errors'
import { type BaseColumnName, patientColumn } from '~/records/patient'
import type { MessageKey, Translated } from '~/shared/language'
import { PERMISSIONS } from '~/shared/permissions'
import {
  BASE_FIELDS,
  baseTypes,
  isLanguageField,
  LANGUAGE_FIELD,
  type RegistrationField,
  missingBaseColumns,
  type RegistrationForm,
  SaveForm,
} from './registration-form'
import { cascadesByField, decodeFields, encodeFields, withCascades } from './stored-fields'

const live = (db: Kysely<DB>) =>
  db
    .selectFrom('registration_forms')
    .select(['id', 'name', 'fields', 'cascades', 'clinic_id', 'last_modified'])
    .where('is_deleted', '=', false)
    .orderBy('server_created_at')
    .orderBy('id')

/**
 * The first form, which screens and phones use. A base column that is newer than the form is a
 * hidden field at its end. Throws `not_found` if every form is deleted.
 */
export async function firstForm(db: Kysely<DB>): Promise<RegistrationForm> {
  const form = await live(db).modifyFront(asPrepared()).limit(1).executeTakeFirst()
  if (!form) throw notFound('registration.noForm')
  const stored = withCascades(decodeFields(form.fields), form.cascades)
  const missing = missingBaseColumns(stored).map((column, at) =>
    hiddenField(column, stored.length + at + 1),
  )
  const fields = [...stored, ...missing]
  return {
    id: form.id,
    name: form.name,
    fields: fields.some(isLanguageField) ? fields : [...fields, languageField(fields.length + 1)],
    last_modified: form.last_modified,
  }
}

/** In a form that was stored before the language was one of its fields: shown at its end, where the web asked it. */
const languageField = (position: number): RegistrationField => ({
  ...LANGUAGE_FIELD,
  position,
  label: translateLabel('patients.language'),
  fieldType: 'text',
  options: [],
  required: false,
  baseField: true,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
})

/**
 * A label in every language. Not by `sentence`, whose package loads React: the background jobs load
 * this file, and need no React.
 */
const translateLabel = (label: MessageKey) =>
  Object.fromEntries(
    Object.entries({ en, ar, es }).map(([language, messages]) => {
      const [section = '', name = ''] = label.split('.')
      return [language, (messages as Record<string, Record<string, unknown>>)[section]?.[name]]
    }),
  ) as Translated

function hiddenField(column: BaseColumnName, position: number): RegistrationField {
  const { label } = patientColumn(column)
  return {
    id: BASE_FIELDS[column],
    position,
    column,
    label: label ? translateLabel(label) : {},
    fieldType: baseTypes(column)[0]!,
    options: [],
    required: false,
    baseField: true,
    visible: false,
    deleted: false,
    showsInSummary: false,
    isSearchField: false,
  }
}

export const getRegistrationForm = query('registrationForm.get', {
  reads: ['registration_forms'],
  input: NoInput,
  allow: ({ actor }) => mayAnywhere(actor, ...PERMISSIONS),
  run: ({ db }) => firstForm(db),
})

export const listRegistrationForms = query('registrationForm.list', {
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db }) {
    const forms = await live(db).limit(100).execute()
    return forms.map(({ fields, cascades: _tables, ...form }) => ({
      ...form,
      fields: decodeFields(fields).length,
    }))
  },
})

/** The ids of the form's fields with stored answers: their types can no longer change. */
export const answeredFields = query('registrationForm.answered', {
  reads: ['registration_forms'],
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  run: async ({ db }) => findAnsweredFields(db, (await firstForm(db)).fields),
})

/**
 * A field that is missing from the saved form is marked as deleted and can be restored, so its
 * answers stay readable. Base fields stay, and a field with answers keeps its type.
 */
export const saveRegistrationForm = mutation('registrationForm.save', {
  input: SaveForm,
  allow: ({ actor }) => isAdmin(actor),
  run: saveForm,
})

async function saveForm(
  ctx: Context,
  { id, last_modified, name, fields }: z.output<typeof SaveForm>,
) {
  const before = await ctx.db
    .selectFrom('registration_forms')
    .select(['name', 'fields', 'cascades', 'last_modified'])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .forUpdate()
    .executeTakeFirst()
  const storedFields = before ? withCascades(decodeFields(before.fields), before.cascades) : []
  const cascadeById = new Map(storedFields.map(({ id: fieldId, cascade }) => [fieldId, cascade]))
  const removed = storedFields.filter((old) => !fields.some((field) => field.id === old.id))
  const next = [
    ...fields.map((field) =>
      field.cascade === undefined ? { ...field, cascade: cascadeById.get(field.id) } : field,
    ),
    ...removed.map((field) => ({ ...field, deleted: !field.baseField })),
  ]
  refuseSameColumn(fields, removed)
  await refuseRetyping(ctx.db, storedFields, next)

  const cascades = cascadesByField(next)
  const encoded = JSON.stringify(encodeFields(next))
  // jsonb reorders keys, so a repeated request is detected here
  if (
    before &&
    before.name === name &&
    isDeepStrictEqual(decodeFields(JSON.parse(encoded)), decodeFields(before.fields)) &&
    isDeepStrictEqual(cascades, before.cascades)
  ) {
    return { id, last_modified: before.last_modified }
  }
  if (!before && last_modified) throw notFound('registration.noForm')
  return saveRecord(
    ctx,
    'registration_forms',
    { id, last_modified, name, fields: encoded, cascades: JSON.stringify(cascades) },
    'registration.noForm',
  ).catch(withoutJson)
}

/** A conflict about the fields would show users their JSON. */
function withoutJson(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
  const { fields: _json, cascades: _tables, ...others } = error.fields
  throw new AppError(error.code, error.text, others)
}

/** Stored answers are named by column, so a new field cannot reuse the column of a removed one. */
function refuseSameColumn(fields: { column: string }[], removed: { column: string }[]) {
  const taken = removed.map(({ column }) => column.toLowerCase())
  const clashes = fields.flatMap(({ column }, at): [string, Message][] =>
    taken.includes(column.toLowerCase())
      ? [[`fields.${at}.column`, { key: 'formEditor.sameColumn' }]]
      : [],
  )
  if (clashes.length > 0) throw invalid(Object.fromEntries(clashes))
}

async function refuseRetyping(
  db: Kysely<DB>,
  before: RegistrationField[],
  after: Omit<RegistrationField, 'position'>[],
) {
  const typeBefore = new Map(before.map((field) => [field.id, field.fieldType]))
  const retyped = after.filter(
    ({ id, fieldType, baseField }) =>
      !baseField && typeBefore.has(id) && typeBefore.get(id) !== fieldType,
  )
  const answered = new Set(await findAnsweredFields(db, retyped))
  const errors = after.flatMap(({ id }, at): [string, Message][] =>
    answered.has(id) ? [[`fields.${at}.fieldType`, { key: 'formEditor.answered' }]] : [],
  )
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
}

async function findAnsweredFields(
  db: Kysely<DB>,
  fields: readonly Pick<RegistrationField, 'id' | 'baseField'>[],
): Promise<string[]> {
  const ids = fields.filter(({ baseField }) => !baseField).map(({ id }) => id)
  if (ids.length === 0) return []
  const found = await sql<{ id: string }>`select asked.id from unnest(${ids}::text[]) asked (id)
    where exists (select from patient_additional_attributes a
      where a.attribute_id = asked.id and not a.is_deleted)`.execute(db)
  return found.rows.map(({ id }) => id)
}
