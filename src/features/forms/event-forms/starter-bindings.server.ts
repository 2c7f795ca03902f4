import { type Kysely, sql } from 'kysely'
import { v5, v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import type { Starter } from '~/forms/starter-read'
import { STARTERS } from '~/forms/starters'

/** The id that a field of the library has in a form installed from it. */
const ownFieldId = (fieldId: string, formId: string) => v5(fieldId, formId)

/**
 * Says which answers of an installed form hold concepts of reports. Fields that the form lacks are
 * left out; bindings that exist, or that an administrator deleted, stay as they are.
 */
async function bindStarter(
  db: Kysely<DB>,
  { concepts }: Starter,
  form: { id: string; fieldIds: ReadonlySet<string> },
): Promise<number> {
  const own = (fieldId: string | null | undefined) =>
    fieldId ? ownFieldId(fieldId, form.id) : null
  const wanted = concepts
    .map(({ concept, fieldId, option, when }) => ({
      concept,
      field_id: own(fieldId),
      option,
      when_field_id: own(when?.fieldId),
      when_option: when?.option ?? null,
    }))
    .filter(({ field_id, when_field_id }) =>
      [field_id, when_field_id].every((id) => id === null || form.fieldIds.has(id)),
    )
  if (wanted.length === 0) return 0
  const known = await db
    .selectFrom('report_bindings')
    .select(['concept', 'field_id', 'option', 'when_field_id', 'when_option'])
    .where('form_id', '=', form.id)
    .execute()
  const bindingKey = (binding: (typeof wanted)[number]) =>
    JSON.stringify([
      binding.concept,
      binding.field_id,
      binding.option,
      binding.when_field_id,
      binding.when_option,
    ])
  const keys = new Set(known.map(bindingKey))
  const missing = wanted.filter((binding) => !keys.has(bindingKey(binding)))
  if (missing.length === 0) return 0
  await db
    .insertInto('report_bindings')
    .values(missing.map((binding) => ({ id: uuidv7(), form_id: form.id, ...binding })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return missing.length
}

/**
 * Binds the forms that were installed from the library before it named concepts. The ids of their
 * fields follow from the library's. A form that a clinic made is bound by an administrator.
 */
export async function bindInstalledForms(db: Kysely<DB>): Promise<number> {
  const forms = await fieldsOfForms(db).execute()
  let count = 0
  for (const form of forms) count += await bindOwn(db, form)
  return count
}

/** Binds a form that was installed from the library; any other form stays as it is. */
export async function bindForm(db: Kysely<DB>, formId: string): Promise<number> {
  const form = await fieldsOfForms(db).where('id', '=', formId).executeTakeFirst()
  return form ? bindOwn(db, form) : 0
}

const fieldsOfForms = (db: Kysely<DB>) =>
  db
    .selectFrom('event_forms')
    .select(['id', sql<string[]>`jsonb_path_query_array(form_fields, '$[*].id')`.as('fieldIds')])
    .where('is_deleted', '=', false)

async function bindOwn(db: Kysely<DB>, { id, fieldIds }: { id: string; fieldIds: string[] }) {
  const form = { id, fieldIds: new Set(fieldIds) }
  const starter = findOriginStarter(form)
  return starter ? bindStarter(db, starter, form) : 0
}

/** The form of the library that holds at least half of the form's fields. */
function findOriginStarter({ id, fieldIds }: { id: string; fieldIds: ReadonlySet<string> }) {
  const shared = ({ form }: Starter) =>
    form.form_fields.filter((field) => fieldIds.has(ownFieldId(field.id, id))).length
  return STARTERS.find((starter) => fieldIds.size > 0 && shared(starter) >= fieldIds.size / 2)
}
