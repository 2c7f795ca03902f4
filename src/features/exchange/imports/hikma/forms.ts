import { FIELD_KINDS } from '~/forms/field-kinds'
import { stableId } from '../stable-id'
import { columns, type TableMapping, STAMPS } from './mapping'
import { idOrStable, reader, type RowReader, sourceText } from './reading'
import { isId } from '~/shared/id'
import { isObject } from '~/shared/object'

type Json = Record<string, unknown>

/** Sanad stores the texts of a registration form URI-encoded. A text that cannot be decoded is not encoded yet. */
function encoded(value: unknown): unknown {
  if (typeof value === 'string') {
    try {
      // the result is used because the bundler removes calls without an effect
      return decodeURIComponent(value) === '' ? '' : value
    } catch {
      return encodeURIComponent(value)
    }
  }
  if (Array.isArray(value)) return value.map(encoded)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, encoded(one)]))
    : value
}

function registrationField(field: unknown, read: RowReader): unknown {
  if (!isObject(field)) return field
  const texts = { label: encoded(field['label']), options: encoded(field['options'] ?? []) }
  const id = idOrStable('hikma.attribute', field['id'])
  if (id !== field['id']) read.note('stableId', 'fields', field['id'])
  const before = { label: field['label'], options: field['options'] ?? [] }
  if (JSON.stringify(texts) !== JSON.stringify(before)) read.note('encoded', 'fields', field['id'])
  return { ...field, id, ...texts }
}

export const registrationFormsMapping: TableMapping = {
  from: 'patient_registration_forms',
  to: {
    table: 'registration_forms',
    columns: columns({ uuid: 'clinic_id', text: 'name', jsonb: 'fields metadata', ...STAMPS }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { clinic_id: 'clinics' },
  map(row, known, { registrationForm }) {
    const read = reader(row)
    const stamps = read.stamps()
    // Sanad has one registration form: the others come as deleted
    const isOther = !stamps.is_deleted && row['id'] !== registrationForm
    if (isOther) read.note('otherForm')
    const fields = read.list('fields')
    const name = read.text('name', 200)
    if (!name) read.note('emptyName', 'name')
    return read.done({
      id: String(row['id']),
      clinic_id: read.reference('clinic_id', 'clinics', known),
      name: name || 'Registration',
      fields: fields.map((field) => registrationField(field, read)),
      ...stamps,
      ...(isOther && { is_deleted: true, deleted_at: stamps.updated_at }),
      metadata: read.metadata(),
    })
  },
}

function eventField(field: unknown, form: string, read: RowReader, originals: Json): unknown {
  if (!isObject(field)) return field
  const id = sourceText(field['id'] ?? '')
  let next = field
  if (Array.isArray(field['options'])) {
    const options = field['options'].map((option: unknown, at) => {
      const whole = isObject(option) ? option : { label: option, value: option }
      if (typeof whole['id'] === 'string' && whole['id']) return whole
      read.note('optionId', 'form_fields', id)
      return { id: stableId('hikma.option', form, id, String(at)), ...whole }
    })
    next = { ...next, options }
  }
  if (next['fieldType'] === 'options' && next['inputType'] === 'checkbox') {
    read.note('checkbox', 'form_fields', id)
    next = { ...next, inputType: 'select', multi: true }
  }
  if (!(FIELD_KINDS as readonly unknown[]).includes(next['fieldType'])) {
    read.note('fieldType', 'form_fields', field['fieldType'])
    originals[id] = field
    next = { ...next, fieldType: 'free-text', inputType: 'text', length: 'short' }
  }
  return next
}

export const eventFormsMapping: TableMapping = {
  from: 'event_forms',
  to: {
    table: 'event_forms',
    columns: columns({
      text: 'name description language',
      jsonb: 'form_fields metadata translations',
      'uuid[]': 'clinic_ids',
      ...STAMPS,
      boolean: 'is_deleted is_editable is_snapshot_form',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: {},
  map(row) {
    const read = reader(row)
    const id = String(row['id'])
    const name = read.text('name', 200)
    if (!name) read.note('emptyName', 'name')
    const originals: Json = {}
    const fields = read.list('form_fields')
    const form_fields = fields.map((field) => eventField(field, id, read, originals))
    if (Object.keys(originals).length > 0) read.keep('form_fields', originals)
    return read.done({
      id,
      name: name || `Form ${id}`,
      description: read.textOr('description', '', 2000),
      language: read.oneOf('language', ['en', 'ar', 'es'], 'en'),
      is_editable: read.flag('is_editable', true),
      is_snapshot_form: read.flag('is_snapshot_form'),
      form_fields,
      translations: read.list('translations'),
      clinic_ids: read.list('clinic_ids').filter(isId),
      ...read.stamps(),
      metadata: read.metadata(),
    })
  },
}
