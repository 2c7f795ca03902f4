import * as z from 'zod'
import { findOption } from '~/fields/choice'
import { readDay } from '~/fields/day'
import { typed } from '~/fields/kind'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { cleanLine, cleanText } from '~/shared/typed-text'
import {
  type AnswerKind,
  answerKind,
  type Diagnosis,
  type FormAnswer,
  type Medicine,
  MEDICINE_PARTS,
  type MedicinePart,
  same,
} from './answers'
import type { EventFormField } from './definition'
import { FIRST_DAY, LAST_DAY } from './question'
import { isNothing } from '~/shared/no-answer'

type Checked = { answer: FormAnswer } | { problem: Message }
type Checker = (raw: unknown, field: EventFormField, kept: FormAnswer) => Checked

const wrong = (key: MessageKey, values?: Message['values']): Checked => ({
  problem: { key, values },
})

/** The longest short and long text, in characters. */
const LONGEST = { short: 2000, long: 20_000 }
const LARGEST = 1e15
const MOST_ENTRIES = 50
/** The longest medicine or diagnosis as JSON, with all keys that a phone stores. */
const LARGEST_ENTRY = 10_000
const notAKey = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The answer to store, or the problem with it. The stored answer (`kept`) stays valid, even if its option no longer
 * exists or a phone sent it unchecked.
 */
export function checkAnswer(field: EventFormField, raw: unknown, kept: FormAnswer = null): Checked {
  const kind = answerKind(field)
  if (kind === null) return wrong('answers.notAsked')
  if (isNothing(raw)) return { answer: null }
  return same(raw, kept) ? { answer: kept } : checkers[kind](raw, field, kept)
}

const selectableOptions = (field: EventFormField, kept: FormAnswer) => [
  ...('options' in field
    ? field.options.map(({ label, value }) => ({ value, label: { text: label } }))
    : []),
  ...(Array.isArray(kept) ? kept : [kept])
    .filter((choice) => typeof choice === 'string')
    .map((value) => ({ value, label: { text: value } })),
]

const checkers: Record<AnswerKind, Checker> = {
  tick: (raw, field) => {
    const [ticked] = 'options' in field ? field.options : []
    // a switch sends true or false
    if (raw === false) return { answer: null }
    return raw === true || raw === ticked?.value
      ? { answer: ticked?.value ?? 'true' }
      : wrong('validation.option')
  },
  choice(raw, field, kept) {
    const found = findOption(selectableOptions(field, kept), raw)
    return found ? { answer: found.value } : wrong('validation.option')
  },
  choices(raw, field, kept) {
    const options = selectableOptions(field, kept)
    if (!Array.isArray(raw) || raw.length > options.length) return wrong('validation.option')
    const found = new Set(raw.map((choice) => findOption(options, choice)?.value))
    if (found.has(undefined)) return wrong('validation.option')
    // in the order of the form, not of clicking
    const chosen = options.map(({ value }) => value).filter((value) => found.has(value))
    return { answer: [...new Set(chosen)] }
  },
  text(raw, field) {
    if (typeof raw !== 'string') return wrong('validation.wrongType')
    const max = field.fieldType === 'free-text' ? LONGEST[field.length] : LONGEST.short
    const hasLines = field.fieldType === 'free-text' && field.length === 'long'
    const clean = hasLines ? cleanText(raw).trim() : cleanLine(raw)
    if (clean.length > max) return wrong('validation.tooLong', { max })
    const isAddress = field.fieldType === 'free-text' && field.inputType === 'email'
    return isAddress && !z.email().safeParse(clean).success
      ? wrong('validation.email')
      : { answer: clean }
  },
  number: (raw) =>
    // -0 becomes 0: their texts are equal
    typeof raw === 'number' && Math.abs(raw) <= LARGEST
      ? { answer: raw + 0 }
      : wrong(isAmbiguousNumber(raw) ? 'validation.ambiguousNumber' : 'validation.number'),
  date(raw) {
    const read = typeof raw === 'string' ? readDay(raw) : null
    if (!read) return wrong('validation.date')
    if ('either' in read) return wrong('validation.whichDay')
    const { day } = read
    if (day < FIRST_DAY) return wrong('validation.tooEarly')
    return day > LAST_DAY ? wrong('validation.tooLate') : { answer: day }
  },
  medicines: (raw, _field, kept) => entries(raw, kept, aboutMedicine),
  diagnoses: (raw, _field, kept) => entries(raw, kept, aboutDiagnosis),
  files(raw, field) {
    if (field.fieldType !== 'file' || !Array.isArray(raw)) return wrong('validation.wrongType')
    const ids = [...new Set(raw.map(String))]
    if (!ids.every((id) => z.uuid().safeParse(id).success)) return wrong('validation.id')
    const most = field.multiple ? field.maxItems : 1
    if (ids.length > most) return wrong('answers.tooManyFiles', { max: most })
    return ids.length < field.minItems
      ? wrong('answers.tooFewFiles', { min: field.minItems })
      : { answer: ids }
  },
}

type Entry = Record<string, unknown>

/** A list of medicines or of diagnoses; entries that were stored before are not checked again. */
function entries(
  raw: unknown,
  kept: FormAnswer,
  errorOf: (entry: Entry) => Message | null,
): Checked {
  if (!Array.isArray(raw)) return wrong('validation.wrongType')
  if (raw.length > MOST_ENTRIES) return wrong('validation.tooMany', { max: MOST_ENTRIES })
  const before: readonly unknown[] = Array.isArray(kept) ? kept : []
  for (const entry of raw as unknown[]) {
    if (before.some((one) => same(one, entry))) continue
    const problem = isEntry(entry) ? errorOf(entry) : ({ key: 'validation.wrongType' } as const)
    if (problem) return { problem }
  }
  return { answer: raw as Medicine[] | Diagnosis[] }
}

function isEntry(entry: unknown): entry is Entry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false
  return (
    !Object.keys(entry).some((key) => notAKey.has(key)) &&
    JSON.stringify(entry).length <= LARGEST_ENTRY
  )
}

const LONGEST_PART = 500
const isPart = (part: unknown) =>
  part === undefined ||
  part === null ||
  (typeof part === 'string' && part.length <= LONGEST_PART) ||
  (typeof part === 'number' && Number.isFinite(part))

function aboutMedicine(entry: Entry): Message | null {
  if (!MEDICINE_PARTS.every((part) => isPart(entry[part]))) return { key: 'validation.wrongType' }
  const wrongPartOfEntry = wrongPart(entry)
  return wrongPartOfEntry && { key: wrongPartOfEntry.key }
}

/** The part of a medicine that is missing or makes no sense, and why. A dose or duration in words is kept as typed. */
export function wrongPart(entry: Entry): { part: MedicinePart; key: MessageKey } | null {
  const { name, dose, duration, durationUnits } = entry
  if (typeof name !== 'string' || cleanLine(name) === '')
    return { part: 'name', key: 'answers.medicineName' }
  if (isNotPositive(dose)) return { part: 'dose', key: 'answers.medicineDose' }
  if (isNotPositive(duration)) return { part: 'duration', key: 'answers.medicineDuration' }
  // a number alone does not say whether it means days or weeks
  const hasNumber = typeof numberFrom(typed(duration)) === 'number'
  return hasNumber && typed(durationUnits).trim() === ''
    ? { part: 'durationUnits', key: 'answers.medicineDurationUnit' }
    : null
}

function isNotPositive(part: unknown): boolean {
  const number = numberFrom(typed(part))
  return typeof number === 'number' && number <= 0
}

const LONGEST_CODE = 50
function aboutDiagnosis({ code, desc }: Entry): Message | null {
  if (typeof code !== 'string' || typeof desc !== 'string') return { key: 'validation.wrongType' }
  if (code.length > LONGEST_CODE)
    return { key: 'validation.tooLong', values: { max: LONGEST_CODE } }
  if (desc.length > LONGEST_PART)
    return { key: 'validation.tooLong', values: { max: LONGEST_PART } }
  return desc.trim() === '' ? { key: 'answers.diagnosisName' } : null
}
