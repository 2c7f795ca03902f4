import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { loadFormVersion } from '~/features/forms/event-forms/event-form-versions.server'
import { readForm } from '~/features/forms/event-forms/event-forms.server'
import { vitalsIn } from '~/features/care/vitals/form-vitals'
import { checkFormVitals, writeFormVitals } from '~/features/care/vitals/form-vitals.server'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { answerKind, type AnswersByField, same } from '~/forms/answers'
import type { EventFormField } from '~/forms/definition'
import { readFormAnswers, buildFormData, settle } from '~/forms/form-answers'
import { historySave, type TableRow } from '~/policy/on.server'
import { mayWriteHistory } from '~/policy/require.server'
import { editHistory, editOthersEvents } from '~/policy/rules'
import { type Context, mutation } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { AppError, invalid, type Message, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { SaveEvent } from './event'
import { keepReasons, requireReasons } from './event-medicines.server'
import { requireFormForClinic, loadFormSubject } from './events.server'

/** Of one filled-in form, in characters of JSON: what a phone may send in one row. */
const LARGEST = 1_000_000

/**
 * Saves a completed form, or a change to it. Computed answers are computed again; hidden ones are not stored; an answer
 * from a phone stays verbatim unless it was changed. Errors are reported by the id of the question.
 */
export const saveEvent = mutation('events.save', {
  on: historySave('events', editHistory, { lock: true, repeated: true }),
  input: SaveEvent,
  async run(ctx, event, { patient, existing }) {
    const { id, last_modified, patient_id, visit_id, form_id } = event
    // an event moves neither to another visit nor to another form
    if (existing && (existing.visit_id !== visit_id || existing.form_id !== form_id))
      throw notFound('events.notFound')
    if (existing) await requireChangeable(ctx, existing)

    const zone = clinicTimeZone()
    const happenedAt = await resolveHappenedAt(ctx.db, visit_id, existing)
    if (!existing) requireLivingOn(patient, dayIn(happenedAt, zone), 'visit_id')
    const { version, form } = existing
      ? await loadAnsweredForm(ctx, existing)
      : await formToFill(ctx, event)
    const fields = form.form_fields
    const stored = existing?.form_data ?? []
    const before = readFormAnswers(fields, stored, zone)
    const subject = await loadFormSubject(
      ctx.db,
      patient,
      visit_id,
      existing && { ...existing, fields },
    )
    const given = { ...before, ...answersByQuestion(event.answers, fields) }
    const { answers, problems } = settle(fields, given, before, subject, {
      keepsFlawed: !event.check_plausible,
    })
    const missing = await missingFiles(ctx.db, id, patient_id, fields, answers, before)
    if (Object.keys({ ...problems, ...missing }).length > 0)
      throw invalid({ ...missing, ...problems })
    if (!existing && isUnanswered(fields, answers))
      throw new AppError('invalid', { key: 'events.nothingAnswered' })

    const form_data = buildFormData(fields, answers, stored, zone)
    // a repeated request changes nothing more
    if (existing && same(form_data, stored)) return { id, last_modified: existing.last_modified }
    const json = JSON.stringify(form_data)
    if (json.length > LARGEST) throw invalid({ answers: { key: 'answers.tooBig' } })
    const checked = await requireReasons(
      ctx,
      { id, patient_id, visit_id, fields, form_data, stored },
      event,
    )
    const vitals = await checkFormVitals(
      ctx,
      {
        eventId: id,
        patient,
        visitId: visit_id,
        happenedAt,
        vitals: vitalsIn(fields, answers),
        before: vitalsIn(fields, before),
      },
      event,
    )
    const made = {
      patient_id,
      visit_id,
      form_id,
      form_version: version,
      event_type: form.name,
      recorded_by_user_id: ctx.actor.userId,
    }
    const values = { id, last_modified, form_data: json, ...(!last_modified && made) }
    const saved = await saveRecord(ctx, 'events', values).catch(withoutJson)
    if (checked) await keepReasons(ctx, { id, patient_id, visit_id }, checked, event.overrides)
    if (vitals) await writeFormVitals(ctx, { eventId: id, patient, visitId: visit_id }, vitals)
    return saved
  },
})

/** As `happenedAt` of stored events. */
async function resolveHappenedAt(
  db: Kysely<DB>,
  visitId: string | null,
  existing: Existing | undefined,
): Promise<Date> {
  const visit = await db
    .selectFrom('visits')
    .select('check_in_timestamp')
    .where('id', '=', visitId)
    .executeTakeFirst()
  return visit?.check_in_timestamp ?? existing?.created_at ?? new Date()
}

/** Whether the form asks questions and none is answered; a computed answer does not count. */
function isUnanswered(fields: readonly EventFormField[], answers: AnswersByField): boolean {
  const asked = fields.filter((field) => answerKind(field) !== null && !field.rules?.compute)
  return asked.length > 0 && asked.every(({ id }) => answers[id] === undefined)
}

/** The answers by question. Only what the form asks, each once: a key such as `__proto__` is no question. */
function answersByQuestion(
  answers: SaveEvent['answers'],
  fields: Parameters<typeof settle>[0],
): Record<string, unknown> {
  const asked = new Set(
    fields.filter((field) => answerKind(field) !== null).map((field) => field.id),
  )
  const given: Record<string, unknown> = {}
  for (const { fieldId, value } of answers) {
    const values = { field: fieldId.slice(0, 40) }
    if (!asked.has(fieldId)) throw invalid({ answers: { key: 'answers.unknown', values } })
    if (Object.hasOwn(given, fieldId))
      throw invalid({ [fieldId]: { key: 'answers.twice', values } })
    given[fieldId] = value
  }
  return given
}

type Existing = TableRow<'events'>

/** Throws unless the actor may change an event of another user, and the form allows changes to its answers. */
async function requireChangeable(
  ctx: Context,
  { patient_id, visit_id, form_id, recorded_by_user_id }: Existing,
) {
  const isOwn = recorded_by_user_id === ctx.actor.userId
  if (!isOwn && !(await mayWriteHistory(ctx, editOthersEvents, patient_id, visit_id))) {
    throw new AppError('forbidden', { key: 'events.ofAnotherUser' })
  }
  const form = await ctx.db
    .selectFrom('event_forms')
    .select('is_editable')
    .where('id', '=', form_id)
    .executeTakeFirst()
  if (form?.is_editable === false) throw new AppError('conflict', { key: 'events.notEditable' })
}

/** The version of the form on which the event was answered. */
async function loadAnsweredForm(ctx: Context, { form_id, form_version }: Existing) {
  if (form_id === null || form_version === null)
    throw new AppError('conflict', { key: 'events.formUnknown' })
  return { version: form_version, form: await loadFormVersion(ctx, form_id, form_version) }
}

/** A form of the visit's clinic, in the version that the user filled in. */
async function formToFill(ctx: Context, { visit_id, form_id, form_version }: SaveEvent) {
  if (visit_id === null) throw invalid({ visit_id: { key: 'events.visitNeeded' } })
  const { clinic_ids, version, ...form } = await readForm(ctx, form_id)
  const { clinic_id } = await ctx.db
    .selectFrom('visits')
    .select('clinic_id')
    .where('id', '=', visit_id)
    .executeTakeFirstOrThrow()
  requireFormForClinic(clinic_ids, clinic_id)
  if (form_version === undefined || form_version === version) return { version, form }
  return { version: form_version, form: await loadFormVersion(ctx, form_id, form_version) }
}

/** A new file must have been sent for this answer, and be of a kind that the question takes. */
async function missingFiles(
  db: Kysely<DB>,
  eventId: string,
  patientId: string,
  fields: Parameters<typeof settle>[0],
  answers: AnswersByField,
  before: AnswersByField,
): Promise<Record<string, Message>> {
  const added = fields.flatMap((field) => {
    if (field.fieldType !== 'file') return []
    const known = new Set((before[field.id] ?? []) as string[])
    const files = (answers[field.id] ?? []) as string[]
    return files.filter((file) => !known.has(file)).map((file) => ({ field, file }))
  })
  if (added.length === 0) return {}
  const sent = await db
    .selectFrom('event_files')
    .select(['id', 'field_id', 'mime_type'])
    .where('event_id', '=', eventId)
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .execute()
  const problems: Record<string, Message> = {}
  for (const { field, file } of added) {
    const found = sent.find((one) => one.id === file && one.field_id === field.id)
    if (!found) problems[field.id] = { key: 'answers.fileMissing' }
    else if (!field.allowedMimeTypes.some((type) => type === found.mime_type)) {
      problems[field.id] = { key: 'answers.fileKindRefused' }
    }
  }
  return problems
}

/** A list of answers as JSON says nothing to the user: "Now: [{...}]". */
function withoutJson(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
  const { form_data: _json, ...others } = error.fields
  throw new AppError(error.code, error.text, others)
}
