import { ageOn, type BirthPrecision, birthSpan, correctionOn } from '~/fields/birth'
import { parseSex } from '~/fields/sex'
import { dayFrom } from '~/fields/typed'
import { smallest } from '~/shared/any-length'
import { daysBetween, monthsBetween } from '~/shared/zone'
import type { EventFormField } from './definition'
import {
  type ComparisonOperator,
  type Computation,
  type Condition,
  type Limits,
  needsValue,
  type Test,
  listConditionTests,
} from './definition-rules'
import { evaluateFormula, parseFormula } from './formula'
import { isImplausibleWeight, KG_PER_LB } from './weight-for-age'
import { weightForHeight } from './weight-for-height'
import { isNoAnswer } from '~/shared/no-answer'

/**
 * The patient and the day of the visit (`day`). Days are `yyyy-MM-dd`, null if unknown. `precision` is that of the
 * birth, to the day if absent.
 */
export type RuleSubject = {
  sex: string | null
  birth: string | null
  precision?: BirthPrecision
  weeksAtBirth?: number | null
  day: string
  /** The due date of the pregnancy that the record knows of on this day, where the answers do not date one. */
  dueOn?: string | null
}
/** Answers by field id: text, a number, a day, an option's value, true for a tick, or a list. */
export type Answers = Readonly<Record<string, unknown>>

type Evaluated = {
  /** Ids of the fields that are shown; a hidden field counts as unanswered. */
  visible: ReadonlySet<string>
  required: ReadonlySet<string>
  /** Ids of the fields whose answer `refuseIf` refuses. */
  refused: ReadonlySet<string>
  /** The answers of visible fields, computed ones included. */
  answers: Answers
}

/** Evaluates the rules of a form in one pass from top to bottom: a rule refers only to fields above its own. */
export function evaluate(
  fields: readonly EventFormField[],
  given: Answers,
  subject: RuleSubject,
): Evaluated {
  const visible = new Set<string>()
  const required = new Set<string>()
  const refused = new Set<string>()
  const settled = new Map<string, unknown>()
  const above = new Map<string, EventFormField>()
  const answers: Record<string, unknown> = {}
  for (const field of fields) {
    const scope = { fields: above, answers: settled, subject }
    if (isVisible(field, scope)) {
      visible.add(field.id)
      if (isRequired(field, scope)) required.add(field.id)
      const answer = field.rules?.compute
        ? computed(field.rules.compute, scope)
        : own(given, field.id)
      if (!isNoAnswer(answer)) {
        settled.set(field.id, answer)
        answers[field.id] = answer
      }
    }
    above.set(field.id, field)
    // the condition may test the field's own answer, which is known now
    if (settled.has(field.id) && field.rules?.refuseIf && holds(field.rules.refuseIf, scope))
      refused.add(field.id)
  }
  return { visible, required, refused, answers }
}

/** The fields above and their answers. */
type Scope = {
  fields: ReadonlyMap<string, EventFormField>
  answers: ReadonlyMap<string, unknown>
  subject: RuleSubject
}

const isVisible = (field: EventFormField, scope: Scope) =>
  !field.rules?.showIf || holds(field.rules.showIf, scope)

const isRequired = ({ required, rules }: EventFormField, scope: Scope) =>
  required || (rules?.requiredIf !== undefined && holds(rules.requiredIf, scope))

const own = (answers: Answers, id: string) => (Object.hasOwn(answers, id) ? answers[id] : undefined)

/**
 * Where the birth is approximate or unknown, a condition on the age holds if it holds for any
 * possible age: the cautious reading. A condition that refuses an answer is read the same way.
 */
function holds(condition: Condition, scope: Scope): boolean {
  const { subject } = scope
  const ages = listConditionTests(condition).filter(isOnAge)
  const asked = () =>
    subject.birth === null ? anyBirth(ages, subject.day) : possibleBirths(subject)
  const births = ages.length === 0 ? [subject.birth] : asked()
  return births.some((birth) => holdsFor(condition, scope, { ...subject, birth }))
}

function holdsFor(
  { match, least = 1, tests, groups = [] }: Condition,
  scope: Scope,
  subject: RuleSubject,
): boolean {
  // whether the age is known depends on the patient, not on one possible age
  const test = (one: Test) =>
    compare(
      one.comparison,
      comparedValue(one.fieldId, { ...scope, subject: isOnAge(one) ? subject : scope.subject }),
      one.value,
    )
  const wanted = match === 'atLeast' ? least : 1
  let held = 0
  for (const one of tests) if (test(one)) held += 1
  for (const group of groups) if (holdsFor(group, scope, subject)) held += 1
  if (match === 'all') return held === tests.length + groups.length
  return match === 'none' ? held === 0 : held >= wanted
}

const isAge = (id: string) => id === '__age_years__' || id === '__age_months__'
const isOnAge = ({ fieldId, comparison }: Test) => isAge(fieldId) && needsValue(comparison)

/** Why the age that rules of the form test is uncertain; null if it is certain or not tested. */
export function ageDoubt(
  fields: readonly EventFormField[],
  { birth, precision = 'day' }: RuleSubject,
): 'approximate' | 'unknown' | null {
  if (birth !== null && precision === 'day') return null
  const asks = fields.some(({ rules }) =>
    [rules?.showIf, rules?.requiredIf].some(
      (condition) => condition && listConditionTests(condition).some(isOnAge),
    ),
  )
  if (!asks) return null
  return birth === null ? 'unknown' : 'approximate'
}

/** Days of birth on either side of every tested age: together they give each result that an unknown age can have. */
function anyBirth(tests: readonly Test[], day: string): string[] {
  const months = tests.flatMap(({ fieldId, value }) => {
    const age = Math.floor(Number(value)) * (fieldId === '__age_years__' ? 12 : 1)
    return Number.isFinite(age) ? [age - 1, age, age + 1, age + 12] : []
  })
  return [...new Set([0, ...months.filter((age) => age >= 0)])].map((age) => monthsBefore(day, age))
}

/** The first of the month, so that no day is missing in it: the age in months is the one wanted. */
function monthsBefore(day: string, months: number): string {
  const count = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - months
  const year = String(Math.floor(count / 12)).padStart(4, '0')
  return `${year}-${String((count % 12) + 1).padStart(2, '0')}-01`
}

/** Days of birth that give every age in months that the person can have; none is after the visit. */
function possibleBirths({ birth, precision = 'day', day }: RuleSubject): (string | null)[] {
  if (!birth || precision === 'day') return [birth]
  const [earliest, latest] = birthSpan({ day: birth, precision })
  const last = latest < day ? latest : day
  const births = [last]
  for (let days = 28; (addDays(last, -days) ?? '') > earliest; days += 28)
    births.push(addDays(last, -days)!)
  return earliest < last ? [...births, earliest] : births
}

/** The value that a test compares: an answer or a fact about the patient. */
function comparedValue(id: string, { fields, answers, subject }: Scope): unknown {
  if (id === '__sex__') return subject.sex?.toLowerCase() ?? null
  if (id === '__due_date__') return subject.dueOn ?? null
  if (id === '__age_years__') return subject.birth ? ageOn(subject.birth, subject.day) : null
  if (id === '__age_months__')
    return subject.birth ? monthsBetween(subject.birth, subject.day) : null
  const field = fields.get(id)
  return field ? comparable(field, answers.get(id)) : null
}

/** A tick is compared as its first option, a diagnosis as its code, a medicine as its name. */
function comparable(field: EventFormField, answer: unknown): unknown {
  if (answer === true && 'options' in field) return field.options[0]?.value ?? true
  if (!Array.isArray(answer)) return answer
  return answer.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry
    const { code, name } = entry as { code?: unknown; name?: unknown }
    return code ?? name
  })
}

function compare(comparison: ComparisonOperator, answer: unknown, wanted: Test['value']): boolean {
  if (comparison === 'answered') return !isNoAnswer(answer)
  if (comparison === 'notAnswered') return isNoAnswer(answer)
  if (comparison === 'is') return isSame(answer, wanted)
  // no answer is not another answer: `isNot` does not hold
  if (comparison === 'isNot') return !isNoAnswer(answer) && !isSame(answer, wanted)
  const order = compareAnswers(answer, wanted)
  if (order === null) return false
  if (comparison === 'lessThan') return order < 0
  if (comparison === 'atMost') return order <= 0
  return comparison === 'moreThan' ? order > 0 : order >= 0
}

const plain = (value: unknown) => String(value).normalize('NFKC').trim().toLowerCase()
const isSame = (answer: unknown, wanted: unknown): boolean =>
  Array.isArray(answer)
    ? answer.some((entry) => isSame(entry, wanted))
    : !isNoAnswer(answer) && (plain(answer) === plain(wanted) || numbers(answer, wanted)?.[0] === 0)

const numbers = (a: unknown, b: unknown) => {
  const [left, right] = [toNumber(a), toNumber(b)]
  return left === null || right === null ? null : [left - right]
}

/** Below 0 if the answer is smaller; null if the two cannot be compared. */
function compareAnswers(answer: unknown, wanted: unknown): number | null {
  const difference = numbers(answer, wanted)
  if (difference) return difference[0] ?? null
  const [a, b] = [toDay(answer), toDay(wanted)]
  return a && b ? daysBetween(b, a) : null
}

/** A number as answered, or as the value of an option (a score). */
function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^[-+]?\d+(\.\d+)?$/.test(value.trim())) return null
  return Number(value)
}
const toDay = (value: unknown) => (typeof value === 'string' ? dayFrom(value) : null)

/** Null outside of the years 0 to 9999. */
function addDays(day: string, days: number): string | null {
  const moment = new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000)
  const text = Number.isNaN(moment.getTime()) ? '' : moment.toISOString().slice(0, 10)
  return /^\d{4}-/.test(text) ? text : null
}

/** Naegele's rule: 280 days from the first day of the last period. */
const PREGNANCY_DAYS = 280
/** After more days, the period is not that of this pregnancy. */
const LONGEST_WEEKS = 45
/**
 * A scan before 24 weeks estimates the gestational age (WHO recommendations on antenatal care,
 * 2016, B.2.4); a later one does not.
 */
const LATEST_SCAN_WEEKS = 24

/**
 * The day that a pregnancy is counted from: by an early scan, otherwise by the last period, otherwise by what the
 * record knows. Null if it cannot be of this pregnancy.
 */
function countedFrom(
  [period, scan]: readonly (string | null)[],
  scanWeeks: number | null,
  { day, dueOn }: RuleSubject,
) {
  const recorded = dueOn ? addDays(dueOn, -PREGNANCY_DAYS) : null
  const isEarly = scanWeeks !== null && scanWeeks > 0 && scanWeeks < LATEST_SCAN_WEEKS
  const first = scan && isEarly ? addDays(scan, -Math.round(scanWeeks * 7)) : (period ?? recorded)
  if (!first) return null
  const days = daysBetween(first, day)
  return days < 0 || Math.floor(days / 7) > LONGEST_WEEKS ? null : first
}

/** Computations whose first argument is a weight, whatever the field is recorded as. */
const WEIGHT_FIRST: ReadonlySet<Computation['function']> = new Set(['bmi', 'weightForHeight'])

/** Whether an answer is a weight that WHO takes for a mistake at the age: nothing is computed of it, no dose either. */
function isMistakenWeight(
  field: EventFormField,
  value: unknown,
  isWeight: boolean,
  subject: RuleSubject,
) {
  const number = toNumber(value)
  if (number === null || (!isWeight && field.rules?.vital !== 'weight_kg')) return false
  const isPounds = 'units' in field && field.units?.[0] === 'lb'
  const days = possibleBirths(subject).flatMap((birth) => {
    if (!birth) return []
    const day = daysBetween(birth, subject.day)
    const correction = correctionOn(
      { day: birth, precision: 'day', weeksAtBirth: subject.weeksAtBirth ?? null },
      subject.day,
    )
    return correction > 0 ? [day, day - correction] : [day]
  })
  return isImplausibleWeight(isPounds ? number * KG_PER_LB : number, days, parseSex(subject.sex))
}

/** The computed answer; null until all its arguments are answered and plausible. */
function computed(compute: Computation, scope: Scope): string | number | null {
  const { subject } = scope
  const values = compute.fields.map((id, at) => {
    const field = scope.fields.get(id)!
    const isWeight = at === 0 && WEIGHT_FIRST.has(compute.function)
    const value = comparable(field, scope.answers.get(id))
    return isMistakenWeight(field, value, isWeight, subject) ? null : value
  })
  const days = values.map(toDay)
  const round = (value: number | null) => (value === null ? null : rounded(value, compute.decimals))
  switch (compute.function) {
    case 'ageYears':
      return subject.birth ? notNegative(ageOn(subject.birth, subject.day)) : null
    case 'ageMonths':
      // months counted from a bare year or from an age in years would be invented
      if (subject.precision === 'year' || subject.precision === 'age') return null
      return subject.birth ? notNegative(monthsBetween(subject.birth, subject.day)) : null
    case 'dueDate': {
      const first = countedFrom(days, toNumber(values[2]), subject)
      return first ? addDays(first, PREGNANCY_DAYS) : null
    }
    case 'addDays':
      return days[0] ? addDays(days[0], compute.days) : null
    case 'daysBetween':
      return days[0] && days[1] ? daysBetween(days[0], days[1]) : null
    case 'gestationalWeeks': {
      const first = countedFrom(days, toNumber(values[2]), subject)
      return first ? Math.floor(daysBetween(first, subject.day) / 7) : null
    }
    case 'sum':
      return round(sumAnswers(compute, values, scope))
    case 'mean': {
      // the mean of the answered fields: of one, its value
      const known = values.map(toNumber).filter((value) => value !== null)
      return known.length === 0
        ? null
        : round(known.reduce((sum, value) => sum + value, 0) / known.length)
    }
    case 'bmi': {
      const [weight, height] = values.map(toNumber)
      return weight && height && weight > 0 && height > 0
        ? round(weight / (height / 100) ** 2)
        : null
    }
    case 'weightForHeight': {
      const [weight, height] = values.map(toNumber)
      return weight && height ? round(wastingZ(weight, height, subject)) : null
    }
    case 'formula': {
      const formula = parseFormula(compute.formula, compute.fields.length)
      const known = values.map(toNumber)
      return formula && known.every((value) => value !== null)
        ? round(evaluateFormula(formula, known))
        : null
    }
  }
}

/** Whether the answer waits for a more exact date of birth: no other answer of the form completes it. */
export function waitsForBirth({ function: name }: Computation, { birth, precision }: RuleSubject) {
  if (name === 'ageMonths') return birth === null || precision === 'year' || precision === 'age'
  return (name === 'ageYears' || name === 'weightForHeight') && birth === null
}

/** Where the birth is approximate, the lowest z-score of the possible ages: the cautious reading. */
function wastingZ(weight_kg: number, height_cm: number, subject: RuleSubject): number | null {
  const sex = parseSex(subject.sex)
  if (!sex) return null
  const found = possibleBirths(subject).flatMap((birth) => {
    if (!birth) return []
    const measured = { weight_kg, height_cm, position: null, day: daysBetween(birth, subject.day) }
    return weightForHeight(measured, sex)?.z ?? []
  })
  return found.length > 0 ? smallest(found) : null
}

const notNegative = (value: number) => (value < 0 ? null : value)

function rounded(value: number, decimals: number): number | null {
  const result = Math.round((value + Number.EPSILON) * 10 ** decimals) / 10 ** decimals
  return Number.isFinite(result) ? result : null
}

/** The sum of the visible fields: a hidden one adds nothing; an unanswered one means no sum. */
function sumAnswers(
  { fields }: Computation,
  values: readonly unknown[],
  scope: Scope,
): number | null {
  let sum = 0
  for (const [at, id] of fields.entries()) {
    const field = scope.fields.get(id)
    if (!field || !isVisible(field, scope)) continue
    const parts = [values[at]].flat().map(toNumber)
    if (parts.some((part) => part === null)) return null
    for (const part of parts) sum += part ?? 0
  }
  return sum
}

/** A number against the field's limits: `low` and `high` are accepted and marked, `refused` is not accepted. */
export function checkAnswerRange(
  field: EventFormField,
  answer: unknown,
): 'refused' | 'low' | 'high' | 'normal' {
  const value = toNumber(answer)
  const { limits, normal } = field.rules ?? {}
  if (value === null) return 'normal'
  if (sideOfLimits(limits, value) !== 0) return 'refused'
  const side = sideOfLimits(normal, value)
  if (side === 0) return 'normal'
  return side < 0 ? 'low' : 'high'
}

/** -1 below the limits, 1 above, 0 within. */
function sideOfLimits(limits: Limits | undefined, value: number): -1 | 0 | 1 {
  if (limits?.min !== null && limits?.min !== undefined && value < limits.min) return -1
  return limits?.max !== null && limits?.max !== undefined && value > limits.max ? 1 : 0
}

/** Whether the field accepts a day, relative to the day of the visit. */
export function fitsDays(field: EventFormField, day: string, { day: visit }: RuleSubject): boolean {
  if (field.rules?.days === 'past') return day <= visit
  return field.rules?.days === 'future' ? day >= visit : true
}
