import { dayFrom, latinDigits } from '~/fields/typed'
import { largest } from '~/shared/any-length'
import { storedMomentDay } from './answer'
import {
  type AnswerKind,
  type Diagnosis,
  type FormAnswer,
  type Json,
  type Medicine,
  same,
} from './answers'

type Option = { value: string; label: string }
type Reading = { options: readonly Option[]; timeZone: string }

/**
 * How phones store each kind of answer. `read` accepts any stored value, of any version or program;
 * `read(write(answer))` equals the answer.
 */
type StoredKind = {
  read: (value: unknown, reading: Reading) => FormAnswer
  write: (answer: Exclude<FormAnswer, null>, reading: Reading) => unknown
}

const asIs = (answer: unknown) => answer

export const storedKinds: Record<AnswerKind, StoredKind> = {
  // phones store true for a ticked box and "" for an empty one
  tick: {
    read: (value, { options: [ticked] }) =>
      value === true ? (ticked?.value ?? 'true') : toText(value || null),
    write: (answer, { options: [ticked] }) =>
      answer === (ticked?.value ?? 'true') ? true : answer,
  },
  choice: { read: toText, write: asIs },
  choices: { read: readChoices, write: writeChoices },
  text: { read: toText, write: asIs },
  // a text: the phone's text box shows nothing for a number
  number: { read: readNumber, write: String },
  date: {
    read: readDay,
    write: (day) => (typeof day === 'string' && isDay.test(day) ? `${day}T12:00:00.000Z` : day),
  },
  medicines: { read: readMedicines, write: asIs },
  diagnoses: { read: readDiagnoses, write: asIs },
  // one file is stored as its id: phones read nothing else
  files: {
    read: readFiles,
    write: (ids) => (Array.isArray(ids) && ids.length === 1 ? ids[0] : ids),
  },
}

function toText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** Separates several choices in one text, as phones write them. */
const SEPARATOR = '; '

function readChoices(value: unknown, { options }: Reading): string[] | null {
  const list = Array.isArray(value) ? value.map(toText) : split(toText(value) ?? '', options)
  const given = list.filter((choice) => choice !== null)
  return given.length > 0 ? given : null
}

/** One text if it can be split into the same choices again, otherwise a list. */
function writeChoices(answer: Exclude<FormAnswer, null>, reading: Reading) {
  if (!Array.isArray(answer)) return answer
  const text = (answer as string[]).join(SEPARATOR)
  return same(readChoices(text, reading), answer) ? text : answer
}

/** The value of an option may contain the separator: the longest run of pieces that is an option is one choice. */
function split(text: string, options: readonly Option[]): string[] {
  const pieces = text.split(SEPARATOR)
  const values = new Set(options.map(({ value }) => value))
  const longest = largest([1, ...options.map(({ value }) => value.split(SEPARATOR).length)])
  const found: string[] = []
  for (let at = 0; at < pieces.length;) {
    let size = Math.min(longest, pieces.length - at)
    while (size > 1 && !values.has(pieces.slice(at, at + size).join(SEPARATOR))) size -= 1
    found.push(pieces.slice(at, at + size).join(SEPARATOR))
    at += size
  }
  return found.filter((piece) => piece.trim() !== '')
}

const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i

/** A text that is not a number is returned unchanged. */
function readNumber(value: unknown): number | string | null {
  const text = toText(value)
  const digits = latinDigits(text ?? '').trim()
  return isNumber.test(digits) ? Number(digits) : text
}

const isDay = /^\d{4}-\d{2}-\d{2}$/
const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/**
 * Sanad writes a day as its noon in UTC, which is that day on phones from UTC-12 to UTC+11. A phone writes the
 * moment at which the user chose the day: the answer is the clinic's day at that moment.
 */
function readDay(value: unknown, { timeZone }: Reading): string | null {
  const text = toText(value)
  if (text === null || isDay.test(text)) return text
  const at = new Date(typeof value === 'number' ? value : text)
  const isTime = typeof value === 'number' || isMoment.test(text)
  if (!isTime || Number.isNaN(at.getTime())) return dayFrom(text) ?? text
  return text.endsWith('T12:00:00.000Z') ? text.slice(0, 10) : storedMomentDay(at, null, timeZone)
}

const isObject = (value: unknown): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** A text instead of a medicine is the medicine's name. */
export function readMedicines(value: unknown): Medicine[] | null {
  const list = toList(value).flatMap((each): Medicine[] => {
    if (isObject(each)) return [each]
    const name = toText(each)
    return name === null ? [] : [{ name }]
  })
  return list.length > 0 ? list : null
}

/** Phones write `{code, desc}`, or the option's value if the form has its own options. */
function readDiagnoses(value: unknown, { options }: Reading): Diagnosis[] | null {
  const list = toList(value).flatMap((each): Diagnosis[] => {
    if (isObject(each))
      return [{ ...each, code: toText(each['code']) ?? '', desc: toText(each['desc']) ?? '' }]
    const code = toText(each)
    if (code === null) return []
    return [{ code, desc: options.find((option) => option.value === code)?.label ?? code }]
  })
  return list.length > 0 ? list : null
}

function readFiles(value: unknown): string[] | null {
  const ids = toList(value).map((each) => toText(isObject(each) ? each['id'] : each))
  const given = ids.filter((id) => id !== null)
  return given.length > 0 ? given : null
}
