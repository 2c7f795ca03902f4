import { askedFields, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { patientColumn } from '~/records/patient'
import type { Translated } from '~/shared/language'

/** The target of each column by its heading. Other columns are ignored. */
export type Mapping = Readonly<Record<string, string>>
type Target = { name: string; label: Translated; required: boolean; field?: RegistrationField }

/** What columns may fill, in the form's order. */
export const targetsOf = (form: readonly RegistrationField[]): Target[] => [
  ...askedFields(form).map((field) => ({
    name: nameOfField(field),
    label: field.label,
    required: field.required,
    field,
  })),
  { name: 'id', label: ownLabels.id, required: false },
  { name: 'created_at', label: ownLabels.created_at, required: false },
  { name: 'language', label: ownLabels.language, required: false },
]

const ownLabels = {
  id: { en: 'Record id', ar: 'معرّف السجل', es: 'Id. del registro' },
  created_at: { en: 'Registered', ar: 'تاريخ التسجيل', es: 'Fecha de registro' },
  language: { en: 'Preferred language', ar: 'اللغة المفضّلة', es: 'Idioma preferido' },
}

/**
 * How other systems call these in the headings of their files; the record of the patient has
 * those of its columns.
 */
const ownHeadings: Record<string, readonly string[]> = {
  id: ['id|uuid|record id', 'id del registro', 'معرف السجل'],
  created_at: [
    'registered|registered at|registration date|created|created at',
    'fecha de registro|registrado',
    'تاريخ التسجيل',
  ],
  language: [
    'language|preferred language|spoken language|mother tongue',
    'idioma|idioma preferido|lengua|lengua materna',
    'اللغة|لغة المريض|اللغة المفضلة|اللغة الأم',
  ],
}

/**
 * The targets that headings name unambiguously, in three languages: by the labels of the form
 * first, then by the headings of other systems. Each target is used once. A user reviews the
 * mapping before the import.
 */
export function guessMapping(
  headers: readonly string[],
  form: readonly RegistrationField[],
): Mapping {
  const targets = targetsOf(form)
  const byHeading = new Map<string, string>()
  const know = (heading: string, name: string) => {
    const key = plain(heading)
    if (key && !byHeading.has(key)) byHeading.set(key, name)
  }
  for (const { name, label, field } of targets) {
    know(name, name)
    if (field) know(field.column, name)
    for (const text of Object.values(label)) know(text ?? '', name)
  }
  for (const { name } of targets)
    for (const known of ownHeadings[name] ?? patientColumn(name).headings ?? [])
      for (const heading of known.split('|')) know(heading, name)

  const mapping: Record<string, string> = {}
  for (const header of headers) {
    const name = byHeading.get(plain(header))
    if (name && !Object.values(mapping).includes(name)) mapping[header] = name
  }
  return mapping
}

/** Ignores case, accents, vowel signs, punctuation and the variants of alef. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[أإآ]/g, 'ا')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
