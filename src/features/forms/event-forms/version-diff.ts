import { same } from '~/forms/answers'
import type { Definition } from '~/forms/checked-definition'
import type { EventFormField } from '~/forms/definition'
import { localized, missingTranslations } from '~/forms/translations'
import { addAll, largest } from '~/shared/any-length'
import { LANGUAGES, type Translated } from '~/shared/language'

/**
 * One change of a version. `field` is the label of the changed field in each language; for the form
 * itself, its name.
 */
export type VersionChange = {
  what:
    | 'formRenamed'
    | 'formDescription'
    | 'formLanguage'
    | 'added'
    | 'removed'
    | 'moved'
    | 'renamed'
    | 'kind'
    | 'description'
    | 'nowRequired'
    | 'nowOptional'
    | 'optionAdded'
    | 'optionRemoved'
    | 'optionRenamed'
    | 'rules'
    | 'settings'
    | 'translations'
  field: Translated
  from?: string
  to?: string
}

/** The changes of the newer version, in its order; removed fields come last. */
export function diffFormVersions(older: Definition, newer: Definition): VersionChange[] {
  const before = new Map(older.form_fields.map((field) => [field.id, field]))
  const after = new Set(newer.form_fields.map(({ id }) => id))
  const nameAfter = fieldNames(newer)
  const nameBefore = fieldNames(older)
  const stayed = inOrder(
    older.form_fields.map(({ id }) => id),
    newer.form_fields.map(({ id }) => id),
  )
  const changes = newer.form_fields.flatMap((field): VersionChange[] => {
    const old = before.get(field.id)
    const about = { field: nameAfter(field.id) }
    if (!old) return [{ what: 'added', ...about }]
    const moved: VersionChange[] = stayed.has(field.id) ? [] : [{ what: 'moved', ...about }]
    return [...moved, ...fieldChanges(old, field).map((change) => ({ ...change, ...about }))]
  })
  const removed = older.form_fields
    .filter(({ id }) => !after.has(id))
    .map(({ id }): VersionChange => ({ what: 'removed', field: nameBefore(id) }))
  const texts = [...changes, ...removed]
  return [...formChanges(older, newer, texts.length === 0), ...texts]
}

function formChanges(older: Definition, newer: Definition, isElseEqual: boolean): VersionChange[] {
  const field = Object.fromEntries(
    LANGUAGES.map((language) => [language, localized(newer, language).name]),
  )
  const changes: VersionChange[] = []
  if (older.name !== newer.name)
    changes.push({ what: 'formRenamed', field, from: older.name, to: newer.name })
  if (older.description !== newer.description) changes.push({ what: 'formDescription', field })
  if (older.language !== newer.language)
    changes.push({ what: 'formLanguage', field, from: older.language, to: newer.language })
  const gained = missingTranslations(older).length - missingTranslations(newer).length
  if (gained !== 0 || (isElseEqual && changes.length === 0 && !same(words(older), words(newer))))
    changes.push({ what: 'translations', field })
  return changes
}

const words = ({ translations }: Definition) =>
  translations.map(({ fieldId, name, description, options }) => ({
    fieldId,
    name,
    description,
    options,
  }))

/** A field's name in each language. A line between fields has none. */
function fieldNames(form: Definition) {
  const forms = LANGUAGES.map((language) => ({
    language,
    fields: localized(form, language).form_fields,
  }))
  return (id: string): Translated =>
    Object.fromEntries(
      forms.map(({ language, fields }) => {
        const field = fields.find((one) => one.id === id)
        return [language, field?.fieldType === 'text' ? field.content : (field?.name ?? '')]
      }),
    )
}

type Detail = Omit<VersionChange, 'field'>

function fieldChanges(old: EventFormField, field: EventFormField): Detail[] {
  const changes: Detail[] = []
  const [from, to] = [fieldTitle(old), fieldTitle(field)]
  if (from !== to) changes.push({ what: 'renamed', from, to })
  if (old.fieldType !== field.fieldType)
    return [...changes, { what: 'kind', from: old.fieldType, to: field.fieldType }]
  if (old.description !== field.description) changes.push({ what: 'description' })
  if (old.required !== field.required)
    changes.push({ what: field.required ? 'nowRequired' : 'nowOptional' })
  addAll(changes, optionChanges(old, field))
  if (!same(old.rules ?? {}, field.rules ?? {})) changes.push({ what: 'rules' })
  if (!same(fieldSettings(old), fieldSettings(field))) changes.push({ what: 'settings' })
  return changes
}

const fieldTitle = (field: EventFormField) =>
  field.fieldType === 'text' ? field.content : field.name

function optionChanges(old: EventFormField, field: EventFormField): Detail[] {
  if (!('options' in old) || !('options' in field)) return []
  const added = field.options.filter(({ id }) => !old.options.some((option) => option.id === id))
  const removed = old.options.filter(({ id }) => !field.options.some((option) => option.id === id))
  const renamed = field.options.flatMap(({ id, label, value }): Detail[] => {
    const was = old.options.find((option) => option.id === id)
    if (!was || (was.label === label && was.value === value)) return []
    const isLabel = was.label !== label
    return [
      { what: 'optionRenamed', from: isLabel ? was.label : was.value, to: isLabel ? label : value },
    ]
  })
  return [
    ...added.map(({ label }): Detail => ({ what: 'optionAdded', to: label })),
    ...removed.map(({ label }): Detail => ({ what: 'optionRemoved', from: label })),
    ...renamed,
  ]
}

/** How the field is asked: all that is not compared by itself. */
function fieldSettings(field: EventFormField): object {
  const {
    name: _name,
    description: _description,
    required: _required,
    rules: _rules,
    ...settings
  } = field
  return { ...settings, options: undefined, content: undefined }
}

/**
 * The ids that kept their order among each other, as many as possible: whatever is not among them
 * was moved.
 */
function inOrder(older: readonly string[], newer: readonly string[]): Set<string> {
  const place = new Map(older.map((id, at) => [id, at]))
  const common = newer.flatMap((id) => (place.has(id) ? [{ id, at: place.get(id)! }] : []))
  // the longest rising run that ends at each entry
  const runs: { length: number; before: number }[] = []
  for (const [index, { at }] of common.entries()) {
    let best = { length: 1, before: -1 }
    for (let other = 0; other < index; other += 1) {
      const length = runs[other]!.length + 1
      if (common[other]!.at < at && length > best.length) best = { length, before: other }
    }
    runs.push(best)
  }
  const longest = largest([0, ...runs.map(({ length }) => length)])
  const kept = new Set<string>()
  for (let at = runs.findIndex(({ length }) => length === longest); at >= 0; at = runs[at]!.before)
    kept.add(common[at]!.id)
  return kept
}
