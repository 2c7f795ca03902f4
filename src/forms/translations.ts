import { type Language, LANGUAGES, type Translated, translated } from '~/shared/language'
import type { Definition } from './checked-definition'
import { type EventFormField, FORM_TEXTS, type Translation } from './definition'
import { isLayout } from './field-kinds'

/** What a form is made of words: enough of it to read one. */
export type Worded = Pick<
  Definition,
  'name' | 'description' | 'language' | 'form_fields' | 'translations'
>
export type TextName = 'name' | 'description'

const findTranslation = (translations: readonly Translation[], fieldId: string) =>
  translations.find((entry) => entry.fieldId === fieldId)

/** The text of a field in its own language: a heading's or note's `name` is its content. */
const textInFormLanguage = (field: EventFormField, name: TextName) =>
  name === 'name' && field.fieldType === 'text' ? field.content : field[name]

/** The form as it reads in a language: every text in it, else in English, else in the form's own. */
export function localized<F extends Worded>(form: F, language: Language): F {
  const entries = new Map(form.translations.map((entry) => [entry.fieldId, entry]))
  const read = makeTextReader(form.language, language)
  return {
    ...form,
    name: read(entries.get(FORM_TEXTS.name)?.name, form.name),
    description: read(entries.get(FORM_TEXTS.description)?.name, form.description),
    form_fields: form.form_fields.map((field) =>
      onceLocalized(field, entries.get(field.id), form.language, language),
    ),
  }
}

type Read = (texts: Translated | undefined, ownText: string) => string

const makeTextReader =
  (own: Language, language: Language): Read =>
  (texts, words) =>
    language === own
      ? words || translated(texts ?? {}, language)
      : translated({ ...texts, [own]: words }, language)

type Localized = { entry: Translation | undefined; languages: string; field: EventFormField }
/**
 * While a form is being built, one field changes with each key: the others stay the same objects
 * and are not drawn again.
 */
const lastRead = new WeakMap<EventFormField, Localized>()

function onceLocalized(
  field: EventFormField,
  entry: Translation | undefined,
  own: Language,
  language: Language,
): EventFormField {
  const languages = `${own} ${language}`
  const last = lastRead.get(field)
  if (last && last.entry === entry && last.languages === languages) return last.field
  const read = localizedField(field, entry, makeTextReader(own, language))
  lastRead.set(field, { entry, languages, field: read })
  return read
}

function localizedField(
  field: EventFormField,
  entry: Translation | undefined,
  read: Read,
): EventFormField {
  if (!entry) return field
  const words = { description: read(entry.description, field.description) }
  if (field.fieldType === 'text')
    return { ...field, ...words, content: read(entry.name, field.content) }
  const named = { ...field, ...words, name: read(entry.name, field.name) }
  if (!('options' in named)) return named
  const options = named.options.map((option) => ({
    ...option,
    label: read(entry.options[option.id], option.label),
  }))
  return { ...named, options }
}

export type MissingTranslation = {
  fieldId: string
  language: Language
  what: TextName | 'option'
  optionId?: string
}

/** What people who read another language than the form's would meet in the wrong one. */
export function missingTranslations(form: Worded): MissingTranslation[] {
  const entries = new Map(form.translations.map((entry) => [entry.fieldId, entry]))
  const others = LANGUAGES.filter((language) => language !== form.language)
  const lacks = (texts: Translated | undefined, words: string) =>
    words.trim() === '' ? [] : others.filter((language) => !texts?.[language]?.trim())
  const ofForm = (['name', 'description'] as const).flatMap((what) =>
    lacks(entries.get(FORM_TEXTS[what])?.name, form[what]).map((language) => ({
      fieldId: FORM_TEXTS[what],
      language,
      what: 'name' as const,
    })),
  )
  const ofFields = form.form_fields.flatMap((field): MissingTranslation[] => {
    const entry = entries.get(field.id)
    const texts = (['name', 'description'] as const).flatMap((what) =>
      lacks(
        entry?.[what],
        isLayout(field.fieldType) && what === 'description' ? '' : textInFormLanguage(field, what),
      ).map((language) => ({ fieldId: field.id, language, what })),
    )
    const options = ('options' in field ? field.options : []).flatMap((option) =>
      isNeutral(option.label)
        ? []
        : lacks(entry?.options[option.id], option.label).map((language) => ({
            fieldId: field.id,
            language,
            what: 'option' as const,
            optionId: option.id,
          })),
    )
    return [...texts, ...options]
  })
  return [...ofForm, ...ofFields]
}

/** Numbers, signs and codes read the same everywhere. */
const isNeutral = (label: string) => !/\p{L}{2}/u.test(label)

/** One text of the form or of a field (`optionId`: of that option) in one language; "" where there is none. */
export function textIn(
  form: Worded,
  fieldId: string,
  what: TextName,
  language: Language,
  optionId?: string,
): string {
  if (language === form.language) return ownText(form, fieldId, what, optionId)
  const entry = findTranslation(form.translations, fieldId)
  return (optionId === undefined ? entry?.[what] : entry?.options[optionId])?.[language] ?? ''
}

function ownText(form: Worded, fieldId: string, what: TextName, optionId?: string): string {
  if (fieldId === FORM_TEXTS.name) return form.name
  if (fieldId === FORM_TEXTS.description) return form.description
  const field = form.form_fields.find(({ id }) => id === fieldId)
  if (!field) return ''
  if (optionId === undefined) return textInFormLanguage(field, what)
  return ('options' in field ? field.options : []).find(({ id }) => id === optionId)?.label ?? ''
}

/** The translations with one text changed; an emptied one is none. */
export function withText(
  translations: readonly Translation[],
  fieldId: string,
  what: TextName,
  language: Language,
  text: string,
  optionId?: string,
): Translation[] {
  const entry = findTranslation(translations, fieldId) ?? {
    fieldId,
    name: {},
    description: {},
    options: {},
  }
  const changed =
    optionId === undefined
      ? { ...entry, [what]: { ...entry[what], [language]: text } }
      : {
          ...entry,
          options: {
            ...entry.options,
            [optionId]: { ...entry.options[optionId], [language]: text },
          },
        }
  return [...translations.filter((other) => other.fieldId !== fieldId), changed]
}

/**
 * The translations as they are stored: in the order of the fields, without those of fields and options that are gone,
 * each with the form's own language in it, as phones look every text up there first.
 */
export function completeTranslations(form: Worded): Translation[] {
  const put = (texts: Translated | undefined, own: string) =>
    kept({ ...texts, [form.language]: own }) as Translation['name']
  const ofForm = (['name', 'description'] as const).map((what): Translation => {
    const entry = findTranslation(form.translations, FORM_TEXTS[what])
    return {
      ...entry,
      fieldId: FORM_TEXTS[what],
      name: put(entry?.name, form[what]),
      description: {},
      options: {},
    }
  })
  const entries = new Map(form.translations.map((entry) => [entry.fieldId, entry]))
  const ofFields = form.form_fields
    .filter(({ fieldType }) => fieldType !== 'separator')
    .map((field): Translation => {
      const entry = entries.get(field.id)
      const listed = 'options' in field ? field.options : []
      return {
        ...entry,
        fieldId: field.id,
        name: put(entry?.name, textInFormLanguage(field, 'name')),
        description: put(entry?.description, field.description),
        options: Object.fromEntries(
          listed.map(({ id, label }) => [id, put(entry?.options[id], label)]),
        ),
      }
    })
  return [...ofForm, ...ofFields]
}

const kept = (texts: Translated) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text?.trim()))

/** The same form with another language as its own: its texts change places with their translations. */
export function inLanguage<F extends Worded>(form: F, language: Language): F {
  return {
    ...localized({ ...form, translations: completeTranslations(form) }, language),
    translations: completeTranslations(form),
    language,
  }
}
