import { askedFields, nameOfField } from '~/features/registration-form/form-fields'
import type { BaseColumn, FormField } from '~/features/registration-form/registration-form'
import type { Translated } from '~/shared/language'

/** What a column of a file becomes: the name of a field of the form, or one of these two. */
export const OWN_TARGETS = ['id', 'created_at'] as const
/** Column's heading -> target. A column that is not in it is passed over. */
export type Mapping = Readonly<Record<string, string>>
export type Target = { name: string; label: Translated; required: boolean; field?: FormField }

/** What columns may become, in the form's order. */
export const targetsOf = (form: readonly FormField[]): Target[] => [
  ...askedFields(form).map((field) => ({
    name: nameOfField(field),
    label: field.label,
    required: field.required,
    field,
  })),
  { name: 'id', label: ownLabels.id, required: false },
  { name: 'created_at', label: ownLabels.created_at, required: false },
]

const ownLabels = {
  id: { en: 'Record id', ar: 'معرّف السجل', es: 'Id. del registro' },
  created_at: { en: 'Registered', ar: 'تاريخ التسجيل', es: 'Fecha de registro' },
}

/** How other systems' exports head these columns, beside what the form itself calls them. */
const headings: Record<BaseColumn | (typeof OWN_TARGETS)[number], string> = {
  given_name:
    'given name|first name|firstname|forename|first|fname|name|nombre|nombres|primer nombre|الاسم|الاسم الأول|اسم المريض',
  surname:
    'surname|last name|lastname|family name|family|last|lname|apellido|apellidos|اسم العائلة|العائلة|الكنية|اللقب|الشهرة',
  date_of_birth:
    'date of birth|birth date|birthdate|birthday|dob|born|birth|age|fecha de nacimiento|nacimiento|f nac|edad|تاريخ الميلاد|الميلاد|تاريخ الولادة|العمر',
  sex: 'sex|gender|sexo|genero|الجنس|النوع',
  citizenship: 'citizenship|nationality|nacionalidad|ciudadania|pais|الجنسية',
  hometown:
    'hometown|home town|city|town|village|ciudad|pueblo|lugar de origen|municipio|مسقط الرأس|المدينة|البلدة|القرية|مكان الأصل',
  phone:
    'phone|phone number|telephone|tel|mobile|cell|telefono|celular|movil|الهاتف|رقم الهاتف|الجوال|الموبايل|تلفون',
  camp: 'camp|campamento|campo|المخيم|مخيم',
  government_id:
    'government id|national id|id number|ssn|passport|passport number|documento|documento de identidad|cedula|dni|curp|رقم الهوية|الهوية|الرقم الوطني|الرقم القومي|جواز السفر',
  external_patient_id:
    'external patient id|external id|patient id|patient number|file number|mrn|record number|chart number|numero de expediente|expediente|historia clinica|id paciente|رقم الملف|رقم المريض|رقم المريض الخارجي',
  id: 'id|uuid|record id|id del registro|معرف السجل',
  created_at:
    'registered|registered at|registration date|created|created at|fecha de registro|registrado|تاريخ التسجيل',
}

/**
 * The columns that a heading names beyond doubt, in three languages: by the form's own labels first, then by what other
 * systems call them. Each target once. A person looks it over before anything is imported.
 */
export function guessMapping(headers: readonly string[], form: readonly FormField[]): Mapping {
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
  for (const [name, known] of Object.entries(headings))
    if (targets.some((target) => target.name === name))
      for (const heading of known.split('|')) know(heading, name)

  const mapping: Record<string, string> = {}
  for (const header of headers) {
    const name = byHeading.get(plain(header))
    if (name && !Object.values(mapping).includes(name)) mapping[header] = name
  }
  return mapping
}

/** Without capitals, accents, vowel signs, signs between words, and the variants of alef. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[أإآ]/g, 'ا')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
