import type { QuestionType } from '~/forms/question'
import { newId } from '~/shared/id'
import { type Language, LANGUAGES, type Translated, translated } from '~/shared/language'
import { isLanguageField, type RegistrationField } from './registration-form'

/** A new field: visible and without a label. Saving the form derives its column from the label. */
export const newField = (fieldType: QuestionType = 'text'): RegistrationField => ({
  id: newId(),
  position: 0,
  column: '',
  label: {},
  fieldType,
  options: fieldType === 'select' || fieldType === 'checkbox' ? [{}] : [],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
})

/** Moves an entry of a list; a position past an end becomes that end. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const others = list.toSpliced(from, 1)
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, list[from]!)
}

/** The fields to save: each new field gets a unique column made from its label. */
export function withColumns(fields: readonly RegistrationField[]): RegistrationField[] {
  const taken = new Set(fields.map(({ column }) => column.toLowerCase()))
  return fields.map((field) => {
    if (field.column !== '') return field
    const wanted = columnFromLabel(translated(field.label, 'en')) || 'field'
    let column = wanted
    for (let n = 2; taken.has(column); n += 1) column = `${wanted}_${n}`
    taken.add(column)
    return { ...field, column }
  })
}

/** The fields that the options of a field can depend on, also those that were added and not saved yet. */
export const possibleParents = (field: RegistrationField, fields: readonly RegistrationField[]) =>
  fields.filter(
    (other) =>
      other.id !== field.id &&
      !other.deleted &&
      other.visible &&
      !isLanguageField(other) &&
      (other.fieldType === 'text' || other.fieldType === 'select'),
  )

/** Written with underscores, as imports and answers name it; `makeUniqueId` of reports writes hyphens. */
const columnFromLabel = (label: string) =>
  label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60)

export type MissingFieldText = {
  field: RegistrationField
  language: Language
  what: 'label' | 'option'
  option: string
}

/** Missing translations of the visible fields. */
export function missingFieldTranslations(fields: readonly RegistrationField[]): MissingFieldText[] {
  const lacks = (texts: Translated, language: Language) => !texts[language]?.trim()
  return fields
    .filter(({ deleted, visible }) => !deleted && visible)
    .flatMap((field) =>
      LANGUAGES.flatMap((language): MissingFieldText[] => {
        const label = lacks(field.label, language)
          ? [{ field, language, what: 'label' as const, option: '' }]
          : []
        const options = hasOptions(field)
          ? field.options
              .filter((option) => lacks(option, language))
              .map((option) => ({
                field,
                language,
                what: 'option' as const,
                option: translated(option, 'en'),
              }))
          : []
        return [...label, ...options]
      }),
    )
}

export const hasOptions = ({ fieldType }: Pick<RegistrationField, 'fieldType'>) =>
  fieldType === 'select' || fieldType === 'checkbox'

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const withoutPosition = (field: RegistrationField | undefined) => field && { ...field, position: 0 }

/** True if there are unsaved changes. */
export const fieldsDiffer = (a: readonly RegistrationField[], b: readonly RegistrationField[]) =>
  !same(a.map(withoutPosition), b.map(withoutPosition))

/**
 * Merges after another user saved first: this user's changes stay, every other field becomes the
 * newest one. The order is this user's; fields that are new to them come last.
 */
export function mergeRegistrationForm(
  base: readonly RegistrationField[],
  mine: readonly RegistrationField[],
  newest: readonly RegistrationField[],
): RegistrationField[] {
  const find = (fields: readonly RegistrationField[], id: string) =>
    fields.find((field) => field.id === id)
  const kept = mine.map((field) => {
    const isMine = !same(withoutPosition(field), withoutPosition(find(base, field.id)))
    return isMine ? field : (find(newest, field.id) ?? field)
  })
  return [...kept, ...newest.filter(({ id }) => !find(mine, id))]
}
