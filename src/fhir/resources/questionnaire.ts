import { sql } from 'kysely'
import { type EventFormField, storedFields } from '~/forms/definition'
import { clinicsWhere, mayAnywhere } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import { conditionalCodes, code, string } from '../parameters'
import { compact, type Fhir, instant, resource, type Site } from '../resource'
import { isId } from '~/shared/id'
import { MEDICINE_PARTS } from '~/forms/answers'

type QuestionnaireRow = {
  form_id: string
  version: number
  name: string
  description: string
  form_fields: unknown
  saved_at: Date
  /** The version that is filled in now. */
  is_newest: boolean
}

/** One resource for each version of a form: `<form>-<version>`, and `<base>/Questionnaire/<form>|<version>`. */
export const questionnaireUrl = (site: Site, formId: string) =>
  `${site.base}/Questionnaire/${formId}`

/** The kinds of items (https://hl7.org/fhir/R4/valueset-item-type.html). */
function itemType(field: EventFormField): string {
  switch (field.fieldType) {
    case 'free-text':
      if (field.inputType === 'number') return 'decimal'
      return field.length === 'long' || field.inputType === 'textarea' ? 'text' : 'string'
    case 'options':
      return 'choice'
    case 'binary':
      return isBoolean(field) ? 'boolean' : 'choice'
    case 'date':
      return 'date'
    case 'medicine':
      return 'group'
    case 'diagnosis':
      return 'choice'
    case 'file':
      return 'attachment'
    case 'text':
    case 'separator':
      return 'display'
  }
}

/** Answered with its first option for yes, its second for no; a third one has no boolean. */
export const isBoolean = (field: EventFormField) =>
  field.fieldType === 'binary' && field.options.length <= 2
const repeats = (field: EventFormField) =>
  (field.fieldType === 'options' && field.multi) ||
  field.fieldType === 'medicine' ||
  field.fieldType === 'diagnosis' ||
  (field.fieldType === 'file' && field.multiple)
const fieldChoices = (field: EventFormField) =>
  'options' in field && !isBoolean(field) && field.fieldType !== 'medicine' ? field.options : []

/** The parts of a medicine are items of their own: `<field>.dose`. */
const medicineItems = (field: EventFormField) =>
  field.fieldType === 'medicine'
    ? MEDICINE_PARTS.map((part) => ({ linkId: `${field.id}.${part}`, text: part, type: 'string' }))
    : []

/** Extensions of FHIR R4 (https://hl7.org/fhir/R4/questionnaire-profiles.html). */
const MAX_DECIMALS = 'http://hl7.org/fhir/StructureDefinition/maxDecimalPlaces'
const EXCLUSIVE = 'http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive'

const questionnaireItem = (field: EventFormField) => ({
  linkId: field.id,
  text: field.fieldType === 'text' ? field.content : field.name,
  type: itemType(field),
  required: itemType(field) === 'display' ? null : field.required,
  repeats: repeats(field) || null,
  extension: field.rules?.whole ? [{ url: MAX_DECIMALS, valueInteger: 0 }] : [],
  answerOption: fieldChoices(field).map(({ id, value, label }) => ({
    extension: field.rules?.exclusive?.includes(id) ? [{ url: EXCLUSIVE, valueBoolean: true }] : [],
    valueCoding: { code: value, display: label },
  })),
  item: medicineItems(field),
})

const toFhir = (row: QuestionnaireRow, site: Site): Fhir => ({
  resourceType: 'Questionnaire',
  ...compact({
    url: questionnaireUrl(site, row.form_id),
    version: String(row.version),
    name: computerName(row.name),
    title: row.name,
    status: row.is_newest ? 'active' : 'retired',
    subjectType: ['Patient'],
    date: instant(row.saved_at),
    description: row.description,
    item: storedFields(row.form_fields)
      .filter(({ fieldType }) => fieldType !== 'separator')
      .map(questionnaireItem),
  }),
})

/** A name for programs (rule que-0): a capital letter, then letters, digits and "_". */
const computerName = (title: string) => {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^[^A-Za-z]+|_+$/g, '')
  return plain ? plain[0]!.toUpperCase() + plain.slice(1, 200) : 'Form'
}

const isNewest = sql<boolean>`(r.version = form.version and not form.is_deleted)`
const ID = /^([0-9a-f-]{36})-([1-9]\d{0,6})$/i

export const questionnaire = resource<QuestionnaireRow>({
  type: 'Questionnaire',
  from: sql`event_form_versions r join event_forms form on form.id = r.form_id`,
  columns: sql`r.form_id, r.version, r.name, r.description, r.form_fields, r.saved_at, ${isNewest} as is_newest`,
  id: sql`(r.form_id::text || '-' || r.version)`,
  hasId(id) {
    const [, form = '', version] = ID.exec(id) ?? []
    return isId(form)
      ? sql<boolean>`(r.form_id = ${form}::uuid and r.version = ${Number(version)}::int)`
      : null
  },
  order: [sql`r.form_id`, sql`r.version`],
  // an older version becomes a retired one when a newer one is saved
  modified: sql<Date>`greatest(r.saved_at, form.last_modified)`,
  deleted: sql<boolean>`form.is_deleted`,
  permits: (actor) => mayAnywhere(actor, ...PERMISSIONS),
  where(actor) {
    const clinics = clinicsWhere(actor, ...PERMISSIONS)
    return clinics === 'all'
      ? sql<boolean>`true`
      : sql<boolean>`(form.clinic_ids = '{}' or form.clinic_ids && ${clinics}::uuid[])`
  },
  patient: null,
  toFhir,
  search: {
    name: string('title', sql`r.name`),
    title: string('title', sql`r.name`),
    status: conditionalCodes(
      'status',
      { active: isNewest, retired: sql<boolean>`not ${isNewest}` },
      'http://hl7.org/fhir/publication-status',
    ),
    version: code('version', sql`r.version::text`),
  },
})
