import { plainWords } from '~/fields/plain-words'
import { latinDigits } from '~/fields/typed'
import type { CsvRow } from '../csv.server'
import { askedFields, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { patientColumn } from '~/records/patient'
import {
  distinctShare,
  isUnnamed,
  mappingByContent,
  passingShare,
  withoutContradicted,
  headingWords,
} from '../reader/content.server'
import {
  knownHeadings,
  type KnownHeadings,
  mappingByHeadings,
  translatedTexts,
} from '../reader/headings.server'
import { isName, isSingleName, MAY_BE_PHONE, PATIENT_CONTENT } from './patient-content'
import type { ColumnMapping, ImportTarget } from '../lists'
import { isId } from '~/shared/id'

type PatientTarget = ImportTarget & { field?: RegistrationField }

/** What columns may fill, in the form's order. */
export const patientFieldTargets = (form: readonly RegistrationField[]): PatientTarget[] => [
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

/** What a file must have: what the form requires, or a name alone. */
export const neededTargets = (
  targets: readonly PatientTarget[],
  allowsMissing: boolean | undefined,
): readonly PatientTarget[] =>
  allowsMissing
    ? targets.map((target) => ({ ...target, required: target.name === 'given_name' }))
    : targets

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
 * first, then by the headings of other systems; then the targets that the cells of the first rows name. Each target is
 * used once. A user reviews the mapping before the import.
 */
export function guessMapping(
  headers: readonly string[],
  form: readonly RegistrationField[],
  rows: readonly CsvRow[] = [],
): ColumnMapping {
  const named = mappingByHeadings(headers, registrationHeadings(form))
  if (rows.length === 0) return named
  const known = new Set(patientFieldTargets(form).map(({ name }) => name))
  const whole = withGivenName(headers, rows, named)
  const sure = withFileNumber(headers, rows, whole, known)
  const kept = withoutContradicted(headers, rows, sure, { phone: MAY_BE_PHONE })
  const asked = PATIENT_CONTENT.filter(({ target }) => known.has(target))
  const matched = { ...kept, ...mappingByContent(headers, rows, kept, asked) }
  return { ...matched, ...surnameBeside(headers, rows, matched, known) }
}

/** French for a surname and for any name: without another column of names it holds the whole name. */
const AMBIGUOUS_NAMES = headingWords('nom')

function withGivenName(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
): ColumnMapping {
  const named = Object.values(mapping)
  const header = headers.find(
    (each) => mapping[each] === 'surname' && AMBIGUOUS_NAMES.has(plainWords(each)),
  )
  const mayNamePeople = (each: string, at: number) =>
    !mapping[each] && (passingShare(rows, at, isName) ?? 0) >= 0.9 && distinctShare(rows, at) >= 0.6
  if (header === undefined || named.includes('given_name') || headers.some(mayNamePeople))
    return mapping
  return { ...mapping, [header]: 'given_name' }
}

/**
 * A column "ID" whose cells are not record ids of Sanad holds the file number of each patient, unless it numbers rows:
 * in another list the same patient has another one.
 */
function withFileNumber(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
  known: ReadonlySet<string>,
): ColumnMapping {
  const number = 'external_patient_id'
  if (!known.has(number) || Object.values(mapping).includes(number)) return mapping
  return Object.fromEntries(
    Object.entries(mapping).flatMap(([header, target]) => {
      const at = headers.indexOf(header)
      if (target !== 'id' || passingShare(rows, at, isId) !== 0) return [[header, target] as const]
      return numbersRows(rows, at) ? [] : [[header, number] as const]
    }),
  )
}

/** 1, 2, 3 and on from the first row: more than one, for a list of one patient may begin with any number. */
const numbersRows = (rows: readonly CsvRow[], at: number) =>
  rows.length > 1 &&
  rows.every(({ values }, row) => Number(latinDigits(values[at] ?? '').trim()) === row + 1)

/** The column after single given names, in a file without headings. */
function surnameBeside(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
  known: ReadonlySet<string>,
): ColumnMapping {
  const at = headers.findIndex((header) => isUnnamed(header) && mapping[header] === 'given_name')
  const next = headers[at + 1]
  if (at < 0 || next === undefined || !known.has('surname')) return {}
  if ((passingShare(rows, at, isSingleName) ?? 0) < 0.9) return {}
  const isSurname =
    !mapping[next] &&
    (passingShare(rows, at + 1, isSingleName) ?? 0) >= 0.9 &&
    distinctShare(rows, at + 1) >= 0.6
  return isSurname ? { [next]: 'surname' } : {}
}

export function registrationHeadings(form: readonly RegistrationField[]): KnownHeadings {
  const targets = patientFieldTargets(form)
  return knownHeadings([
    targets.map(({ name, label, field }) => [
      name,
      [name, ...(field ? [field.column] : []), ...translatedTexts(label)],
    ]),
    targets.map(({ name }) => [name, ownHeadings[name] ?? patientColumn(name).headings ?? []]),
  ])
}
