import { birthFrom, birthText, isAge, isAgeOfZero, latestDay } from '~/fields/birth'
import { certainDay } from '~/fields/day'
import { dayFrom, isAmbiguousNumber, latinDigits, numberFrom } from '~/fields/typed'
import { withoutStray } from '~/fields/sex'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { checkAnswers, type CheckedAnswers } from '~/features/people/registration/given-answers'
import { askedFields, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import {
  isDamagedIdentity,
  isLostValue,
  isShortenedNumber,
  isWordForNothing,
  isWordForTotal,
  lost,
  shortened,
} from '~/fields/damaged-cells'
import { AppError, type Message } from '~/shared/errors'
import type { CsvRow } from '../csv.server'
import { type DateFormat, parseFormattedDay, isAmbiguous } from './date-format'
import type { ColumnMapping } from '../lists'
import { type ColumnFormats, dateFormatIn, numberFormatIn, numberIn } from '../reader/formats'
import { parseLanguage } from './language-words'
import { fromCell } from '~/shared/csv'
import { ownOrStableId, stableId } from '../stable-id'
import { type Fate, rejected } from '../tally'
import type { ImportedRecord } from '../write.server'

export type PatientsFile = {
  headers: readonly string[]
  form: readonly RegistrationField[]
  mapping: ColumnMapping
  clinicId: string
  dateFormat?: DateFormat
  /** By the headings of the columns; `dateFormat` is that of the others. */
  formats?: ColumnFormats
  /** `yyyy-MM-dd`: when the ages were right, of rows that do not say when the patient was registered. */
  agesOn?: string | undefined
  /**
   * The column that identifies a patient in later files, such as a file number. Without one, the
   * whole row does.
   */
  keyColumn?: string
  /** The column of sex holds F and M: M is male. Without an F, M may be the Spanish "mujer". */
  isFemaleMale?: boolean
  /** Patients are registered without what the form requires, except a name; the tally counts them. */
  allowsMissing?: boolean
  /** Stored patients get the values of the file; otherwise they stay as they are. */
  updates?: boolean
  /** What the import writes is recorded under this id, for its undo. */
  importId?: string
  /** When the import began: patients registered before may be those of the file. */
  since?: Date
}

type ReadPatient =
  | {
      record: ImportedRecord
      answers: CheckedAnswers['answers']
      /** Cells with a word for nothing. */
      emptied: readonly Message[]
      /** What the form requires and the patient is registered without. */
      assumed: readonly Message[]
    }
  | { fate: Fate }

/** Checks rows of a file like the registration form, with its error messages. */
export function patientReader(file: PatientsFile) {
  const { headers, mapping, dateFormat, formats, agesOn, keyColumn, clinicId, isFemaleMale } = file
  const form = file.allowsMissing ? file.form.map(withoutRequired) : file.form
  const required = file.allowsMissing ? file.form.filter(mayBeMissing) : []
  const asked = askedFields(form)
  const words = new Set<string>()
  const fields = new Map(form.map((field) => [nameOfField(field), field]))
  const mapped = headers.flatMap((header, at) => {
    const name = Object.hasOwn(mapping, header) ? mapping[header]! : ''
    return name ? [{ name, header, at, field: fields.get(name) }] : []
  })
  // a field that no column fills has no answer
  const noColumns = Object.fromEntries(
    asked.filter(({ baseField }) => baseField).map(({ column }) => [column, null]),
  )
  const noAnswers = Object.fromEntries(
    asked.filter(({ baseField }) => !baseField).map(({ id }) => [id, null]),
  )
  const keyAt = keyColumn === undefined ? -1 : headers.indexOf(keyColumn)
  const year = new Date().getUTCFullYear()

  // of each row that tells nobody apart, the lines that are like it
  const alike = new Map<string, number[]>()
  const countBefore = (cells: readonly string[], line: number) => {
    const row = JSON.stringify(cells)
    const lines = alike.get(row) ?? []
    if (!lines.includes(line)) alike.set(row, [...lines, line])
    return lines.filter((other) => other < line).length
  }

  return ({ values, line }: CsvRow): ReadPatient => {
    const emptied: Message[] = []
    const cells = mapped.map(({ at, name, header, field }) => {
      const cell = fromCell(values[at] ?? '').trim()
      if (!isNothing(cell, name, field)) return cell
      emptied.push({ key: 'imports.reasons.emptied', values: { value: cell, column: header } })
      return ''
    })
    const stated = cells.filter(Boolean)
    if (stated.length === 0) return refuse({ key: 'imports.reasons.nothing' })
    const name = cells[mapped.findIndex((one) => one.name === 'given_name')]
    // "Suma" is a name, too, of a woman whose row says more
    const isPerson = mapped.some((one, at) => saysWho(cells[at] ?? '', one.name))
    if (name && !isPerson && isWordForTotal(name))
      return refuse({ key: 'imports.reasons.totalLine' })
    // a source or a date of printing below the table
    if (file.allowsMissing && mapped.length > 2 && stated.length === 1 && !isOneName(name))
      return refuse({ key: 'imports.reasons.oneCell' })
    const given: Record<string, unknown> = { ...noColumns }
    const answers: Record<string, unknown> = { ...noAnswers }
    for (const [i, { name: columnName, header, field }] of mapped.entries()) {
      const isOfSex = field?.baseField && columnName === 'sex'
      const cell = isOfSex ? sexWord(cells[i]!, isFemaleMale) : cells[i]!
      if (isLostValue(cell)) return refuse(lost(cell, header))
      if (isDamaged(cell, columnName, field)) return refuse(shortened(cell, header))
      const numbers = numberFormatIn(formats, header)
      const read = readCell(
        numbers ? numberIn(numbers, cell) : cell,
        columnName,
        field,
        dateFormatIn(formats, header) ?? dateFormat,
        year,
      )
      if ('unknown' in read) {
        // a language that papers do not have: the patient is registered without one
        emptied.push({
          key: 'imports.reasons.emptied',
          values: { value: short(cell), column: header },
        })
        continue
      }
      if ('problem' in read)
        return refuse({ key: read.problem, values: { value: short(cells[i]!), column: header } })
      if (field && !field.baseField) answers[field.id] = read.value
      else given[columnName] = read.value
    }
    const { id, created_at, language, ...base } = given
    const key = keyAt < 0 ? undefined : values[keyAt]?.trim()
    if (key !== undefined && (!key || isWordForNothing(key, false)))
      return refuse({ key: 'imports.reasons.missing', values: { column: keyColumn! } })
    if (key && isDamagedIdentity(key)) return refuse(shortened(key, keyColumn!))
    // an age was right on the day that the list or the user says
    const asOf = typeof created_at === 'string' ? created_at.slice(0, 10) : agesOn
    const born = base['date_of_birth']
    if (typeof born === 'string' && !asOf && isAge(born))
      return refuse({ key: 'imports.reasons.ageOfNoDay', values: { value: short(born) } })
    const birth = asOf && typeof born === 'string' ? birthFrom(born, asOf) : null
    if (birth) base['date_of_birth'] = birthText(birth)
    try {
      const whole = { ...base, answers }
      const { checked, unread } = readAnswers(whole)
      for (const unreadName of unread) {
        const at = mapped.findIndex((one) => one.name === unreadName)
        emptied.push(leftEmpty(cells[at] ?? '', mapped[at]?.header ?? unreadName))
      }
      const columns = patientColumns(checked.columns)
      if (created_at && asOf && columns.date_of_birth && columns.date_of_birth > asOf)
        return refuse({
          key: 'imports.reasons.bornAfter',
          values: { value: columns.date_of_birth },
        })
      const before = isAnyone(columns) ? countBefore(cells, line) : 0
      return {
        record: {
          id: patientIdFor(clinicId, id as string | null, key, [
            ...cells,
            ...(before > 0 ? [String(before)] : []),
          ]),
          ...columns,
          primary_clinic_id: clinicId,
          ...(language ? { language } : {}),
          ...(created_at ? { created_at, updated_at: created_at } : {}),
        },
        answers: checked.answers.filter(({ answer }) => answer !== null),
        emptied,
        assumed: missingIn(checked),
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return refuse(rowRefusal(error, mapped, fields, cells))
    }
  }

  /** Each word is listed by itself, unless the column holds too many to be one of answers. */
  function leftEmpty(cell: string, column: string): Message {
    words.add(`${column} ${short(cell)}`)
    return words.size > MOST_WORDS
      ? { key: 'imports.reasons.emptied', values: { value: short(cell), column } }
      : { key: 'imports.reasons.wordLeftEmpty', values: { word: short(cell), column } }
  }

  /** A word that is no answer of a required field is read as empty where the field may be missing. */
  function readAnswers(given: Parameters<typeof checkAnswers>[1]) {
    try {
      return { checked: checkAnswers(form, given, { isNew: true }), unread: [] }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const unread = Object.keys(error.fields)
      const isUnread = (name: string) =>
        error.fields[name]?.key === 'validation.option' &&
        required.some((field) => nameOfField(field) === name)
      if (unread.length === 0 || !unread.every(isUnread)) throw error
      const rest = Object.fromEntries(
        Object.entries(given.answers ?? {}).filter(([id]) => !unread.includes(`answers.${id}`)),
      )
      const emptied = Object.fromEntries(
        unread.filter((name) => !name.startsWith('answers.')).map((name) => [name, null]),
      )
      const cleared = { ...given, ...emptied, answers: rest }
      return { checked: checkAnswers(form, cleared, { isNew: true }), unread }
    }
  }

  function missingIn({ columns, answers }: CheckedAnswers): Message[] {
    const isMissing = (field: RegistrationField) =>
      field.baseField
        ? !columns[field.column as keyof typeof columns]
        : answers.every((one) => one.field.id !== field.id || one.answer === null)
    return required.filter(isMissing).map((field) => ({
      key: 'imports.reasons.registeredWithout',
      values: {
        column:
          mapped.find(({ name }) => name === nameOfField(field))?.header ??
          field.label['en'] ??
          field.column,
      },
    }))
  }
}

const MOST_WORDS = 20

/** A patient has a name at least: without it nobody finds the record again. */
const mayBeMissing = (field: RegistrationField) =>
  field.required && !(field.baseField && field.column === 'given_name')
const withoutRequired = (field: RegistrationField) =>
  mayBeMissing(field) ? { ...field, required: false } : field

/** They name one patient, or the way to reach one. */
const IDENTITIES = new Set(['id', 'government_id', 'external_patient_id', 'phone'])

/** A line of totals has counts in them, if anything. */
const OF_A_PERSON = new Set([...IDENTITIES, 'date_of_birth', 'sex'])
const saysWho = (cell: string, name: string) =>
  cell !== '' && OF_A_PERSON.has(name) && !/^[\d.,]{1,5}$/.test(latinDigits(cell))

/** One to five words of letters. A note has a colon, a number, or a small word of no name: "Printed on Monday". */
const isOneName = (cell: string | undefined) =>
  cell !== undefined &&
  /^[\p{L}\p{M}'’.-]+(?: [\p{L}\p{M}'’.-]+){0,4}$/u.test(cell) &&
  !(/^\p{Lu}/u.test(cell) && cell.split(' ').some((word) => isSmallWord(word)))
const isSmallWord = (word: string) => /^\p{Ll}/u.test(word) && !OF_NAMES.has(word)
const OF_NAMES = new Set(
  'de,del,la,las,los,y,e,da,do,dos,al,el,bin,bint,ibn,ben,van,von'.split(','),
)

function isDamaged(cell: string, name: string, field: RegistrationField | undefined) {
  if (IDENTITIES.has(name)) return isDamagedIdentity(cell)
  const isText = name !== 'created_at' && !NO_TEXT.has(field?.fieldType ?? '')
  return isText && isShortenedNumber(cell)
}
/** A number in these is a quantity, a day or a choice, and `readCell` checks it. */
const NO_TEXT = new Set(['number', 'date', 'boolean'])

/** A choice may have an option of that name ("Unknown"), and a question for a text may be answered so ("None"). */
function isNothing(cell: string, name: string, field: RegistrationField | undefined) {
  const isOption = (option: RegistrationField['options'][number]) =>
    Object.values(option).some((text) => text?.toLowerCase() === cell.toLowerCase())
  if (field?.options.some(isOption)) return false
  const isAnswer =
    field && (field.options.length > 0 || (!field.baseField && !NO_TEXT.has(field.fieldType)))
  return isWordForNothing(cell, Boolean(isAnswer) && !IDENTITIES.has(name))
}

function sexWord(cell: string, isFemaleMale: boolean | undefined) {
  const word = withoutStray(cell)
  if (isFemaleMale && /^[mf]$/i.test(word)) return /^m$/i.test(word) ? 'male' : 'female'
  return word
}

const refuse = (reason: Message) => ({ fate: rejected(reason) })
const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Without a birth, a number and a phone: two such rows of one name may be two people. */
const isAnyone = (columns: ReturnType<typeof patientColumns>) =>
  !columns.date_of_birth && !columns.government_id && !columns.external_patient_id && !columns.phone

function patientIdFor(
  clinicId: string,
  id: string | null | undefined,
  key: string | undefined,
  cells: readonly string[],
) {
  if (key) return stableId('patients', clinicId, 'key', key)
  if (id) return ownOrStableId(`patients ${clinicId}`, id)
  return stableId('patients', clinicId, 'row', ...cells)
}

type Cell = { value: unknown } | { problem: Message['key'] } | { unknown: true }

function readCell(
  text: string,
  name: string,
  field: RegistrationField | undefined,
  format: DateFormat | undefined,
  year: number,
): Cell {
  if (text === '') return { value: null }
  if (name === 'created_at') return readMoment(text, format, year)
  if (name === 'language') {
    const language = parseLanguage(text)
    return language ? { value: language } : { unknown: true }
  }
  switch (field?.fieldType) {
    case 'date': {
      const day = readDay(text, format, year)
      if ('value' in day || name !== 'date_of_birth') return day
      // a year, an approximate year or day, or an age; the form's check refuses an age of 0
      const mayBe = isAge(text) || /^([~≈].*|\d{1,4}\b\D*|\D+)$/.test(latinDigits(text))
      return mayBe && (birthFrom(text, latestDay()) || isAgeOfZero(text)) ? { value: text } : day
    }
    case 'number': {
      const value = numberFrom(text)
      if (typeof value === 'number') return { value }
      return {
        problem: isAmbiguousNumber(text)
          ? 'imports.reasons.ambiguousNumber'
          : 'imports.reasons.number',
      }
    }
    case 'boolean':
      if (yes.test(text)) return { value: true }
      if (no.test(text)) return { value: false }
      return { problem: 'imports.reasons.yesNo' }
    case 'checkbox':
      return {
        value: text
          .replaceAll(BETWEEN_CHOICES, ';')
          .split(';')
          .map((choice) => choice.trim())
          .filter(Boolean),
      }
    default:
      return { value: text }
  }
}

/** Separates several choices in one text, as on phones. */
const BETWEEN_CHOICES = '\u001F'
const yes = /^(yes|y|true|1|s[ií]|verdadero|نعم|صح|✓|x)$/i
const no = /^(no|n|false|0|falso|لا|خطأ)$/i

function readDay(text: string, format: DateFormat | undefined, year: number): Cell {
  // 24/01/1973 has one reading, also in a column that mixes both orders
  const certain = format ? null : certainDay(text)
  if (!format && !certain && isAmbiguous(text)) return { problem: 'imports.reasons.dateFormat' }
  const day = format
    ? (parseFormattedDay(format, text, year) ?? parseFormattedDay('YYYY-MM-DD', text, year))
    : (parseFormattedDay('YYYY-MM-DD', text, year) ?? certain ?? dayFrom(text))
  return day ? { value: day } : { problem: 'imports.reasons.date' }
}

function readMoment(text: string, format: DateFormat | undefined, year: number): Cell {
  if (
    /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
    return { value: new Date(text).toISOString() }
  const day = readDay(text, format, year)
  return 'value' in day ? { value: `${String(day.value)}T12:00:00.000Z` } : day
}

function patientColumns({ date_of_birth, ...columns }: CheckedAnswers['columns']) {
  const birth = date_of_birth ? birthFrom(date_of_birth, latestDay()) : null
  return {
    ...columns,
    date_of_birth: birth?.day ?? null,
    metadata: withBirthPrecision({}, birth?.precision ?? 'day'),
  }
}

/** The first error of a row and its column. */
function rowRefusal(
  error: AppError,
  mapped: { name: string; header: string }[],
  fields: ReadonlyMap<string, RegistrationField>,
  cells: readonly string[],
): Message {
  const [name = '', text] = Object.entries(error.fields)[0] ?? []
  if (!text) return error.text
  const at = mapped.findIndex((one) => one.name === name)
  const header = mapped[at]?.header ?? fields.get(name)?.label['en'] ?? name
  if (text.key === 'validation.option' && at >= 0) {
    const value = cells[at]!
    const key =
      name === 'sex' && /^\p{L}$/u.test(value)
        ? 'imports.reasons.sexLetter'
        : 'imports.reasons.option'
    return { key, values: { value: short(value), column: header } }
  }
  return text.key === 'validation.required'
    ? { key: 'imports.reasons.missing', values: { column: header } }
    : { key: text.key, values: { ...text.values, column: header } }
}
