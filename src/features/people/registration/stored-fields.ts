import type { Cascade } from './cascade'
import { Token } from '~/forms/definition-rules'
import { QUESTION_TYPES } from '~/forms/question'
import type { Translated } from '~/shared/language'
import { isLanguageField, type RegistrationField } from './registration-form'
import { isObject } from '~/shared/object'

/** The stored form of the fields: phones expect labels, options and `column` through encodeURI. */
export const encodeFields = (fields: readonly Omit<RegistrationField, 'position'>[]) =>
  fields.map(({ cascade: _table, ...field }, at) => ({
    ...field,
    position: at + 1,
    column: encodeURI(field.column),
    label: encodeTexts(field.label),
    options: field.options.map(encodeTexts),
    ...(isLanguageField(field) && { ...HIDDEN, webVisible: field.visible }),
  }))

/** What phones read of a field that only the web asks; whether the web asks it is in `webVisible`. */
const HIDDEN = { visible: false, required: false, showsInSummary: false, isSearchField: false }

const encodeTexts = (texts: Translated) => mapTexts(texts, encodeURI)
const mapTexts = (texts: Translated, change: (text: string) => string): Translated =>
  Object.fromEntries(
    Object.entries(texts).map(([language, text]) => [language, change(text ?? '')]),
  )

/** The tables of options by field, as they are stored beside the fields. */
export const cascadesByField = (fields: readonly Pick<RegistrationField, 'id' | 'cascade'>[]) =>
  Object.fromEntries(fields.flatMap(({ id, cascade }) => (cascade ? [[id, cascade]] : [])))

/** The fields with their tables of options. */
export function withCascades(
  fields: readonly RegistrationField[],
  stored: unknown,
): RegistrationField[] {
  const tables = (stored ?? {}) as Record<string, Cascade>
  return fields.map((field) =>
    Object.hasOwn(tables, field.id) ? { ...field, cascade: tables[field.id] } : field,
  )
}

/**
 * Decodes stored fields in order, with defaults for values that phones, imports or older servers
 * left out.
 */
export function decodeFields(stored: unknown): RegistrationField[] {
  const fields = (Array.isArray(stored) ? stored : [])
    .filter(isObject)
    .filter(({ id }) => Token.safeParse(id).success)
  return fields
    .map(decodeField)
    .toSorted((a, b) => a.position - b.position)
    .map((field, at) => ({ ...field, position: at + 1 }))
}

function decodeField(field: Record<string, unknown>, at: number): RegistrationField {
  const isOfWeb = isLanguageField({
    id: String(field['id']),
    baseField: field['baseField'] === true,
  })
  return {
    id: String(field['id']),
    position: typeof field['position'] === 'number' ? field['position'] : at + 1,
    column: decode(typeof field['column'] === 'string' ? field['column'] : ''),
    label: decodeTexts(field['label']),
    fieldType: QUESTION_TYPES.find((type) => type === field['fieldType']) ?? 'text',
    options: Array.isArray(field['options']) ? field['options'].map(decodeTexts) : [],
    required: field['required'] === true,
    baseField: field['baseField'] === true,
    visible: (isOfWeb ? field['webVisible'] : field['visible']) !== false,
    deleted: field['deleted'] === true,
    showsInSummary: field['showsInSummary'] === true,
    isSearchField: field['isSearchField'] === true,
  }
}

/** An option stored as plain text is English. */
function decodeTexts(value: unknown): Translated {
  if (typeof value === 'string') return { en: decode(value) }
  if (!isObject(value)) return {}
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return mapTexts(Object.fromEntries(texts), decode)
}

/** Text that was never encoded may contain a plain %: it is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}
