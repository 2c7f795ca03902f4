import { addDays, addMonths } from '~/shared/zone'
import type { Schedule, ScheduleOption, ScheduleStep } from './schedule'
import {
  boosterChain,
  type Chain,
  primaryDoseChain,
  type Child,
  type GivenDose,
  ipvOnlySince,
  type VaccinePart,
} from './valid-doses'

/** A row of `follow_up_items` without its patient. */
type Item = {
  /** What makes it the same item after a rebuild: the step, and the day from which it counts. */
  key: string
  step: string
  due_on: string
  due_from: string
  overdue_from: string
  status: 'open' | 'done' | 'removed' | 'lost' | 'ended'
  status_on: string | null
  visit_id: string | null
  appointment_id: string | null
  hidden_until: string | null
  last_call_id: string | null
  /** The last call ended with an agreed date. */
  has_agreed: boolean
  expires_on: string | null
  is_lead: boolean
}

/** What an enrolment's items are computed from. All days are those of the clinic, `yyyy-MM-dd`. */
export type ItemFacts = {
  enrolledOn: string
  endedOn: string | null
  lmp: string | null
  born: string | null
  /** False: the day of birth is an estimate, and no age is compared. */
  isBirthExact?: boolean
  sex?: string | null
  /** Days from one visit to the next, if not those of the schedule. */
  reviewDays: number | null
  /** Visits of the program, by day, with their id. */
  visits: readonly { day: string; id: string | null }[]
  /** Without cancelled ones. `fulfilled`: the patient came. */
  appointments: readonly { id: string; day: string; madeAt: string; fulfilled: boolean }[]
  /** Calls of the program that were not taken back, oldest first. */
  calls: readonly {
    id: string
    day: string
    result: 'agreed_to_visit' | 'remind_to_call_later' | 'removed_from_overdue_list'
    agreedOn: string | null
    remindOn: string | null
  }[]
  doses: readonly { vaccine: string; day: string; visitId: string | null }[]
}

/** What a patient should come for, and what became of it (docs/rules.md, "Follow-up"). */
export function followUpItems(schedule: Schedule, facts: ItemFacts, today: string): Item[] {
  const { after } = schedule.steps[0]!
  const fromDay = after === 'birth' ? doses : contacts
  const items = (after === 'last_visit' ? reviews : fromDay)(schedule, facts, today)
  const lead = items
    .filter(({ status }) => status === 'open')
    .reduce<Item | undefined>(
      (least, item) => (least && least.overdue_from <= item.overdue_from ? least : item),
      undefined,
    )
  return items.map((item) => (item === lead ? { ...item, is_lead: true } : item))
}

type Dated = Pick<Item, 'due_on' | 'due_from' | 'overdue_from'>
const datedBy = ({ due_before, grace }: Schedule, due_on: string): Dated => ({
  due_on,
  due_from: addDays(due_on, -due_before),
  overdue_from: addDays(due_on, grace + 1),
})

const blank = {
  status_on: null,
  visit_id: null,
  appointment_id: null,
  hidden_until: null,
  last_call_id: null,
  has_agreed: false,
  expires_on: null,
  is_lead: false,
} satisfies Partial<Item>

/** The newest appointment after a day; of a series, whose rows are made at once, the first. */
const newest = (facts: ItemFacts, after: string, madeBy?: string) =>
  facts.appointments
    .filter(({ day, madeAt }) => day > after && (!madeBy || madeAt.slice(0, 10) <= madeBy))
    .reduce<ItemFacts['appointments'][number] | undefined>((best, one) => {
      if (!best || one.madeAt > best.madeAt) return one
      return one.madeAt === best.madeAt && one.day < best.day ? one : best
    }, undefined)

/** What the last call of a time says: `until` is its last day. */
function called(facts: ItemFacts, after: string, until?: string) {
  const call = facts.calls.findLast(({ day }) => day > after && (!until || day <= until))
  if (!call) return {}
  const hidden =
    call.result === 'agreed_to_visit' && call.agreedOn ? addDays(call.agreedOn, 1) : call.remindOn
  return {
    last_call_id: call.id,
    hidden_until: hidden,
    has_agreed: call.result === 'agreed_to_visit',
  }
}

const removalCalls = ({ calls }: ItemFacts) =>
  calls.filter(({ result }) => result === 'removed_from_overdue_list')

const later = (a: string, b: string) => (a > b ? a : b)

/** How an item ends that no visit satisfied: by the enrolment, by a day that passed, or not yet. */
function unmet(
  { endedOn }: ItemFacts,
  expiry: { on: string; status: 'lost' | 'ended' } | undefined,
  today: string,
): Pick<Item, 'status' | 'status_on' | 'expires_on'> {
  if (expiry && expiry.on <= (endedOn ?? today))
    return { status: expiry.status, status_on: expiry.on, expires_on: null }
  if (endedOn) return { status: 'ended', status_on: endedOn, expires_on: null }
  return { status: 'open', status_on: null, expires_on: expiry?.on ?? null }
}

// Reviews: one item after another ------------------------------------------------------------------

type Anchor = { day: string; kind: 'start' | 'visit' | 'removal'; visitId: string | null }

/**
 * Each visit opens the next item: its appointment, else so many days later. A patient who was taken
 * off the list comes back with a later appointment.
 */
function reviews(schedule: Schedule, facts: ItemFacts, today: string): Item[] {
  const step = schedule.steps[0]!
  const length = facts.reviewDays ?? step.days ?? 30
  const since = countedFrom(schedule, facts)
  const anchors = findAnchors({ ...facts, enrolledOn: since })
  let seen = since
  return anchors.flatMap((anchor, at) => {
    if (anchor.kind === 'visit') seen = anchor.day
    const next = anchors[at + 1]
    const appointment = newest(facts, anchor.day, next?.day)
    if (anchor.kind === 'removal' && !appointment) return []
    const dated = datedBy(schedule, appointment?.day ?? addDays(anchor.day, length))
    const lost = schedule.lost && {
      on: later(addMonths(seen, schedule.lost.months), dated.overdue_from),
      status: 'lost' as const,
    }
    const end = next
      ? {
          status: next.kind === 'removal' ? ('removed' as const) : ('done' as const),
          status_on: next.day,
          visit_id: next.visitId,
        }
      : unmet(facts, lost, today)
    return {
      ...blank,
      key: `${step.code}/${anchor.day}${anchor.kind === 'removal' ? '/removal' : ''}`,
      step: step.code,
      ...dated,
      appointment_id: appointment?.id ?? null,
      ...called(facts, anchor.day, next?.day),
      ...end,
    }
  })
}

/**
 * The enrolment; in an installation that had patients before it had the program, the later day of the upgrade: nobody
 * is overdue because of it.
 */
function countedFrom(
  { switched_on }: Schedule,
  { enrolledOn, endedOn }: Pick<ItemFacts, 'enrolledOn' | 'endedOn'>,
): string {
  const on = later(enrolledOn, switched_on?.version ?? enrolledOn)
  return endedOn && endedOn < on ? enrolledOn : on
}

/** The days that open an item, ascending. On a day with both, the visit counts and not the removal. */
function findAnchors(facts: ItemFacts): Anchor[] {
  const { enrolledOn, endedOn } = facts
  const isInside = ({ day }: { day: string }) => day >= enrolledOn && (!endedOn || day <= endedOn)
  const byDay = new Map<string, Anchor>([
    [enrolledOn, { day: enrolledOn, kind: 'start', visitId: null }],
  ])
  for (const { day } of removalCalls(facts).filter(
    (call) => isInside(call) && call.day > enrolledOn,
  ))
    byDay.set(day, { day, kind: 'removal', visitId: null })
  for (const { day } of facts.appointments.filter((one) => one.fulfilled && isInside(one)))
    byDay.set(day, { day, kind: 'visit', visitId: null })
  for (const { day, id } of facts.visits.filter(isInside))
    byDay.set(day, { day, kind: 'visit', visitId: id })
  return [...byDay.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

// Contacts: fixed steps from one day ---------------------------------------------------------------

/**
 * A step is satisfied by the first visit after the middle between it and the step before. A missed step
 * gives way when the next one is overdue.
 */
function contacts(schedule: Schedule, facts: ItemFacts, today: string): Item[] {
  const ofPregnancy = schedule.steps[0]!.after === 'lmp'
  const base = ofPregnancy ? facts.lmp : facts.enrolledOn
  if (!base) return []
  const steps = schedule.steps.map((step) => ({ step, due: addDays(base, step.days ?? 0) }))
  const ends = schedule.ends && addDays(base, schedule.ends.days)
  const visits = facts.visits.filter(({ day }) => !facts.endedOn || day <= facts.endedOn)
  const seen = visits.reduce((last, { day }) => later(last, day), facts.enrolledOn)
  let isFirst = true
  return steps.flatMap(({ step, due }, at) => {
    const before = steps[at - 1]?.step.days ?? (ofPregnancy ? undefined : 0)
    const opens = before === undefined ? undefined : (before + (step.days ?? 0)) / 2
    const visit = visits.find(({ day }) => isAfter(base, day, opens))
    const next = steps[at + 1]
    const passes = next ? datedBy(schedule, next.due).overdue_from : ends
    const lost = schedule.lost && addMonths(seen, schedule.lost.months)
    if (!visit && passes && passes <= facts.enrolledOn) return []
    const scheduled = datedBy(schedule, due)
    const removal = removalCalls(facts).find(
      ({ day }) =>
        day >= scheduled.overdue_from && (!passes || day < passes) && (!visit || day < visit.day),
    )
    const key = step.code
    const item = { ...blank, key, step: step.code, ...scheduled }
    if (removal)
      return { ...item, status: 'removed', status_on: removal.day, last_call_id: removal.id }
    if (visit) return { ...item, status: 'done', status_on: visit.day, visit_id: visit.id }
    const expiries = [
      ...(passes ? [{ on: passes, status: 'ended' as const }] : []),
      ...(lost ? [{ on: later(lost, facts.enrolledOn), status: 'lost' as const }] : []),
    ].toSorted((a, b) => (a.on < b.on ? -1 : 1))
    const end = unmet(facts, expiries[0], today)
    if (end.status !== 'open') return { ...item, ...end }
    const appointment = isFirst ? newest({ ...facts, appointments: open(facts) }, seen) : undefined
    isFirst = false
    return {
      ...item,
      ...(appointment && { ...datedBy(schedule, appointment.day), appointment_id: appointment.id }),
      ...called(facts, later(seen, scheduled.due_on)),
      ...end,
    }
  })
}

/** Whether a day is after `days` from the base, which may be a half; without `days`, not before the base. */
const isAfter = (base: string, day: string, days: number | undefined) =>
  days === undefined ? day >= base : day > addDays(base, Math.floor(days))

const open = ({ appointments }: ItemFacts) => appointments.filter(({ fulfilled }) => !fulfilled)

// Doses: of each vaccine one after another ---------------------------------------------------------

/** The parts that a combined step counts; a step of another vaccine counts the one part of it. */
const COMBINED: Readonly<Record<string, readonly SeriesPart[]>> = { penta: ['dtp', 'hepb', 'hib'] }
const SERIES: Readonly<Record<string, SeriesPart>> = { mr: 'measles' }
type SeriesPart = Exclude<VaccinePart, 'td'>

/**
 * Of each vaccine the doses that count (`valid-doses.ts`), and the next. Due: the later of the recommended age and of
 * the shortest wait after the dose before.
 */
function doses(schedule: Schedule, facts: ItemFacts, today: string): Item[] {
  const { born, endedOn } = facts
  if (!born) return []
  const child: Child = { born, isBirthExact: facts.isBirthExact ?? true }
  const given = facts.doses
    .filter(({ day }) => day >= born && (!endedOn || day <= endedOn))
    .map((dose, at) => ({ id: String(at).padStart(6, '0'), ...dose }))
  const context = { schedule, facts, born, today, given }
  const primary = schedule.steps.filter(({ option }) => !option)
  const optional = (option: ScheduleOption) =>
    schedule.switched_on?.[option] ? schedule.steps.filter((step) => step.option === option) : []
  const boosters = boosterChain(child, given)
  const hpv = facts.sex === 'female' ? optional('hpv').slice(0, schedule.hpv_doses ?? 1) : []
  return [
    ...[...new Set(primary.map(({ vaccine }) => vaccine ?? ''))].flatMap((vaccine): Item[] => {
      const steps = primary.filter((step) => step.vaccine === vaccine)
      const parts = COMBINED[vaccine]
      if (parts)
        return combined(
          vaccine,
          steps,
          parts.map((part) => ({
            part,
            items: ofSeries(steps, primaryDoseChain(part, child, given), context),
          })),
        )
      const items = ofSeries(
        steps,
        primaryDoseChain(SERIES[vaccine] ?? (vaccine as SeriesPart), child, given),
        context,
      )
      const isDone = vaccine === 'opv' && ipvOnlySince(child, given) !== null
      return isDone ? items.filter(({ status }) => status === 'done') : items
    }),
    ...(boosters.isOpen ? ofSeries(optional('boosters'), boosters, context) : []),
    ...ofSeries(hpv, primaryDoseChain('hpv', child, given), context),
  ]
}

/** The number of a step: 0 is a birth dose, and boosters go on after the third: `dtp-4`, `td-5`, `td-6`. */
const stepNumber = (code: string) => Number(code.split('-')[1] ?? 1)
type SeriesContext = {
  schedule: Schedule
  facts: ItemFacts
  born: string
  today: string
  given: readonly (GivenDose & { visitId: string | null })[]
}

/**
 * The steps of a combined vaccine from those of its parts. What has the same state in all parts is one step; a part
 * that alone is missing is a step of its own, so that nobody gives the others again.
 */
function combined(
  vaccine: string,
  steps: readonly ScheduleStep[],
  parts: readonly { part: SeriesPart; items: readonly Item[] }[],
): Item[] {
  return steps.flatMap(({ code }): Item[] => {
    const each = parts.flatMap(({ part, items }) => {
      const item = items.find(({ step }) => step === code)
      return item ? [{ part, item }] : []
    })
    const [first] = each
    if (!first) return []
    const isOpen = (part: SeriesPart) =>
      each.some((one) => one.part === part && one.item.status === 'open')
    // a part of which an earlier dose is missing has no item here; a late starter needs fewer doses of another
    const isBehind = parts.some(
      ({ items }) =>
        !items.some(({ step }) => step === code) &&
        items.some(({ status }) => status === 'open' || status === 'removed'),
    )
    const isOneState = each.every(({ item }) => item.status === first.item.status)
    if ((isOneState && !isBehind) || (isOpen('dtp') && isOpen('hepb'))) {
      // a combined vaccine is given when all its missing parts may be given, and was when all were
      const same = each.filter(({ item }) => item.status === 'open' || isOneState)
      return [
        same
          .map(({ item }) => item)
          .reduce((a, b) => (`${b.due_on}${b.status_on}` > `${a.due_on}${a.status_on}` ? b : a)),
      ]
    }
    return each.map(({ part, item }) => {
      const step = `${part}-${stepNumber(code)}`
      return { ...item, key: `${vaccine}/${step}`, step }
    })
  })
}

function ofSeries(
  steps: readonly ScheduleStep[],
  chain: Chain,
  { schedule, facts, born, today, given }: SeriesContext,
): Item[] {
  const { enrolledOn } = facts
  const items: Item[] = []
  let previous: string | undefined
  for (const step of steps) {
    const number = stepNumber(step.code)
    const dose = chain.counted.find((one) => one.number === number)?.dose
    // a late starter needs fewer doses
    if (!dose && number > chain.needed) break
    const age = atAge(born, step.days, step.months)
    const due = later(age, chain.earliest(number) ?? age)
    const limit = atAge(born, step.before_days, step.before_months)
    const scheduled = withSwitch(schedule, step, datedBy(schedule, due), { born, limit })
    const item = { ...blank, key: step.code, step: step.code, ...scheduled }
    const removal = removalCalls(facts).find(
      ({ day }) => day >= scheduled.overdue_from && (!dose || day < dose.day) && day < limit,
    )
    if (dose) {
      previous = dose.day
      items.push(
        removal
          ? { ...item, status: 'removed', status_on: removal.day, last_call_id: removal.id }
          : { ...item, status: 'done', status_on: dose.day, visit_id: dose.visitId },
      )
      continue
    }
    if (removal) {
      items.push({ ...item, status: 'removed', status_on: removal.day, last_call_id: removal.id })
      return items
    }
    // over before the child was enrolled
    if (limit <= enrolledOn) continue
    const end = unmet(facts, { on: limit, status: 'lost' }, today)
    if (end.status === 'lost') {
      items.push({ ...item, ...end })
      continue
    }
    const last =
      given
        .map(({ day }) => day)
        .toSorted()
        .at(-1) ?? enrolledOn
    const appointment = newest({ ...facts, appointments: open(facts) }, later(last, due))
    items.push({
      ...item,
      ...(end.status === 'open' &&
        appointment && {
          ...datedBy(schedule, appointment.day),
          appointment_id: appointment.id,
        }),
      ...(end.status === 'open' && called(facts, later(due, previous ?? due))),
      ...end,
    })
    return items
  }
  return items
}

/**
 * A step that an administrator switched on is due from that day, and never overdue, for a child whose date had passed
 * by then: nobody is called overnight. Its last day stays.
 */
function withSwitch(
  { switched_on }: Schedule,
  { added, was_before_months }: ScheduleStep,
  dated: Dated,
  { born, limit }: { born: string; limit: string },
): Dated {
  const since = added && switched_on?.[added]
  if (!since || dated.due_on >= since) return dated
  if (was_before_months !== undefined && addMonths(born, was_before_months) > since) return dated
  return { due_on: since, due_from: since, overdue_from: later(limit, addDays(since, 1)) }
}

const atAge = (born: string, days: ScheduleStep['days'], months: ScheduleStep['months']) =>
  months === undefined ? addDays(born, days ?? 0) : addMonths(born, months)
