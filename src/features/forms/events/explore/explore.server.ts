import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { DB } from '~/db/types'
import { readForm } from '~/features/forms/event-forms/event-forms.server'
import { patientName } from '~/features/people/patients/patient'
import { answerKind } from '~/forms/answers'
import type { Definition } from '~/forms/checked-definition'
import { type EventFormField, storedFields, storedTranslations } from '~/forms/definition'
import { readFormAnswers } from '~/forms/form-answers'
import { localized } from '~/forms/translations'
import { type Context, query } from '~/server/operation'
import { byName, containing, inPermittedClinics } from '~/server/scope'
import { patientsOfRows } from '~/server/shown'
import { mayAnywhere } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import type { Language } from '~/shared/language'
import type { Permission } from '~/shared/permissions'
import { PAGE_SIZE } from '~/shared/record'
import { addDays, clinicTimeZone, momentAt } from '~/shared/zone'
import { type EventFilter, ListByForm, SORTS } from './explore'
import { happenedAt } from '../happened.server'
import { loadFormVersions } from '../shown.server'

/**
 * The answers to a form that its filter keeps, of the visits of clinics where the actor holds every
 * one of the permissions.
 */
export async function selectMatchingEvents(
  { db, actor }: Context,
  filter: EventFilter,
  ...permissions: Permission[]
) {
  const { formId, clinicId, from, to, patientId } = filter
  const zone = clinicTimeZone()
  const start = from ? momentAt(`${from}T00:00`, zone) : null
  const end = to ? momentAt(`${addDays(to, 1)}T00:00`, zone) : null
  const condition = filter.field ? await answeredWith(db, filter) : undefined
  let found = db
    .selectFrom('events')
    .innerJoin('visits', 'visits.id', 'events.visit_id')
    .innerJoin('event_answers', 'event_answers.event_id', 'events.id')
    .where('events.is_deleted', '=', false)
    .where('events.form_id', '=', formId)
    .$if(!!clinicId, (q) => q.where('visits.clinic_id', '=', clinicId!))
    .$if(!!patientId, (q) => q.where('events.patient_id', '=', patientId!))
    .$if(start !== null, (q) => q.where(happenedAt, '>=', start!))
    .$if(end !== null, (q) => q.where(happenedAt, '<', end!))
    .$if(condition !== undefined, (q) => q.where(condition!))
  for (const permission of permissions)
    found = found.where(inPermittedClinics(actor, 'visits.clinic_id', permission))
  return found
}

/** The question by whatever version asked it, the newest first. */
async function findQuestion(
  db: Kysely<DB>,
  formId: string,
  fieldId: string,
): Promise<EventFormField | undefined> {
  return (await loadQuestions(db, formId)).find(({ id }) => id === fieldId)
}

/** The answer to a question, as jsonb and as text. */
const answerJsonSql = (fieldId: string) => sql`event_answers.answers -> ${fieldId}::text`
const answerTextSql = (fieldId: string) => sql<string>`(event_answers.answers ->> ${fieldId}::text)`

async function answeredWith(
  db: Kysely<DB>,
  { formId, field: fieldId = '', value, least, most }: EventFilter,
) {
  const question = await findQuestion(db, formId, fieldId)
  const kind = question && answerKind(question)
  if (!question || !kind) throw invalid({ field: { key: 'explore.noSuchQuestion' } })
  const conditions: Expression<SqlBool>[] = []
  if (value !== undefined && value !== '') conditions.push(isAnswered(fieldId, kind, value))
  if (kind === 'number') {
    const [from, to] = [least ? Number(least) : -Infinity, most ? Number(most) : Infinity]
    if (Number.isNaN(from) || Number.isNaN(to))
      throw invalid({ least: { key: 'validation.number' } })
    // a range asks for the number once, two comparisons would work it out twice
    const range = sql`numrange(${from}::numeric, ${to}::numeric, '[]')`
    if (from > to) conditions.push(sql<boolean>`false`)
    else if (least || most)
      conditions.push(sql<boolean>`${range} @> answer_number(${answerJsonSql(fieldId)})`)
  } else {
    // days are written year first
    if (least) conditions.push(sql<boolean>`left(${answerTextSql(fieldId)}, 10) >= ${least}`)
    if (most) conditions.push(sql<boolean>`left(${answerTextSql(fieldId)}, 10) <= ${most}`)
  }
  return sql<boolean>`(${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`})`
}

/** One of the options by the index of what is contained; words anywhere in what was written. */
function isAnswered(
  fieldId: string,
  kind: NonNullable<ReturnType<typeof answerKind>>,
  value: string,
): Expression<SqlBool> {
  const isExactly = (exact: unknown) =>
    sql<boolean>`event_answers.answers @> ${JSON.stringify({ [fieldId]: exact })}::jsonb`
  if (kind === 'choice') return isExactly(value)
  if (kind === 'tick') return sql<boolean>`(${isExactly(true)} or ${isExactly(value)})`
  if (kind === 'choices') {
    return sql<boolean>`(${isExactly([value])} or ${value} = any(string_to_array(${answerTextSql(fieldId)}, '; ')))`
  }
  return sql<boolean>`${answerTextSql(fieldId)} ilike ${containing(value)}`
}

/** Every question of any version of a form: first those of the newest, then those that it no longer has. */
async function loadQuestions(
  db: Kysely<DB>,
  formId: string,
  language?: Language,
): Promise<EventFormField[]> {
  const versions = await db
    .selectFrom('event_form_versions as v')
    .select(['version', 'name', 'description', 'language', 'form_fields', 'translations'])
    .where('form_id', '=', formId)
    .orderBy('version', 'desc')
    .limit(MOST_VERSIONS)
    .execute()
  const questions = new Map<string, EventFormField>()
  for (const stored of versions) {
    const form = {
      ...stored,
      language: stored.language as Definition['language'],
      form_fields: storedFields(stored.form_fields),
      translations: storedTranslations(stored.translations),
    }
    for (const field of (language ? localized(form, language) : form).form_fields) {
      if (answerKind(field) && !questions.has(field.id)) questions.set(field.id, field)
    }
  }
  return [...questions.values()]
}

/** What was asked longer ago has no column of its own. */
const MOST_VERSIONS = 20

/** The columns of a form's answers: which are asked now, which were. */
export async function columnsOfForm(ctx: Context, formId: string, language: Language) {
  const form = await readForm(ctx, formId)
  const asked = new Set(form.form_fields.map(({ id }) => id))
  const questions = await loadQuestions(ctx.db, formId, language)
  const { name } = localized(form, language)
  return {
    name,
    columns: questions.map((question) => ({ question, isAsked: asked.has(question.id) })),
  }
}

type Order = { sort?: string; direction?: 'asc' | 'desc' }

/** The ids of what the filter keeps, in order: the whole of it for a file, a page of it for the screen. */
export async function idsInOrder(
  ctx: Context,
  filter: EventFilter,
  { sort, direction }: Order,
  permissions: Permission[],
  page?: number,
) {
  const found = await selectMatchingEvents(ctx, filter, ...permissions)
  const way = sql.raw(
    direction === 'asc' || (!direction && sort && sort !== 'recorded') ? 'asc' : 'desc',
  )
  const ordered = await answerOrder(ctx.db, filter.formId, sort)
  const rows = await found
    .leftJoin('patients', 'patients.id', 'events.patient_id')
    .leftJoin('clinics', 'clinics.id', 'visits.clinic_id')
    .select('events.id')
    .$if(ordered !== null, (q) => q.orderBy(sql`${ordered!} ${way} nulls last`))
    .orderBy(happenedAt, ordered === null && direction === 'asc' ? 'asc' : 'desc')
    .orderBy('events.created_at', 'desc')
    .orderBy('events.id', 'desc')
    .$if(page !== undefined, (q) => q.limit(PAGE_SIZE).offset((page! - 1) * PAGE_SIZE))
    .execute()
  return rows.map(({ id }) => id)
}

async function answerOrder(db: Kysely<DB>, formId: string, sort: string | undefined) {
  if (!sort || sort === 'recorded') return null
  if (sort === 'patient')
    return sql`concat_ws(' ', patients.surname, patients.given_name) collate names`
  if (sort === 'clinic') return byName('clinics.name')
  const question = await findQuestion(db, formId, sort)
  const kind = question && answerKind(question)
  if (!kind) return null
  if (kind === 'number') return sql`answer_number(${answerJsonSql(sort)})`
  if (kind === 'choice' && 'options' in question) {
    const values = question.options.map(({ value }) => value)
    return sql`array_position(${values}::text[], ${answerTextSql(sort)})`
  }
  return sql`left(${answerTextSql(sort)}, 200) collate names`
}

/** What a table or a file needs of these events, in this order. */
export async function loadEventRows(
  { db, actor }: Context,
  ids: readonly string[],
  language: Language = actor.language,
) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('events')
    .innerJoin('visits', 'visits.id', 'events.visit_id')
    .innerJoin('clinics', 'clinics.id', 'visits.clinic_id')
    .innerJoin('patients', 'patients.id', 'events.patient_id')
    .leftJoin('users', 'users.id', 'events.recorded_by_user_id')
    .select([
      'events.id',
      'events.patient_id',
      'events.form_id',
      'form_version',
      'form_data',
      'events.created_at',
      happenedAt.as('happened_at'),
    ])
    .select(['given_name', 'surname', 'clinics.name as clinic', 'users.name as recorded_by'])
    .where('events.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  const versionOf = await loadFormVersions(db, rows)
  const read = new Map<Definition, EventFormField[]>()
  const zone = clinicTimeZone()
  const byId = new Map(
    rows.map(({ form_data, given_name, surname, ...row }) => {
      const version = versionOf(row)
      const fields = read.get(version) ?? localized(version, language).form_fields
      read.set(version, fields)
      return [
        row.id,
        {
          ...row,
          patient: patientName({ given_name, surname }),
          answers: readFormAnswers(fields, form_data, zone),
        },
      ]
    }),
  )
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** One page of the answers to a form, a column for each question; `columns` in the reader's language. */
export const listByForm = query('events.byForm', {
  access: 'answers',
  reads: ['events'],
  looksUp: ['clinics', 'event_forms', 'patients', 'users', 'visits'],
  input: ListByForm,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { page, sort, direction, ...filter }) {
    const { name, columns } = await columnsOfForm(ctx, filter.formId, ctx.actor.language)
    const isKnown =
      !sort ||
      SORTS.some((one) => one === sort) ||
      columns.some(({ question }) => question.id === sort)
    if (!isKnown) throw invalid({ sort: { key: 'explore.noSuchQuestion' } })
    const ids = await idsInOrder(ctx, filter, { sort, direction }, ['can_view_history'], page)
    const { total } = await (
      await selectMatchingEvents(ctx, filter, 'can_view_history')
    )
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return {
      name,
      columns,
      rows: await loadEventRows(ctx, ids),
      pagination: { page, pageSize: PAGE_SIZE, total },
    }
  },
  shows: patientsOfRows,
})

export type ExploredRow = Awaited<ReturnType<typeof listByForm>>['rows'][number]
export type ExploredColumn = Awaited<ReturnType<typeof listByForm>>['columns'][number]
