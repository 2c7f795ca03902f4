import * as z from 'zod'
import { ageRangeInMonths, type Birth } from '~/fields/birth'
import { parseSex } from '~/fields/sex'
import { orNull } from '~/shared/record'
import { addDays, daysBetween } from '~/shared/zone'

export const PREGNANCY_STATES = [
  'pregnant',
  'breastfeeding',
  'after_birth',
  'not_pregnant',
  'not_possible',
  'not_known',
] as const
export type PregnancyState = (typeof PREGNANCY_STATES)[number]

/** What holds on a day; `not_possible` is a "not pregnant" that does not end. */
export type CurrentPregnancyState = Exclude<PregnancyState, 'not_possible'>

/** What the expected day of birth is computed from. */
const DATINGS = ['last_period', 'due_date', 'weeks'] as const
export type Dating = (typeof DATINGS)[number]

/**
 * From the first day of the last period to the expected day of birth (Naegele's rule, as the
 * antenatal form computes it).
 */
const PREGNANCY_DAYS = 280
/** No pregnancy lasts longer: beyond it, the dates or the answer are out of date. */
const MAX_PREGNANCY_WEEKS = 45
/** Six weeks after birth: the postnatal period (WHO, Recommendations on maternal and newborn care, 2022). */
const AFTER_BIRTH_DAYS = 42
/** WHO recommends to breastfeed for two years or beyond; after that the question is asked again. */
const BREASTFEEDING_DAYS = 730
/** "Not pregnant" holds for one cycle. */
const NOT_PREGNANT_DAYS = 28

const day = orNull(z.iso.date('validation.date'))

/** An answer for a day. For a pregnancy one of the last period, the due date or the weeks on that day, or none. */
export const RecordPregnancyInput = z
  .object({
    id: z.uuid('validation.id'),
    patientId: z.uuid('validation.id'),
    state: z.enum(PREGNANCY_STATES, 'validation.option'),
    /** `yyyy-MM-dd`; today where the clinic is when absent. */
    asked_on: day.optional(),
    last_period_on: day.optional(),
    due_on: day.optional(),
    weeks: orNull(
      z
        .number('validation.wrongType')
        .int('validation.wrongType')
        .min(1, 'pregnancies.weeksRange')
        .max(MAX_PREGNANCY_WEEKS, 'pregnancies.weeksRange'),
    ).optional(),
    ended_on: day.optional(),
  })
  .superRefine(({ state, last_period_on, due_on, weeks, ended_on }, ctx) => {
    const addIssue = (path: string, message: string) =>
      ctx.addIssue({ code: 'custom', message, path: [path] })
    const dated = { last_period_on, due_on, weeks }
    const given = Object.entries(dated).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [name],
    )
    if (given.length > 0 && state !== 'pregnant') addIssue(given[0]!, 'pregnancies.onlyPregnant')
    if (given.length > 1) addIssue(given[1]!, 'pregnancies.oneDating')
    if (state === 'after_birth' && !ended_on) addIssue('ended_on', 'pregnancies.endedRequired')
    if (ended_on && state !== 'after_birth' && state !== 'breastfeeding')
      addIssue('ended_on', 'pregnancies.onlyAfterBirth')
  })
/** The expected day of birth and what it rests on; null when nothing is known. */
export function estimateDueDate(given: {
  asked_on: string
  last_period_on?: string | null | undefined
  due_on?: string | null | undefined
  weeks?: number | null | undefined
}): { due_on: string; dating: Dating } | null {
  const { asked_on, last_period_on, due_on, weeks } = given
  if (last_period_on)
    return { due_on: addDays(last_period_on, PREGNANCY_DAYS), dating: 'last_period' }
  if (due_on) return { due_on, dating: 'due_date' }
  return weeks ? { due_on: addDays(asked_on, PREGNANCY_DAYS - weeks * 7), dating: 'weeks' } : null
}

/** Completed weeks of pregnancy on a day. */
const pregnancyWeeks = (dueOn: string, on: string) =>
  Math.floor((PREGNANCY_DAYS - daysBetween(on, dueOn)) / 7)

/** Whether the due date is possible for a pregnancy on that day: 0 to 45 weeks. */
export function isPlausibleDueDate(dueOn: string, on: string): boolean {
  const weeks = pregnancyWeeks(dueOn, on)
  return weeks >= 0 && weeks <= MAX_PREGNANCY_WEEKS && daysBetween(on, dueOn) >= -35
}

export type PregnancyAnswer = {
  state: string
  asked_on: string
  due_on: string | null
  ended_on: string | null
  /** The antenatal care whose beginning or end says it. */
  enrollment_id: string | null
}
type KnownPregnancy = {
  state: CurrentPregnancyState
  weeks: number | null
  /** The expected day of birth; null of a pregnancy that nothing dates, and of any other state. */
  dueOn: string | null
  /** The day for which it was answered; null when nothing holds. */
  askedOn: string | null
  /** Within six weeks after a birth, breastfeeding or not. */
  isAfterBirth: boolean
}

const UNKNOWN: KnownPregnancy = {
  state: 'not_known',
  weeks: null,
  dueOn: null,
  askedOn: null,
  isAfterBirth: false,
}

/**
 * What holds on a day, out of all answers, newest first: an answer ends by itself when the
 * pregnancy must be over, six weeks after the birth, or when "not pregnant" is older than a cycle.
 * A dated pregnancy holds from its last period on. An answer "pregnant" without a date takes that of the answers before
 * it about the same pregnancy.
 */
export function pregnancyOn(all: readonly PregnancyAnswer[], on: string): KnownPregnancy {
  const answers = all.filter(
    (answer, at) => !isEndOfAntenatalCare(answer) || followsPregnancy(all, at),
  )
  const answer =
    answers.find(({ asked_on }) => asked_on <= on) ??
    answers.findLast(({ due_on }) => due_on !== null && pregnancyWeeks(due_on, on) >= 0)
  if (!answer) return UNKNOWN
  const { asked_on, ended_on } = answer
  const due_on = answer.due_on ?? earlierDueDate(answers, answer)
  const known = { ...UNKNOWN, askedOn: asked_on }
  const age = daysBetween(asked_on, on)
  const isAfterBirth =
    ended_on !== null && on >= ended_on && daysBetween(ended_on, on) < AFTER_BIRTH_DAYS
  switch (answer.state) {
    case 'pregnant':
      return resolvePregnancy(known, due_on, age, on)
    case 'after_birth':
      return isAfterBirth ? { ...known, state: 'after_birth', isAfterBirth } : UNKNOWN
    case 'breastfeeding':
      return daysBetween(ended_on ?? asked_on, on) <= BREASTFEEDING_DAYS
        ? { ...known, state: 'breastfeeding', isAfterBirth }
        : UNKNOWN
    case 'not_pregnant':
      return age <= NOT_PREGNANT_DAYS ? { ...known, state: 'not_pregnant' } : UNKNOWN
    case 'not_possible':
      return { ...known, state: 'not_pregnant' }
    default:
      return UNKNOWN
  }
}

const isEndOfAntenatalCare = ({ enrollment_id, state }: PregnancyAnswer) =>
  enrollment_id !== null && state !== 'pregnant'

/** The end of antenatal care says nothing to a patient who breastfeeds, or was not known to be pregnant any more. */
const followsPregnancy = (answers: readonly PregnancyAnswer[], at: number) =>
  answers.slice(at + 1).find(({ state }) => state !== 'not_known')?.state === 'pregnant'

/** After this answer, another pregnancy is spoken of. "Not known" on the patient's page ends none. */
export const isEndOfPregnancy = (answer: PregnancyAnswer) =>
  isEndOfAntenatalCare(answer) || (answer.state !== 'pregnant' && answer.state !== 'not_known')

/** The newest date of the same pregnancy among the answers before one that has none. */
function earlierDueDate(
  answers: readonly PregnancyAnswer[],
  answer: PregnancyAnswer,
): string | null {
  if (answer.state !== 'pregnant') return null
  const before = answers.slice(answers.indexOf(answer) + 1)
  const end = before.findIndex(isEndOfPregnancy)
  const same = end < 0 ? before : before.slice(0, end)
  const dated = same.find(({ due_on }) => due_on !== null)
  return dated && isPlausibleDueDate(dated.due_on!, answer.asked_on) ? dated.due_on : null
}

function resolvePregnancy(
  known: KnownPregnancy,
  dueOn: string | null,
  age: number,
  on: string,
): KnownPregnancy {
  if (dueOn === null)
    return age < MAX_PREGNANCY_WEEKS * 7 ? { ...known, state: 'pregnant' } : UNKNOWN
  const weeks = pregnancyWeeks(dueOn, on)
  if (weeks < MAX_PREGNANCY_WEEKS) return { ...known, state: 'pregnant', weeks, dueOn }
  // the birth was not recorded; it was at the latest in week 45
  const isAfterBirth = daysBetween(dueOn, on) < (MAX_PREGNANCY_WEEKS - 40) * 7 + AFTER_BIRTH_DAYS
  return isAfterBirth ? { ...known, state: 'after_birth', isAfterBirth } : UNKNOWN
}

const ASKED_FROM_YEARS = 12
const ASKED_TO_YEARS = 50

/**
 * Whether pregnancy is asked about: women from 12 to 50, and patients who may be one of them
 * because sex or age are not recorded.
 */
export function isPregnancyRelevant(
  sex: string | null,
  birth: Birth | null,
  today: string,
): boolean {
  if (parseSex(sex) === 'male') return false
  if (!birth) return true
  const [youngest, oldest] = ageRangeInMonths(birth, today)
  return oldest >= ASKED_FROM_YEARS * 12 && youngest < (ASKED_TO_YEARS + 1) * 12
}
