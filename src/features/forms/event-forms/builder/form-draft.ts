import { type FieldKindName, allMedicineParts, MIME_TYPES } from '~/forms/field-kinds'
import {
  type EventFormField,
  FORM_TEXTS,
  type FormOption,
  type Translation,
} from '~/forms/definition'
import { type TextName, withText } from '~/forms/translations'
import { newId } from '~/shared/id'
import { type Language, LANGUAGES } from '~/shared/language'
import type { EventForm } from '../event-form'

/** A form while it is being built. */
export type FormDraft = Omit<EventForm, 'id' | 'version' | 'answers' | 'last_modified'>

export const emptyForm = (language: Language, clinicIds: string[]): FormDraft => ({
  name: '',
  description: '',
  language,
  form_fields: [],
  translations: [],
  is_editable: true,
  is_snapshot_form: false,
  clinic_ids: clinicIds,
})

/** Only what is saved, in one order of keys, so that two drafts can be compared as text. */
export const toFormDraft = ({
  name,
  description,
  language,
  form_fields,
  translations,
  is_editable,
  is_snapshot_form,
  clinic_ids,
}: FormDraft): FormDraft => ({
  name,
  description,
  language,
  form_fields,
  translations,
  is_editable,
  is_snapshot_form,
  clinic_ids,
})

/** Whether there are changes to save. */
export const formsDiffer = (a: FormDraft, b: FormDraft) => comparable(a) !== comparable(b)

const texts = new WeakMap<FormDraft, string>()

/** A form as text: when a translation was stored, and in which order, changes nothing. */
function comparable(form: FormDraft): string {
  const known = texts.get(form)
  if (known !== undefined) return known
  const text = JSON.stringify({
    ...toFormDraft(form),
    translations: form.translations
      .map(({ fieldId, name, description, options }) => ({ fieldId, name, description, options }))
      .toSorted((a, b) => a.fieldId.localeCompare(b.fieldId, 'en')),
  })
  texts.set(form, text)
  return text
}

type Words = Record<Language, string>
/** The initial text of a new field, if there is one natural wording. */
const given: Partial<Record<FieldKindName, Words>> = {
  diagnosis: { en: 'Diagnosis', ar: 'التشخيص', es: 'Diagnóstico' },
  medicine: { en: 'Medicine', ar: 'الأدوية', es: 'Medicamentos' },
}
const yes: Words = { en: 'Yes', ar: 'نعم', es: 'Sí' }
const no: Words = { en: 'No', ar: 'لا', es: 'No' }

/** For the field and its first options. */
export const newFieldIds = () => ({ field: newId(), options: [newId(), newId()] as const })

/** The form with one more field at its end. */
export function withNewField(
  form: FormDraft,
  kind: FieldKindName,
  ids: ReturnType<typeof newFieldIds>,
): FormDraft {
  const id = ids.field
  const taken = form.form_fields.map(({ name }) => name)
  const name = given[kind] && !taken.includes(given[kind][form.language]) ? given[kind] : undefined
  const options: Words[] = kind === 'binary' ? [yes, no] : []
  const field = newField(kind, {
    id,
    name: name?.[form.language] ?? '',
    options:
      kind === 'options'
        ? [{ ...newOption(), id: ids.options[0] }]
        : options.map((words, at) => ({
            id: ids.options[at]!,
            label: words[form.language],
            value: words.en.toLowerCase(),
          })),
  })
  const others = (words: Words) =>
    Object.fromEntries(
      LANGUAGES.filter((one) => one !== form.language).map((one) => [one, words[one]]),
    )
  const entry: Translation = {
    fieldId: id,
    name: name ? others(name) : {},
    description: {},
    options: Object.fromEntries(options.map((words, at) => [ids.options[at], others(words)])),
  }
  return {
    ...form,
    form_fields: [...form.form_fields, field],
    translations: [...form.translations, entry],
  }
}

function newField(
  kind: FieldKindName,
  { id, name, options }: { id: string; name: string; options: FormOption[] },
): EventFormField {
  const base = { id, name, description: '', required: false }
  switch (kind) {
    case 'free-text':
      return { ...base, fieldType: kind, inputType: 'text', length: 'short' }
    case 'options':
      return { ...base, fieldType: kind, inputType: 'radio', multi: false, options }
    case 'binary':
      return { ...base, fieldType: kind, inputType: 'radio', options }
    case 'date':
      return { ...base, fieldType: kind, inputType: 'date' }
    case 'diagnosis':
      return { ...base, fieldType: kind, inputType: 'select', options: [] }
    case 'medicine':
      return {
        ...base,
        fieldType: kind,
        inputType: 'input-group',
        options: [],
        fields: allMedicineParts(),
      }
    case 'file':
      return {
        ...base,
        fieldType: kind,
        inputType: 'file',
        allowedMimeTypes: [...MIME_TYPES],
        multiple: true,
        minItems: 0,
        maxItems: 5,
      }
    case 'text':
      return { ...base, fieldType: kind, content: '', size: 'lg' }
    case 'separator':
      return { ...base, fieldType: kind }
  }
}

export const newOption = (): FormOption => ({ id: newId(), label: '', value: '' })

/**
 * A copy of a field, right below it: with an id of its own and, if it has a name, a name of its
 * own.
 */
export function withCopy(
  form: FormDraft,
  id: string,
  copyId: string,
  nameOf: (name: string) => string,
): FormDraft {
  const at = form.form_fields.findIndex((field) => field.id === id)
  const field = form.form_fields[at]
  if (!field) return form
  const copy = {
    ...structuredClone(field),
    id: copyId,
    name: field.name && nameOf(field.name).slice(0, 200),
  }
  const entry = form.translations.find(({ fieldId }) => fieldId === id)
  // a name taken twice would be refused in every language
  const copied = entry && {
    ...structuredClone(entry),
    fieldId: copyId,
    name: field.fieldType === 'text' ? entry.name : {},
  }
  return {
    ...form,
    form_fields: form.form_fields.toSpliced(at + 1, 0, copy),
    translations: copied ? [...form.translations, copied] : form.translations,
  }
}

const withField = (form: FormDraft, field: EventFormField): FormDraft => ({
  ...form,
  form_fields: form.form_fields.map((one) => (one.id === field.id ? field : one)),
})

/** The field with its changes; the rest of it may have changed since it was `shown`. */
export function withChanges(
  form: FormDraft,
  shown: EventFormField,
  changed: EventFormField,
): FormDraft {
  const changes = Object.entries(changed).filter(
    ([name, value]) => shown[name as keyof EventFormField] !== value,
  )
  const field = form.form_fields.find(({ id }) => id === shown.id)
  return field
    ? withField(form, { ...field, ...Object.fromEntries(changes) } as EventFormField)
    : form
}

export function withOptions(
  form: FormDraft,
  id: string,
  next: (options: FormOption[]) => FormOption[],
): FormDraft {
  const field = form.form_fields.find((one) => one.id === id)
  if (!field || !('options' in field)) return form
  const options = next(field.options)
  const { exclusive: listed, ...others } = field.rules ?? {}
  const exclusive = listed?.filter((one) => options.some((option) => option.id === one))
  const rules = exclusive?.length ? { ...others, exclusive } : others
  return withField(form, {
    ...field,
    options,
    ...(field.rules && { rules: Object.keys(rules).length > 0 ? rules : undefined }),
  })
}

/** One text changed: in the form's own language in its place, in another among the translations. */
export function withWords(
  form: FormDraft,
  fieldId: string,
  what: TextName,
  language: Language,
  text: string,
  optionId?: string,
): FormDraft {
  if (language !== form.language)
    return {
      ...form,
      translations: withText(form.translations, fieldId, what, language, text, optionId),
    }
  if (fieldId === FORM_TEXTS.name) return { ...form, name: text }
  if (fieldId === FORM_TEXTS.description) return { ...form, description: text }
  const field = form.form_fields.find(({ id }) => id === fieldId)
  if (!field) return form
  if (optionId !== undefined && 'options' in field) {
    const options = field.options.map((option) =>
      option.id === optionId ? { ...option, label: text } : option,
    )
    return withField(form, { ...field, options })
  }
  if (what === 'name' && field.fieldType === 'text')
    return withField(form, { ...field, content: text })
  return withField(form, { ...field, [what]: text })
}

/** As it is saved: an option without a value of its own keeps its label as one. */
export const withValues = (form: FormDraft): FormDraft => ({
  ...form,
  form_fields: form.form_fields.map((field) =>
    'options' in field
      ? {
          ...field,
          options: field.options.map((option) => ({
            ...option,
            value: option.value.trim() || option.label,
          })),
        }
      : field,
  ),
})

/**
 * Another user saved first: this user's changes stay, every other part becomes current. The order
 * of the fields is this user's; new fields of the other user come at the end.
 */
export function mergeEventForm(base: FormDraft, mine: FormDraft, newest: FormDraft): FormDraft {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const choose = <T>(before: T, own: T, now: T): T => (same(before, own) ? now : own)
  const list = <T extends object>(key: keyof T, before: T[], own: T[], now: T[]): T[] => {
    const find = (entries: T[], wanted: T) => entries.find((entry) => entry[key] === wanted[key])
    const kept = own.flatMap((entry) => {
      const was = find(before, entry)
      if (!was || !same(was, entry)) return [entry]
      return find(now, entry) ?? []
    })
    return [...kept, ...now.filter((entry) => !find(own, entry) && !find(before, entry))]
  }
  return {
    name: choose(base.name, mine.name, newest.name),
    description: choose(base.description, mine.description, newest.description),
    language: choose(base.language, mine.language, newest.language),
    is_editable: choose(base.is_editable, mine.is_editable, newest.is_editable),
    is_snapshot_form: choose(base.is_snapshot_form, mine.is_snapshot_form, newest.is_snapshot_form),
    clinic_ids: choose(base.clinic_ids, mine.clinic_ids, newest.clinic_ids),
    form_fields: list('id', base.form_fields, mine.form_fields, newest.form_fields),
    translations: list('fieldId', base.translations, mine.translations, newest.translations),
  }
}
