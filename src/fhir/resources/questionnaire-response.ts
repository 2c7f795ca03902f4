import { sql } from 'kysely'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import { loadFormVersion } from '~/features/forms/event-forms/event-form-versions.server'
import { readForm } from '~/features/forms/event-forms/event-forms.server'
import { readFormAnswers, unknownAnswersIn } from '~/forms/form-answers'
import { type EventFormField, storedFields } from '~/forms/definition'
import { parseStored } from '~/db/stored-json'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import { clinicTimeZone } from '~/shared/zone'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import { bySubject, conditionalCodes, moment, referenceParameter, special } from '../parameters'
import { readKnownCode, requireElement } from '../parts'
import { compact, type Fhir, instant, refer, resource, type FhirRow, type Site } from '../resource'
import { questionnaireUrl, isBoolean } from './questionnaire'
import { isId } from '~/shared/id'
import { type FormAnswer, type AnswersByField, type Json, MEDICINE_PARTS } from '~/forms/answers'

export type ResponseRow = {
  patient_id: string
  visit_id: string | null
  form_id: string | null
  form_version: number | null
  form_data: unknown
  /** Of the version that was filled in, as JSON; null if no version is known. */
  form_fields: string | null
  recorded_by_user_id: string | null
  created_at: Date
}

/** The fields of the versions of which an export shows the answers, by their JSON: checking them takes longer. */
const checked = new Map<string, EventFormField[]>()
const CHECKED_AT_MOST = 100

function fieldsIn(json: string | null): readonly EventFormField[] {
  if (json === null) return []
  const checkedBefore = checked.get(json)
  if (checkedBefore) return checkedBefore
  const fields = storedFields(parseStored(json))
  if (checked.size >= CHECKED_AT_MOST) checked.clear()
  checked.set(json, fields)
  return fields
}

export function responseToFhir(row: ResponseRow, site: Site): Fhir {
  const fields = fieldsIn(row.form_fields)
  const answers = readFormAnswers(fields, row.form_data, clinicTimeZone())
  const version = row.form_version === null ? '' : `|${row.form_version}`
  return {
    resourceType: 'QuestionnaireResponse',
    ...compact({
      questionnaire: row.form_id && questionnaireUrl(site, row.form_id) + version,
      status: 'completed',
      subject: refer('Patient', row.patient_id),
      encounter: refer('Encounter', row.visit_id),
      authored: instant(row.created_at),
      author: refer('Practitioner', row.recorded_by_user_id),
      item: [
        ...fields.flatMap((field) => responseItems(field, answers[field.id] ?? null)),
        ...unknownItems(fields, row.form_data),
      ],
    }),
  }
}

/** Answers to questions that the version does not have, or of a form that is not known: as text. */
const unknownItems = (fields: readonly EventFormField[], stored: unknown) =>
  unknownAnswersIn(fields, stored).map(({ fieldId, name, value }) => ({
    linkId: fieldId,
    text: name,
    answer: [{ valueString: typeof value === 'string' ? value : JSON.stringify(value) }],
  }))

/** A question that has no answer has no item; each medicine is an item of its own. */
function responseItems(field: EventFormField, answer: FormAnswer): unknown[] {
  if (answer === null) return []
  const head = { linkId: field.id, text: field.name }
  if (field.fieldType !== 'medicine') return [{ ...head, answer: answerElements(field, answer) }]
  return (answer as readonly Record<string, Json>[]).map((medicine) => ({
    ...head,
    item: MEDICINE_PARTS.flatMap((part) => {
      const value = medicine[part]
      const text = typeof value === 'number' ? String(value) : value
      return typeof text === 'string' && text !== ''
        ? [{ linkId: `${field.id}.${part}`, answer: [{ valueString: text }] }]
        : []
    }),
  }))
}

function answerElements(field: EventFormField, answer: Exclude<FormAnswer, null>): unknown[] {
  const each = Array.isArray(answer) ? answer : [answer]
  return each.map((value) => answerElement(field, value))
}

type Value = string | number | Readonly<Record<string, Json>>
function answerElement(field: EventFormField, value: Value): unknown {
  if (typeof value === 'number') return { valueDecimal: value }
  if (typeof value === 'object')
    return { valueCoding: compact({ code: value['code'], display: value['desc'] }) }
  switch (field.fieldType) {
    case 'binary':
    case 'options': {
      const at = field.options.findIndex((option) => option.value === value)
      if (isBoolean(field) && at >= 0) return { valueBoolean: at === 0 }
      return at < 0
        ? { valueString: value }
        : { valueCoding: { code: value, display: field.options[at]!.label } }
    }
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(value) ? { valueDate: value } : { valueString: value }
    case 'file':
      return { valueAttachment: { url: `/api/files/${value}` } }
    default:
      return { valueString: value }
  }
}

/** What `events.save` takes; the answers as the fields of the version say, which `answersIn` reads. */
export function responseFromFhir(element: Element) {
  readKnownCode(element, 'status', ['completed'])
  element.ignore('authored', 'author')
  const [, form = '', version] =
    /\/Questionnaire\/([0-9a-f-]{36})(?:\|(\d{1,7}))?$/i.exec(
      requireElement(element.text('questionnaire'), element.at('questionnaire')),
    ) ?? []
  if (!isId(form))
    throw invalidElement(element.at('questionnaire'), 'This is no Questionnaire of this server.')
  return {
    patient_id: requireElement(element.reference('subject', 'Patient'), element.at('subject')),
    visit_id: element.reference('encounter', 'Encounter') ?? null,
    form_id: form,
    ...(version && { form_version: Number(version) }),
    items: element.list('item').map(itemIn),
  }
}

type Input = ReturnType<typeof responseFromFhir>
type Item = { expression: string; linkId: string; answers: Answered[]; parts: Item[] }
type Answered = string | number | boolean | { code: string; desc: string }

function itemIn(item: Element): Item {
  item.ignore('text', 'definition')
  return {
    expression: item.expression,
    linkId: requireElement(item.text('linkId'), item.at('linkId')),
    answers: item.list('answer').map(answerIn),
    parts: item.list('item').map(itemIn),
  }
}

function answerIn(answer: Element): Answered {
  const coding = answer.one('valueCoding')
  coding?.ignore('system')
  const value =
    answer.text('valueString') ??
    answer.number('valueDecimal') ??
    answer.number('valueInteger') ??
    answer.boolean('valueBoolean') ??
    answer.text('valueDate') ??
    fileIn(answer.one('valueAttachment')) ??
    (coding && {
      code: requireElement(coding.text('code'), coding.at('code')),
      desc: coding.text('display') ?? '',
    })
  if (value === undefined) throw unsupportedElements([answer.expression])
  return value
}
const fileIn = (file: Element | undefined) => file?.text('url')?.split('/').at(-1)

/** The answers by field, as the screens hand them over. A question that the version does not have is refused. */
export function answersIn(
  fields: readonly EventFormField[],
  items: readonly Item[],
): AnswersByField {
  const fieldsById = new Map(fields.map((field) => [field.id, field]))
  const answers: Record<string, FormAnswer> = {}
  for (const { linkId, answers: given, parts, expression } of items) {
    const field = fieldsById.get(linkId)
    if (!field || field.fieldType === 'text' || field.fieldType === 'separator')
      throw unsupportedElements([expression])
    if (field.fieldType === 'medicine') {
      const before = (answers[linkId] ?? []) as Record<string, Json>[]
      answers[linkId] = [...before, medicineIn(linkId, parts)]
      continue
    }
    if (linkId in answers || parts.length > 0) throw unsupportedElements([expression])
    const values = given.map((value) => storedValue(field, value, expression))
    const takesSeveral =
      field.fieldType === 'diagnosis' ||
      field.fieldType === 'file' ||
      (field.fieldType === 'options' && field.multi)
    if (!takesSeveral && values.length > 1) throw unsupportedElements([`${expression}.answer[1]`])
    answers[linkId] = (takesSeveral ? values : (values[0] ?? null)) as FormAnswer
  }
  return answers
}

/**
 * Without the answers that the questions of the version do not hold, as the server shows them: a save keeps these. One
 * that was changed stays, and is refused.
 */
function known(
  fields: readonly EventFormField[],
  items: readonly Item[],
  stored: unknown,
): readonly Item[] {
  const left = [...items]
  for (const { linkId, answer } of unknownItems(fields, stored)) {
    const isShown = (item: Item) =>
      item.linkId === linkId && item.answers[0] === answer[0]?.valueString
    // they follow the answers to the questions of the version, of which one may have the same id
    const at = left.findLastIndex(isShown)
    if (at >= 0) left.splice(at, 1)
  }
  return left
}

function medicineIn(linkId: string, parts: readonly Item[]): Record<string, Json> {
  return Object.fromEntries(
    parts.map(({ linkId: named, answers: [value], expression }) => {
      const part = MEDICINE_PARTS.find((each) => named === `${linkId}.${each}`)
      if (!part || typeof value !== 'string') throw unsupportedElements([expression])
      return [part, value]
    }),
  )
}

function storedValue(field: EventFormField, value: Answered, expression: string): unknown {
  if (typeof value === 'boolean') {
    const option = field.fieldType === 'binary' ? field.options[value ? 0 : 1] : undefined
    if (!option && !(field.fieldType === 'binary' && value)) throw unsupportedElements([expression])
    return option?.value ?? 'true'
  }
  if (typeof value !== 'object') return value
  return field.fieldType === 'diagnosis' ? value : value.code
}

const answerEntries = (answers: AnswersByField) =>
  Object.entries(answers).map(([fieldId, value]) => ({ fieldId, value }))

/** The fields of the named version, else of the newest; of a form that the actor reads. */
async function readFormFields(ctx: Context, { form_id, form_version }: Omit<Input, 'items'>) {
  const newest = await readForm(ctx, form_id)
  if (form_version === undefined) return newest.form_fields
  return (await loadFormVersion(ctx, form_id, form_version)).form_fields
}

export const questionnaireResponse = resource<ResponseRow>({
  type: 'QuestionnaireResponse',
  from: sql`events r left join event_form_versions version
    on version.form_id = r.form_id and version.version = r.form_version`,
  columns: sql`r.patient_id, r.visit_id, r.form_id, r.form_version, r.form_data, version.form_fields::text,
    r.recorded_by_user_id, r.created_at`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir: responseToFhir,
  search: {
    ...bySubject,
    questionnaire: {
      ...special('questionnaire', () => sql<boolean>`false`, sql<boolean>`r.form_id is not null`),
      kind: 'uri',
      modifiers: [],
      condition(value) {
        const [, form = '', version] =
          /(?:^|\/)([0-9a-f-]{36})(?:\|(\d{1,7}))?$/i.exec(value.replaceAll('\\|', '|')) ?? []
        if (!isId(form)) return sql<boolean>`false`
        return version
          ? sql<boolean>`(r.form_id = ${form}::uuid and r.form_version = ${Number(version)}::int)`
          : sql<boolean>`r.form_id = ${form}::uuid`
      },
    },
    authored: moment('authored', sql`r.created_at`),
    encounter: referenceParameter('encounter', sql`r.visit_id`, ['Encounter']),
    author: referenceParameter('author', sql`r.recorded_by_user_id`, ['Practitioner']),
    status: conditionalCodes('status', { completed: sql<boolean>`true` }),
  },
  writes: {
    table: 'events',
    fromFhir: responseFromFhir,
    async create(ctx: Context, { items, ...event }: Input, id: string) {
      const answers = answersIn(await readFormFields(ctx, event), items)
      return saveEvent(ctx, { ...event, id, answers: answerEntries(answers) })
    },
    async update(ctx: Context, { items, ...event }: Input, row: ResponseRow & FhirRow) {
      const { form_version = row.form_version ?? undefined } = event
      if (form_version !== (row.form_version ?? undefined) || event.form_id !== row.form_id)
        throw unsupportedElements(['QuestionnaireResponse.questionnaire'])
      const fields = fieldsIn(row.form_fields)
      // what the new version leaves out is removed
      const none = Object.fromEntries(
        Object.keys(readFormAnswers(fields, row.form_data, clinicTimeZone())).map((id) => [
          id,
          null,
        ]),
      )
      return saveEvent(ctx, {
        ...event,
        id: row.fhir_id,
        last_modified: row.fhir_modified,
        answers: answerEntries({
          ...none,
          ...answersIn(fields, known(fields, items, row.form_data)),
        }),
      })
    },
    expressions: {
      patient_id: 'QuestionnaireResponse.subject',
      visit_id: 'QuestionnaireResponse.encounter',
      form_id: 'QuestionnaireResponse.questionnaire',
      form_version: 'QuestionnaireResponse.questionnaire',
      answers: 'QuestionnaireResponse.item',
    },
  },
})
