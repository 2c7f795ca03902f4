import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { drugName } from '~/features/medicines/drugs/drug'
import {
  daysAfterLastDose,
  MOST_DAYS_AFTER,
} from '~/features/medicines/safety/rules/after-last-dose'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import { endOfDay, isOpenItem, isOpenText, suppliedUntil, takenUntil } from './taken-until'
import { stopOfElsewhere, type StopOf, stopsOfEach } from './stops.server'
import { clinicTimeZone } from '~/shared/zone'
import { loadFormMedicinesOfEach } from './form-medicines.server'
import { type NamedMedicine, readerOfNames } from './medicine-names.server'
import { asRows, type TakenCheck } from './taken-check'
import { parseFreeText, parseTextMedicine } from './text-lines'

/** A medicine without days or a dose counts no longer by its pieces alone. */
const MOST_PIECES = 180
const MOST_TAKEN = 300
/** A moment that is over, also for a clock that counts milliseconds. */
const justNow = () => new Date(Date.now() - 1000)
/** The newest prescriptions and supplies of a medicine that a patient had for years. */
const MOST_COURSES = 500
/** Of these a package is counted in pieces, of which one a day is the least that is usual. */
const PIECES = ['tablet', 'capsule']

/** For how many days after the last dose a medicine still counts, and the most of them. */
type Acts = {
  days: (ingredients: readonly string[], form?: string | null) => number
  most: number
}
const inPairs: Acts = { days: daysAfterLastDose, most: MOST_DAYS_AFTER }

/**
 * What a patient takes now, wherever it was recorded: prescribed and open, dispensed and not used
 * up, written into a form or as text by a phone, or listed as taken from elsewhere; and what has ended but still acts
 * (`after-last-dose.json`, unless the caller asks for other effects). In the order of the checks.
 */
export async function takenByEach(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
  acts: Acts = inPairs,
): Promise<CheckedDrug[][]> {
  if (checks.length === 0) return []
  const stopOf = await stopsOfEach(
    db,
    checks.map(({ patientId }) => patientId),
  )
  const cataloguedDrugs = await loadCataloguedCourses(db, checks, stopOf, acts)
  const also = await alsoTakenBy(db, checks, acts)
  const recorded = await recordedFor(db, checks, stopOf, acts)
  const written = await writtenOnPhones(db, checks, stopOf, acts)
  return checks.map((_, n) => {
    const listed = [...cataloguedDrugs[n]!, ...also[n]!]
    const now = new Set(
      listed.flatMap(({ standing: state, ingredients }) =>
        state === undefined ? [substances(ingredients)] : [],
      ),
    )
    // a form that repeats what is prescribed adds nothing
    const added = [...recorded[n]!, ...written[n]!].filter(
      ({ ingredients }) => !now.has(substances(ingredients)),
    )
    // each source is cut by itself, the newest first: none is lost because another is long
    const all = new Map(
      [...listed, ...added.slice(0, MOST_TAKEN)].map((drug) => [drug.drugId, drug]),
    )
    return [...all.values()]
  })
}

const substances = (ingredients: readonly string[]) =>
  [...new Set(ingredients.flatMap(parseIngredients).map(({ name }) => name))].toSorted().join()

/**
 * SQL for the days that a dispensed quantity lasts by its dose as numbers, where both count the
 * same pieces. The numbers hold while the sentence beside them is the one that was made of them. `r` is the dispensing
 * record.
 */
const daysOfDose = sql`case
  when r.dose ->> 'text' is distinct from r.dosage_instructions or coalesce((r.dose -> 'as_needed')::boolean, false)
    or r.dose ->> 'unit' not in ('tablet', 'capsule', 'suppository', 'patch', 'sachet', 'ampule') then null
  when r.dose -> 'often' ->> 'kind' = 'times'
    then r.quantity_dispensed / ((r.dose ->> 'amount')::numeric * (r.dose -> 'often' ->> 'n')::numeric)
  when r.dose -> 'often' ->> 'kind' = 'hours'
    then r.quantity_dispensed / ((r.dose ->> 'amount')::numeric * 24 / (r.dose -> 'often' ->> 'n')::numeric)
  when r.dose -> 'often' ->> 'kind' = 'days'
    then r.quantity_dispensed / (r.dose ->> 'amount')::numeric * (r.dose -> 'often' ->> 'n')::numeric
end`

/** SQL for how long a supply lasts: as recorded, else by its dose as numbers. Null: nobody recorded it. */
export const daysOfSupply = sql`coalesce(ceil(r.days_supply), ceil(${daysOfDose}))::float8`
/** SQL for the pieces of a supply, of which one a day is the least that is usual; `d` is its medicine. */
export const piecesOfSupply = sql`case when d.form = any(${PIECES}::text[])
  then least(ceil(r.quantity_dispensed), ${MOST_PIECES})::float8 end`

type GivenSupply = { at: string; days: number | null; pieces: number | null; typed: string }
type CourseRow = {
  n: number
  id: string
  generic_name: string
  brand_name: string | null
  ingredients: string[]
  form: string
  route: string
  /** Null: given without a prescription. */
  item_id: string | null
  status: string | null
  item_status: string | null
  prescribed_at: Date | null
  expiration_date: Date | null
  /** When it was cancelled. */
  ended_at: Date | null
  supplies: GivenSupply[] | null
}

/** What is prescribed and dispensed, by the same rule as the list of current medicines (`takenUntil`). */
async function loadCataloguedCourses(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
  stopOf: StopOf,
  acts: Acts,
): Promise<CheckedDrug[][]> {
  const { rows } = await sql<CourseRow>`
    select c.n, taken.* from ${asRows(checks)} cross join lateral (
    with given as (
      select r.drug_id, r.prescription_item_id as item_id, max(r.dispensed_at) as last_at,
        json_agg(json_build_object('at', r.dispensed_at, 'days', ${daysOfSupply}, 'pieces', ${piecesOfSupply},
          'typed', r.server_created_at)) as supplies
      from dispensing_records r join drug_catalogue d on d.id = r.drug_id
      where r.patient_id = c.patient_id and not r.is_deleted and r.quantity_dispensed > 0 and r.id is distinct
          from c.record_id
        and not exists (select from dispensing_records back where back.reverses_id = r.id and not back.is_deleted)
      group by r.drug_id, r.prescription_item_id
    ), items as (
      select i.id, i.drug_id, i.item_status, p.status, p.prescribed_at, p.expiration_date,
        not i.is_deleted and not p.is_deleted as is_kept, p.id as prescription_id,
        -- what is stopped is taken no more, whatever is left of it
        least(case when i.item_status = 'cancelled' then i.last_modified end,
          case when p.status = 'cancelled' then p.last_modified end) as ended_at
      from prescription_items i join prescriptions p on p.id = i.prescription_id
      where i.patient_id = c.patient_id and p.id is distinct from c.prescription_id
    ), courses as (
      select i.drug_id, i.id as item_id, i.status, i.item_status, i.prescribed_at, i.expiration_date, i.ended_at,
        g.supplies, greatest(i.prescribed_at, g.last_at) as last_at
      from items i left join given g on g.item_id = i.id and g.drug_id = i.drug_id
      where i.is_kept
      union all
      -- without a prescription, or another medicine than the one that was prescribed
      select g.drug_id, g.item_id, null, null, null, null, i.ended_at, g.supplies, g.last_at
      from given g left join items i on i.id = g.item_id
      where (i.id is null or not i.is_kept or i.drug_id <> g.drug_id)
        and not exists (select from prescription_items own
          where own.id = g.item_id and own.prescription_id = c.prescription_id)
    )
    select d.id, d.generic_name, d.brand_name, d.ingredients, d.form, d.route, s.item_id, s.status, s.item_status,
      s.prescribed_at, s.expiration_date, s.ended_at, s.supplies
    from courses s join drug_catalogue d on d.id = s.drug_id
    order by s.last_at desc, s.item_id limit ${MOST_COURSES}) taken
    order by c.n, taken.generic_name, taken.id`.execute(db)
  const ofCheck = Map.groupBy(rows, ({ n }) => n)
  return checks.map((check, n) =>
    [...Map.groupBy(ofCheck.get(n) ?? [], ({ id }) => id).values()].flatMap((courses) =>
      catalogued(check, courses, stopOf, acts),
    ),
  )
}

/** One medicine of the catalogue, taken until the last of its courses ends. */
function catalogued(
  { patientId, replacedId }: TakenCheck,
  courses: readonly CourseRow[],
  stopOf: StopOf,
  acts: Acts,
): CheckedDrug[] {
  const [{ id, ingredients, form, route, ...row }] = courses as [CourseRow]
  const name = drugName(row)
  const ends = courses.flatMap((course) => {
    const { item_id, status, item_status, prescribed_at, expiration_date, ended_at } = course
    const supplies = (course.supplies ?? []).map(({ at, typed, ...supply }) => ({
      ...supply,
      at: new Date(at),
      typedAt: new Date(typed),
    }))
    const isStopped = (supply: (typeof supplies)[number]) =>
      status === null ? stopOf(patientId, { kind: 'prescribed', drugId: id, ...supply }) : null
    const stops = supplies.flatMap((supply) => isStopped(supply) ?? [])
    const left = supplies.filter((supply) => !isStopped(supply))
    const state = status !== null && item_status !== null ? { status, item_status } : null
    const supplied = suppliedUntil(left)?.until ?? null
    const until = state
      ? takenUntil({
          isOpen: isOpenItem(state),
          prescribedAt: prescribed_at!,
          validUntil: expiration_date && endOfDay(expiration_date),
          supplies: left,
        })?.until
      : supplied
    const caps = [ended_at, item_id !== null && item_id === replacedId ? justNow() : null]
    const end = until && earliest([until, ...caps])
    const at = left.length > 0 ? latest(left.map((supply) => supply.at)) : null
    return [
      ...(end ? [{ end, at, supplied }] : []),
      ...stops.map((stop) => ({ end: stop, at: null, supplied: null })),
    ]
  })
  if (ends.length === 0) return []
  const at = latest(ends.flatMap((one) => one.at ?? []))
  const supplied = latest(
    ends.flatMap((one) => (one.supplied ? earliest([one.supplied, one.end]) : [])),
  )
  const supplyUsed = at && supplied && elapsedShare(at, supplied)
  return standing(
    { drugId: id, name, ingredients, form, route, supplyUsed },
    latest(ends.map(({ end }) => end))!,
    acts,
  )
}

const latest = (moments: readonly Date[]) =>
  moments.reduce<Date | null>((last, at) => (!last || at > last ? at : last), null)
const earliest = (moments: readonly (Date | null)[]) =>
  moments.reduce<Date | null>((first, at) => (at && (!first || at < first) ? at : first), null)!

/** The medicines of each check, made of its rows in their order. */
function byCheck<Row extends { n: number }>(
  checks: readonly TakenCheck[],
  rows: readonly Row[],
  drugsOf: (row: Row) => CheckedDrug[],
): CheckedDrug[][] {
  const ofCheck = Map.groupBy(rows, ({ n }) => n)
  return checks.map((_, n) => (ofCheck.get(n) ?? []).flatMap(drugsOf))
}

/** How much of a time has passed, 0 to 1 and beyond. */
const elapsedShare = (from: Date, to: Date) =>
  (Date.now() - from.getTime()) / Math.max(to.getTime() - from.getTime(), 1)

/** Nothing, if it has ended and does not act any more. */
function standing(drug: CheckedDrug, endsAt: Date, acts: Acts): CheckedDrug[] {
  const daysAgo = (Date.now() - endsAt.getTime()) / 86_400_000
  if (daysAgo <= 0) return [drug]
  return daysAgo <= acts.days(drug.ingredients, drug.form) ? [{ ...drug, standing: 'ended' }] : []
}

/** Medicines from elsewhere; the last day is a day of the clinic's calendar. */
async function alsoTakenBy(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
  acts: Acts,
): Promise<CheckedDrug[][]> {
  type Row = NamedMedicine & { n: number; ends_at: Date | null }
  const { rows } = await sql<Row>`
    select c.n, m.* from ${asRows(checks)} cross join lateral (
      select name, ingredients, least(
        case when id = c.replaced_id or exists (select ${stopOfElsewhere('m')})
          then now() - interval '1 second' end,
        (until + 1)::timestamp at time zone ${clinicTimeZone()}) as ends_at, id
      from patient_medicines m
      where patient_id = c.patient_id and not is_deleted and id is distinct from c.medicine_id
        and (until is null or until > now() - make_interval(days => ${acts.most + 2}))
      order by coalesce(until, 'infinity') desc, server_created_at desc, id limit ${MOST_TAKEN}) m
    where not c.is_also_taken
    order by c.n, m.name, m.id`.execute(db)
  const read = await readerOfNames(db, rows)
  return byCheck(checks, rows, ({ ends_at, ...medicine }) => {
    const drug = read(medicine)
    if (!drug) return []
    return ends_at ? standing(drug, ends_at, acts) : [drug]
  })
}

/** What was written into forms, for as long as the form says. */
async function recordedFor(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
  stopOf: StopOf,
  acts: Acts,
): Promise<CheckedDrug[][]> {
  const rows = (await loadFormMedicinesOfEach(db, checks)).flatMap((medicines, n) =>
    medicines.map((medicine) => ({ ...medicine, n })),
  )
  const read = await readerOfNames(db, rows)
  return byCheck(checks, rows, ({ n, name, at, typedAt, days }) => {
    const stop = stopOf(checks[n]!.patientId, { kind: 'form', name, at, typedAt })
    return asRecorded(read({ name }), stop ?? suppliedUntil([{ at, days }])!.until, acts)
  })
}

const asRecorded = (drug: CheckedDrug | undefined, endsAt: Date, acts: Acts): CheckedDrug[] =>
  drug
    ? standing(drug, endsAt, acts).map((one) =>
        one.standing ? one : { ...one, standing: 'recorded' as const },
      )
    : []

/**
 * Lines of text on prescriptions of phones, for as long as an open medicine of a prescription counts. A line may repeat
 * a medicine of the catalogue on the same prescription.
 */
async function writtenOnPhones(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
  stopOf: StopOf,
  acts: Acts,
): Promise<CheckedDrug[][]> {
  type Row = {
    n: number
    entry: unknown
    status: string
    prescribed_at: Date
    expiration_date: Date | null
    typed_at: Date
  }
  const { rows } = await sql<Row>`
    select c.n, written.* from ${asRows(checks)} cross join lateral (
      select line.entry, line.place, p.id, p.status, p.prescribed_at, p.expiration_date, p.last_modified as typed_at
      from prescriptions p cross join lateral jsonb_array_elements(
        case jsonb_typeof(p.items) when 'array' then p.items else '[]' end) with ordinality line(entry, place)
      where p.patient_id = c.patient_id and not p.is_deleted and p.status not in ('cancelled', 'not-picked-up')
        and p.id is distinct from c.prescription_id
      order by p.prescribed_at desc, p.id, line.place limit ${MOST_TAKEN}) written
    order by c.n, written.prescribed_at desc, written.id, written.place`.execute(db)
  const lines = rows.flatMap(({ entry, ...row }) =>
    parseTextMedicine(entry).map((medicine) => ({
      ...medicine,
      ...row,
      // as the list of current medicines names it
      line: parseFreeText([entry])[0] ?? medicine.name,
    })),
  )
  const read = await readerOfNames(db, lines)
  return byCheck(
    checks,
    lines,
    ({ n, name, ingredients, line, status, prescribed_at: at, expiration_date, typed_at }) => {
      const taken = takenUntil({
        isOpen: isOpenText({ status }),
        prescribedAt: at,
        validUntil: expiration_date && endOfDay(expiration_date),
        supplies: [],
      })
      const stop = stopOf(checks[n]!.patientId, {
        kind: 'text',
        name: line,
        at,
        typedAt: typed_at,
      })
      const end = stop ?? taken?.until
      return end ? asRecorded(read({ name, ingredients }), end, acts) : []
    },
  )
}
