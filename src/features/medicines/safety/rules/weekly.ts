import { inWords } from '~/shared/in-words'
import type { CheckedDrug, RuleWarning } from './rule'

type EveryDay = { most: number; longerThan: number }

/** What a row says of a medicine that is taken once a week. */
export type OfWeek = {
  /** Taken once a week; every day it has killed. */
  weekly?: boolean
  /** From this dose on it is the dose of a week, in mg. */
  weeklyFrom?: number
  /** How grave it is to take the dose of a week more often; a contraindication without it. */
  weeklyLevel?: 'avoid'
  /** A treatment of at most so many days, or together with this substance, has other doses than those of a week. */
  treatment?: { days: number; with?: string }
  /** Between two doses are at least so many days; of doses of these amounts alone. */
  seldom?: { days: number; from?: number; upTo?: number }
  /**
   * The highest dose of a day, taken every day for longer than so many days: a loading dose is higher. `perKg`: of a
   * child, and of adults, too, where it `isOfAll`, but at least `leastOfAdult`; `under`: below this age in months.
   */
  everyDay?: EveryDay & {
    perKg?: number
    isOfAll?: true
    leastOfAdult?: number
    under?: EveryDay & { months: number }
  }
}

/**
 * The highest daily dose of a treatment over many days. Undefined for a single dose and for doses that are days apart.
 * `kg`: the patient's weight, undefined if nobody measured it.
 */
export function mostEveryDay(
  { dosing }: CheckedDrug,
  { everyDay }: OfWeek,
  isUnder: (months: number) => boolean,
  isChild: boolean,
  kg?: number,
) {
  if (!everyDay || dosing?.everyDays !== 1) return undefined
  const { perKg, isOfAll, leastOfAdult = 0, under } = everyDay
  const { most, longerThan } = under && isUnder(under.months) ? under : everyDay
  if ((dosing.days ?? Infinity) <= longerThan) return undefined
  if (!kg || !perKg || !(isChild || isOfAll)) return most
  return Math.min(most, isChild ? perKg * kg : Math.max(leastOfAdult, perKg * kg))
}

/**
 * The dose of a week that is taken every day or several times a week; null where a week is between the doses, or it is
 * one single dose. `together`: the substances of all medicines of the check.
 */
export function moreThanWeekly(
  { name, dosing }: CheckedDrug,
  quantity: number,
  row: OfWeek,
  together: ReadonlySet<string>,
): Pick<RuleWarning, 'level' | 'text' | 'todo'> | null {
  const { weekly, weeklyFrom = Infinity, treatment } = row
  const { everyDays, dosesPerDay, days } = dosing!
  if (!weekly && quantity < weeklyFrom) return null
  if (everyDays === null || (everyDays >= 7 && dosesPerDay <= 1)) return null
  const isTreatment =
    treatment &&
    ((treatment.with && together.has(treatment.with)) || (days ?? Infinity) <= treatment.days)
  if (isTreatment) return null
  return {
    level: row.weeklyLevel ?? 'must_not',
    text: inWords(weekly ? 'safety.sentence.notWeekly' : 'safety.sentence.notOfWeek', {
      drug: name,
    }),
    todo: inWords(weekly ? 'safety.sentence.notWeeklyTodo' : 'safety.sentence.notOfWeekTodo'),
  }
}

/** What is given with days or weeks between its doses, more often than that. `quantity`: null of a patch. */
export function moreThanSeldom(
  { name, dosing }: CheckedDrug,
  quantity: number | null,
  { seldom }: OfWeek,
): Pick<RuleWarning, 'level' | 'text' | 'todo'> | null {
  if (!seldom || !dosing?.everyDays) return null
  const { everyDays, dosesPerDay, days } = dosing
  // one dose alone, also where it is written as once a day for one day
  const isSingle = (days ?? Infinity) <= everyDays
  if (dosesPerDay <= 1 && (isSingle || everyDays >= seldom.days)) return null
  const { from = 0, upTo = Infinity } = seldom
  if (quantity !== null && (quantity < from || quantity > upTo)) return null
  return {
    level: 'must_not',
    text: inWords('safety.sentence.notSeldom', { drug: name, n: seldom.days }),
    todo: inWords('safety.sentence.notSeldomTodo'),
  }
}
