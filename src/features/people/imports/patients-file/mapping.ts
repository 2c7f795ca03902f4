import { askedFields, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { patientColumn } from '~/records/patient'
import {
  knownHeadings,
  type KnownHeadings,
  mappingByHeadings,
  textsIn,
} from '../reader/headings.server'
import type { Mapping, Target } from '../lists'

type PatientTarget = Target & { field?: RegistrationField }

/** What columns may fill, in the form's order. */
export const targetsOf = (form: readonly RegistrationField[]): PatientTarget[] => [
  ...askedFields(form).map((field) => ({
    name: nameOfField(field),
    label: field.label,
    required: field.required,
    field,
    ...(field.fieldType === 'date' && { holds: 'dates' as const }),
    ...(field.fieldType === 'number' && { holds: 'numbers' as const }),
  })),
  { name: 'id', label: ownLabels.id, required: false },
  { name: 'created_at', label: ownLabels.created_at, required: false, holds: 'dates' },
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
    'registered|registered at|registered on|registration date|date registered|date of registration|created|created at',
    'fecha de registro|registrado|registrada|registrado el|registrada el|fecha de inscripcion|fecha de ingreso',
    'inscrito|inscrita|inscrito el|inscrita el',
    'تاريخ التسجيل|يوم التسجيل|سجل في|مسجل في',
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
  return mappingByHeadings(headers, patientHeadings(form))
}

export function patientHeadings(form: readonly RegistrationField[]): KnownHeadings {
  const targets = targetsOf(form)
  return knownHeadings([
    targets.map(({ name, label, field }) => [
      name,
      [name, ...(field ? [field.column] : []), ...textsIn(label)],
    ]),
    targets.map(({ name }) => [name, ownHeadings[name] ?? patientColumn(name).headings ?? []]),
  ])
}
