import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import type { Definition } from '~/forms/checked-definition'
import { storedFields, storedTranslations, type Translation } from '~/forms/definition'
import { completeTranslations } from '~/forms/translations'
import { eventFormRecord } from '~/records/event-form'
import { type Context, mutation, type On, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName, containing } from '~/server/scope'
import { type Actor, clinicsWhere, mayAnywhere } from '~/shared/actor'
import { AppError, forbidden, invalid, notFound } from '~/shared/errors'
import { isLanguage, type Language } from '~/shared/language'
import { PERMISSIONS } from '~/shared/permissions'
import {
  CopyEventForm,
  type EventForm,
  EventFormId,
  FormSwitchInput,
  ListEventForms,
  mayAdminister,
  SaveEventForm,
} from './event-form'

/** Users who work in a clinic read its forms. */
export const readsForms = ({ actor }: { actor: Actor }) => mayAnywhere(actor, ...PERMISSIONS)
/** The actor administers a clinic; the write checks whether it is all those of the form. */
export const writesForms = ({ actor }: { actor: Actor }) => mayAnywhere(actor, 'is_clinic_admin')

const live = (db: Kysely<DB>) => db.selectFrom('event_forms').where('is_deleted', '=', false)

/** A `where` for the forms of the clinics where the actor works. */
function readable(actor: Actor) {
  const clinics = clinicsWhere(actor, ...PERMISSIONS)
  if (clinics === 'all') return sql<boolean>`true`
  return sql<boolean>`(clinic_ids = '{}' or clinic_ids && ${clinics}::uuid[])`
}

const answersOf = sql<number>`(select count(*) from events where form_id = event_forms.id and not events.is_deleted)`
/** Headings and lines are no questions. */
export const questionsOf = sql<number>`(select count(*) from jsonb_array_elements(form_fields) field
  where field ->> 'fieldType' not in ('text', 'separator'))`
/** The name in the reader's language, as far as it was translated. */
const nameIn = (
  language: Language,
) => sql<string>`coalesce(nullif(jsonb_path_query_first(translations,
  '$[*] ? (@.fieldId == "__form_name__").name') ->> ${language}, ''), name)`

/** One page of the forms of the user's clinics, by name. */
export const listEventForms = query('eventForms.list', {
  reads: ['event_forms', 'events'],
  input: ListEventForms,
  allow: readsForms,
  async run({ db, actor }, { search, page, clinicId, language }) {
    const found = live(db)
      .where(readable(actor))
      .$if(Boolean(search), (q) => q.where(nameIn(actor.language), 'ilike', containing(search!)))
      .$if(language !== undefined, (q) => q.where('language', '=', language!))
      .$if(clinicId !== undefined, (q) =>
        q.where(sql<boolean>`(clinic_ids = '{}' or ${clinicId}::uuid = any(clinic_ids))`),
      )
    return loadListPage(
      found
        .select([
          'id',
          nameIn(actor.language).as('name'),
          'language',
          'is_editable',
          'is_snapshot_form',
          'clinic_ids',
          'version',
          'last_modified',
          questionsOf.as('fields'),
          answersOf.as('answers'),
        ])
        .orderBy(byName('name'))
        .orderBy('id'),
      found,
      page,
    )
  },
})

/** One form, whole. */
export const getEventForm = query('eventForms.get', {
  reads: ['event_forms'],
  looksUp: ['events'],
  input: EventFormId,
  allow: readsForms,
  run: (ctx, { id }) => readForm(ctx, id),
})

/**
 * Creates or changes a form. A changed definition becomes its next version; answers keep theirs.
 * The caller must administer every clinic that it was for and will be for.
 */
export const saveEventForm = mutation('eventForms.save', {
  input: SaveEventForm,
  allow: writesForms,
  run: saveForm,
})

/** The same questions under another name, for the clinics that the caller administers. */
export const duplicateEventForm = mutation('eventForms.duplicate', {
  input: CopyEventForm,
  allow: writesForms,
  async run(ctx, { id, copyId, name }) {
    const { is_editable, is_snapshot_form, clinic_ids, language, ...form } = await readForm(ctx, id)
    const own = clinicsWhere(ctx.actor, 'is_clinic_admin')
    const clinics = own === 'all' || mayAdminister(ctx.actor, clinic_ids) ? clinic_ids : own
    const { description, form_fields } = form
    // the copy has one name of its own, whatever the language
    const translations = form.translations.filter(({ fieldId }) => fieldId !== '__form_name__')
    const copy = {
      name,
      description,
      language,
      form_fields,
      translations,
      is_editable,
      is_snapshot_form,
    }
    return saveForm(ctx, { id: copyId, ...copy, clinic_ids: clinics })
  },
})

/** The form, locked: to users who read it and administer every clinic that it is for. */
const changeable: On<{ id: string }, { name: string }> = {
  permits: (actor) => writesForms({ actor }),
  async rows({ db, actor }, { id }) {
    const form = await live(db)
      .where('id', '=', id)
      .where(readable(actor))
      .select(['name', 'clinic_ids'])
      .forUpdate()
      .executeTakeFirst()
    if (!form) throw notFound('eventForms.notFound')
    if (!mayAdminister(actor, form.clinic_ids)) throw forbidden()
    return form
  },
}

/** Whether answers may be changed after they are saved. */
export const setEditable = mutation('eventForms.setEditable', {
  input: FormSwitchInput,
  on: changeable,
  run: (ctx, { id, on }) => setSwitch(ctx, id, { is_editable: on }),
})

/** Whether the form's newest answer shows in a patient's summary. */
export const setSnapshot = mutation('eventForms.setSnapshot', {
  input: FormSwitchInput,
  on: changeable,
  run: (ctx, { id, on }) => setSwitch(ctx, id, { is_snapshot_form: on }),
})

/** Into the trash. Its answers stay readable, each with its version. */
export const deleteEventForm = mutation('eventForms.delete', {
  input: EventFormId,
  on: changeable,
  run: (ctx, { id }, { name }) => deleteRecord(ctx, 'event_forms', id, name),
})

/** Throws `not_found` for a form of clinics where the actor does not work, as for a missing one. */
export async function readForm(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  id: string,
): Promise<EventForm> {
  const row = await live(db)
    .where('id', '=', id)
    .where(readable(actor))
    .select(['id', ...EDITED, 'version', 'last_modified', answersOf.as('answers')])
    .executeTakeFirst()
  if (!row) throw notFound('eventForms.notFound')
  return { ...row, ...toDefinition(row) }
}

const EDITED = eventFormRecord.names.filter((name) => name !== 'metadata')

type StoredDefinition = Pick<EventForm, 'name' | 'description'> & {
  language: string
  form_fields: unknown
  translations: unknown
}

/** The definition, read from a row of forms or of their versions. */
export const toDefinition = ({
  name,
  description,
  language,
  form_fields,
  translations,
}: StoredDefinition): Definition => ({
  name,
  description,
  language: isLanguage(language) ? language : 'en',
  form_fields: storedFields(form_fields),
  translations: storedTranslations(translations),
})

function setSwitch(
  ctx: Context,
  id: string,
  value: { is_editable: boolean } | { is_snapshot_form: boolean },
) {
  return ctx.db
    .updateTable('event_forms')
    .set({ ...value, updated_at: new Date() })
    .where('id', '=', id)
    .returning(['id', 'last_modified'])
    .executeTakeFirstOrThrow()
}

export async function saveForm(
  ctx: Context,
  { id, last_modified, ...form }: z.output<typeof SaveEventForm>,
) {
  const before = await live(ctx.db).where('id', '=', id).selectAll().forUpdate().executeTakeFirst()
  if (before) await changeable.rows(ctx, { id })
  else if (last_modified) throw notFound('eventForms.notFound')
  if (!mayAdminister(ctx.actor, form.clinic_ids)) throw notTheirs()
  await requireClinics(ctx.db, form.clinic_ids)

  const stored = before ? storedTranslations(before.translations) : []
  const translations = stamped(completeTranslations(form), stored)
  const next = { ...form, translations }
  if (
    before &&
    isDeepStrictEqual(plain(next), plain({ ...pick(before, next), ...toDefinition(before) }))
  )
    return { id, last_modified: before.last_modified }
  const json = {
    form_fields: JSON.stringify(form.form_fields),
    translations: JSON.stringify(translations),
  }
  return saveRecord(ctx, 'event_forms', { id, last_modified, ...form, ...json }).catch(withoutJson)
}

/** Refused beside the list of clinics, as the rest of the form may be kept. */
function notTheirs() {
  const text = { key: 'eventForms.clinicsNotYours' } as const
  return new AppError('forbidden', text, { clinic_ids: text })
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const pick = (row: object, like: object) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(like, name)))

async function requireClinics(db: Kysely<DB>, ids: readonly string[]) {
  const found = await db
    .selectFrom('clinics')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('is_deleted', '=', false)
    .execute()
  if (found.length < ids.length) throw invalid({ clinic_ids: { key: 'clinics.notFound' } })
}

/** Phones read when each text was created and last changed. */
function stamped(translations: Translation[], before: Translation[]): Translation[] {
  const now = new Date().toISOString()
  return translations.map(({ createdAt: _made, updatedAt: _changed, ...entry }) => {
    const old = before.find(({ fieldId }) => fieldId === entry.fieldId)
    if (!old) return { ...entry, createdAt: now, updatedAt: now }
    const { createdAt = now, updatedAt = now, ...words } = old
    return {
      ...entry,
      createdAt,
      updatedAt: isDeepStrictEqual(plain(words), plain(entry)) ? updatedAt : now,
    }
  })
}

/** "Now: [{...}]" says nothing about a list of fields. */
function withoutJson(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
  const { form_fields: _fields, translations: _texts, version: _version, ...others } = error.fields
  throw new AppError(error.code, error.text, others)
}
