import { addDays, addMonths } from '~/shared/zone'
import facts from './valid-doses.json'

/** What a vaccine protects against, as far as schedules count it: `valid-doses.json`. */
export type VaccinePart = keyof typeof facts.parts | 'td'

type Late = { from_months: number; doses: number; third_after_months?: number }
type PartFacts = {
  doses: number
  from_days?: number
  from_months?: number
  interval?: number
  interval_months?: number
  before_months?: number
  birth?: readonly string[]
  late?: readonly Late[]
}
const PARTS: Readonly<Record<Exclude<VaccinePart, 'td'>, PartFacts>> = facts.parts
const PARTS_OF: Readonly<Record<string, readonly string[] | undefined>> = facts.vaccines
const vaccineParts = (vaccine: string) => (PARTS_OF[vaccine] ?? []) as readonly VaccinePart[]

export type GivenDose = { id: string; vaccine: string; day: string; visitId: string | null }

/** The patient whose doses are judged. Without an exact birth date, no age is compared. */
export type Child = { born: string | null; isBirthExact: boolean }

/** Why a dose does not count. `day`: from when on, until when, or the day of the dose before. */
export type NotCountedReason =
  | { why: 'too_young'; from: string }
  | { why: 'too_old'; before: string }
  | { why: 'same_day' }
  | { why: 'too_soon'; last: string; from: string }

/** The days of a reason, for its sentence. */
export function reasonDays(reason: NotCountedReason): Record<string, string> {
  if (reason.why === 'too_young') return { day: reason.from }
  if (reason.why === 'too_old') return { day: reason.before }
  return reason.why === 'too_soon' ? { day: reason.from, last: reason.last } : {}
}

/** A dose that counts: 0 is a birth dose. */
type Counted = { dose: GivenDose; number: number }

/** The doses of one part in their order: those that count, and why the others do not. */
export type Chain = {
  counted: readonly Counted[]
  refused: ReadonlyMap<string, NotCountedReason>
  /** Doses of the primary series at the age of the first one. */
  needed: number
  /** The first day on which the dose of this number can count, by the lowest age and the doses before it. */
  earliest: (number: number) => string | null
}

const later = (a: string | null, b: string | null) => (a !== null && (b === null || a > b) ? a : b)

const findLateStart = (part: PartFacts, born: string | null, first: string | undefined) =>
  born === null || first === undefined
    ? undefined
    : part.late?.findLast(({ from_months }) => first >= addMonths(born, from_months))

/** The lowest age of a part; a combined product has its own. */
function lowestAge({ from_days, from_months }: PartFacts, born: string, isCombined: boolean) {
  const day =
    from_months === undefined ? addDays(born, from_days ?? 0) : addMonths(born, from_months)
  return isCombined ? (later(day, addDays(born, facts.combined_from_days)) ?? day) : day
}

function nextFrom(part: PartFacts, last: string, late: Late | undefined, number: number): string {
  if (number === 3 && late?.third_after_months) return addMonths(last, late.third_after_months)
  return part.interval_months === undefined
    ? addDays(last, part.interval ?? 0)
    : addMonths(last, part.interval_months)
}

const byDay = (a: GivenDose, b: GivenDose) => {
  if (a.day < b.day) return -1
  if (a.day > b.day) return 1
  if (a.id < b.id) return -1
  return 1
}

/** Which doses count for a part of the primary series. Each is compared with the last one that counts. */
export function primaryDoseChain(
  name: Exclude<VaccinePart, 'td'>,
  { born, isBirthExact }: Child,
  doses: readonly GivenDose[],
): Chain {
  const part = PARTS[name]
  const age = isBirthExact ? born : null
  const counted: Counted[] = []
  const refused = new Map<string, NotCountedReason>()
  const late = () => findLateStart(part, age, counted.find(({ number }) => number === 1)?.dose.day)
  for (const dose of doses
    .filter(({ vaccine }) => vaccineParts(vaccine).includes(name))
    .toSorted(byDay)) {
    const last = counted.at(-1)
    const isBirthDose =
      age !== null &&
      counted.length === 0 &&
      part.birth?.includes(dose.vaccine) === true &&
      dose.day <= addDays(age, facts.birth_days)
    const number = isBirthDose ? 0 : (last?.number ?? 0) + 1
    const reason = isBirthDose ? undefined : refusedBecause(part, age, dose, last, late(), number)
    if (reason) refused.set(dose.id, reason)
    else counted.push({ dose, number })
  }
  const series = late()
  return {
    counted,
    refused,
    needed: series?.doses ?? part.doses,
    earliest(number) {
      if (number === 0) return born
      const lowest = born === null ? null : lowestAge(part, born, false)
      const before = counted.findLast((one) => one.number < number)
      return before ? later(lowest, nextFrom(part, before.dose.day, series, number)) : lowest
    },
  }
}

function refusedBecause(
  part: PartFacts,
  born: string | null,
  dose: GivenDose,
  last: Counted | undefined,
  late: Late | undefined,
  number: number,
): NotCountedReason | undefined {
  if (last?.dose.day === dose.day) return { why: 'same_day' }
  if (born !== null) {
    const from = lowestAge(part, born, vaccineParts(dose.vaccine).length > 1)
    if (dose.day < from) return { why: 'too_young', from }
    const before = part.before_months === undefined ? null : addMonths(born, part.before_months)
    if (before !== null && dose.day >= before) return { why: 'too_old', before }
  }
  if (!last) return undefined
  const from = nextFrom(part, last.dose.day, late, number)
  return dose.day < from ? { why: 'too_soon', last: last.dose.day, from } : undefined
}

/** The day of the third dose of a series of inactivated polio vaccine alone, four weeks apart; null: not complete. */
export function ipvOnlySince(child: Child, doses: readonly GivenDose[]): string | null {
  const given: string[] = []
  const from =
    child.isBirthExact && child.born !== null ? lowestAge(PARTS.ipv, child.born, false) : null
  for (const { vaccine, day } of doses.toSorted(byDay)) {
    if (!vaccineParts(vaccine).includes('ipv') || (from !== null && day < from)) continue
    const last = given.at(-1)
    if (!last || day >= addDays(last, PARTS.opv.interval ?? 0)) given.push(day)
  }
  return given[2] ?? null
}

/**
 * Boosters of tetanus and diphtheria: doses after the third of the primary series, of any product with both. The
 * numbers go on: 4, 5 and 6. A child who began after the first birthday needs two.
 */
export function boosterChain(
  child: Child,
  doses: readonly GivenDose[],
): Chain & { isOpen: boolean } {
  const primary = primaryDoseChain('dtp', child, doses)
  const third = primary.counted.find(({ number }) => number === 3)?.dose
  const first = primary.counted.find(({ number }) => number === 1)?.dose
  const isLate = findLateStart(PARTS.dtp, child.born, first?.day) !== undefined
  const needed = isLate ? 5 : 6
  const counted: Counted[] = []
  const lowest = (number: number): string | null => {
    const rule = facts.boosters[number - 4]
    const before =
      number === 4 ? third?.day : counted.find((one) => one.number === number - 1)?.dose.day
    if (!rule || !before || child.born === null) return null
    const after = addMonths(before, isLate ? rule.late_after_months : rule.after_months)
    return later(addMonths(child.born, rule.from_months), after)
  }
  const afterThird = doses
    .filter(({ vaccine }) => vaccineParts(vaccine).some((part) => part === 'td' || part === 'dtp'))
    .filter(({ day }) => third !== undefined && day > third.day)
    .toSorted(byDay)
  for (const dose of afterThird) {
    const number = counted.length + 4
    const from = number > needed ? null : lowest(number)
    if (from !== null && dose.day >= from) counted.push({ dose, number })
  }
  return {
    isOpen: third !== undefined,
    counted,
    refused: new Map(),
    needed,
    earliest(number) {
      const rule = facts.boosters[number - 4]
      const before =
        number === 4 ? third?.day : counted.find((one) => one.number === number - 1)?.dose.day
      const from = lowest(number)
      if (!rule || !before || isLate) return from
      return later(from, addMonths(before, rule.due_after_months))
    },
  }
}

/** A part for which a dose does not count, and why. */
export type Verdict = NotCountedReason & { part: VaccinePart }

/** Of each dose that does not count: for which parts, and why. Vaccines without a rule are not judged. */
export function judgeDoses(
  child: Child,
  doses: readonly GivenDose[],
): Map<string, readonly Verdict[]> {
  const verdicts = new Map<string, Verdict[]>()
  const add = (id: string, verdict: Verdict) =>
    verdicts.set(id, [...(verdicts.get(id) ?? []), verdict])
  for (const part of Object.keys(PARTS) as Exclude<VaccinePart, 'td'>[])
    for (const [id, reason] of primaryDoseChain(part, child, doses).refused)
      add(id, { ...reason, part })
  return verdicts
}
