import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { drugName } from '~/features/medicines/drugs/drug'
import {
  daysAfterLastDose,
  MOST_DAYS_AFTER,
} from '~/features/medicines/safety/rules/after-last-dose'
import { ingredientsOf } from '~/features/medicines/safety/rules/ingredients'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import { clinicTimeZone } from '~/shared/zone'
import { formMedicinesOfEach } from './form-medicines.server'
import { type NamedMedicine, readerOfNames } from './medicine-names.server'
import { asRows, type TakenCheck } from './taken-check'
import { textMedicineOf } from './text-lines'

/**
 * An open item counts for this long after it was prescribed or something of it was last fetched.
 */
const FORGOTTEN_DAYS = 180
/** How long a dispensed medicine, or one from a form, is taken when no duration was recorded. */
const USUAL_SUPPLY_DAYS = 30
const MOST_DAYS = 3650
const MOST_TAKEN = 300
/** SQL for a moment that is over, also for a clock that counts milliseconds. */
const JUST_NOW = sql`now() - interval '1 second'`
/** Of these a package is counted in pieces, of which one a day is the least that is usual. */
const PIECES = ['tablet', 'capsule']

/**
 * What a patient takes now, wherever it was recorded: prescribed and open, dispensed and not used
 * up, written into a form or as text by a phone, or listed as taken from elsewhere; and what has ended but still acts
 * (`after-last-dose.json`). In the order of the checks.
 */
export async function takenByEach(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
): Promise<CheckedDrug[][]> {
  if (checks.length === 0) return []
  const catalogued = await cataloguedOf(db, checks)
  const also = await alsoTakenBy(db, checks)
  const recorded = await recordedFor(db, checks)
  const written = await writtenOnPhones(db, checks)
  return checks.map((_, n) => {
    const listed = [...catalogued[n]!, ...also[n]!]
    const now = new Set(
      listed.flatMap(({ standing: state, ingredients }) =>
        state === undefined ? [substances(ingredients)] : [],
      ),
    )
    // a form that repeats what is prescribed adds nothing
    const added = [...recorded[n]!, ...written[n]!].filter(
      ({ ingredients }) => !now.has(substances(ingredients)),
    )
    const all = new Map([...listed, ...added].map((drug) => [drug.drugId, drug]))
    return [...all.values()].slice(0, MOST_TAKEN)
  })
}

const substances = (ingredients: readonly string[]) =>
  [...new Set(ingredients.flatMap(ingredientsOf).map(({ name }) => name))].toSorted().join()

type Ending = { ends_at: Date }

/**
 * SQL for the days that a dispensed quantity lasts by its dose as numbers, where both count the
 * same pieces. The numbers hold while the sentence beside them is the one that was made of them. `r` is the dispensing
 * record.
 */
export const daysOfDose = sql`case
  when r.dose ->> 'text' is distinct from r.dosage_instructions or coalesce((r.dose -> 'as_needed')::boolean, false)
    or r.dose ->> 'unit' not in ('tablet', 'capsule', 'suppository', 'patch', 'sachet', 'ampule') then null
  when r.dose -> 'often' ->> 'kind' = 'times'
    then r.quantity_dispensed / ((r.dose ->> 'amount')::numeric * (r.dose -> 'often' ->> 'n')::numeric)
  when r.dose -> 'often' ->> 'kind' = 'hours'
    then r.quantity_dispensed / ((r.dose ->> 'amount')::numeric * 24 / (r.dose -> 'often' ->> 'n')::numeric)
  when r.dose -> 'often' ->> 'kind' = 'days'
    then r.quantity_dispensed / (r.dose ->> 'amount')::numeric * (r.dose -> 'often' ->> 'n')::numeric
end`

/** Of the same medicine the last supply counts. */
async function cataloguedOf(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
): Promise<CheckedDrug[][]> {
  type Row = Ending & {
    n: number
    id: string
    generic_name: string
    brand_name: string | null
    ingredients: string[]
    form: string
    route: string
    supplied_at: Date | null
    supply_ends_at: Date | null
  }
  const { rows } = await sql<Row>`
    select c.n, taken.* from ${asRows(checks)} cross join lateral (
    with open_items as (
      select i.drug_id, least(case when i.id = c.replaced_id then ${JUST_NOW} end, p.expiration_date + interval '1 day',
        greatest(p.prescribed_at, (select max(r.dispensed_at) from dispensing_records r
          where r.prescription_item_id = i.id and not r.is_deleted))
          + make_interval(days => ${FORGOTTEN_DAYS}::int)) as ends_at, null::timestamptz as supplied_at
      from prescription_items i join prescriptions p on p.id = i.prescription_id
      where i.patient_id = c.patient_id and not i.is_deleted and not p.is_deleted and p.id is distinct
        from c.prescription_id
        and i.item_status in ('active', 'partially_dispensed') and p.status <> 'cancelled'
    ), dispensed as (
      -- what is stopped is taken no more, whatever is left of it
      select r.drug_id, least(case when i.id = c.replaced_id then ${JUST_NOW}
        when i.item_status = 'cancelled' then i.last_modified end,
        r.dispensed_at + make_interval(days => least(coalesce(ceil(r.days_supply),
        ceil(${daysOfDose}),
        case when d.form = any(${PIECES}::text[])
          then greatest(ceil(r.quantity_dispensed), ${USUAL_SUPPLY_DAYS}::int) end,
        ${USUAL_SUPPLY_DAYS}::int), case when r.days_supply is null
          then ${FORGOTTEN_DAYS}::int else ${MOST_DAYS}::int end)::int)) as ends_at, r.dispensed_at as supplied_at
      from dispensing_records r join drug_catalogue d on d.id = r.drug_id left join prescription_items i
        on i.id = r.prescription_item_id
      where r.patient_id = c.patient_id and not r.is_deleted and r.quantity_dispensed > 0 and r.id is distinct
        from c.record_id
        and (i.prescription_id is null or i.prescription_id is distinct from c.prescription_id)
        and not exists (select from dispensing_records back where back.reverses_id = r.id and not back.is_deleted)
    )
    select d.id, d.generic_name, d.brand_name, d.ingredients, d.form, d.route, max(s.ends_at) as ends_at,
      max(s.supplied_at) as supplied_at, max(s.ends_at) filter (where s.supplied_at is not null) as supply_ends_at
    from (select * from open_items union all select * from dispensed) s join drug_catalogue d on d.id = s.drug_id
    where s.ends_at > now() - make_interval(days => ${MOST_DAYS_AFTER}::int)
    group by d.id order by d.generic_name, d.id limit ${MOST_TAKEN}) taken
    order by c.n, taken.generic_name, taken.id`.execute(db)
  return byCheck(
    checks,
    rows,
    ({ id, ends_at, ingredients, form, route, supplied_at, supply_ends_at, ...row }) => {
      const supplyUsed = supplied_at && supply_ends_at && shareOf(supplied_at, supply_ends_at)
      return standing(
        { drugId: id, name: drugName(row), ingredients, form, route, supplyUsed },
        ends_at,
      )
    },
  )
}

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
const shareOf = (from: Date, to: Date) =>
  (Date.now() - from.getTime()) / Math.max(to.getTime() - from.getTime(), 1)

/** Nothing, if it has ended and does not act any more. */
function standing(drug: CheckedDrug, endsAt: Date): CheckedDrug[] {
  const daysAgo = (Date.now() - endsAt.getTime()) / 86_400_000
  if (daysAgo <= 0) return [drug]
  return daysAgo <= daysAfterLastDose(drug.ingredients, drug.form)
    ? [{ ...drug, standing: 'ended' }]
    : []
}

/** Medicines from elsewhere; the last day is a day of the clinic's calendar. */
async function alsoTakenBy(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
): Promise<CheckedDrug[][]> {
  type Row = NamedMedicine & { n: number; ends_at: Date | null }
  const { rows } = await sql<Row>`
    select c.n, m.* from ${asRows(checks)} cross join lateral (
      select name, ingredients, case when id = c.replaced_id then ${JUST_NOW}
        else (until + 1)::timestamp at time zone ${clinicTimeZone()} end as ends_at, id
      from patient_medicines
      where patient_id = c.patient_id and not is_deleted and id is distinct from c.medicine_id
        and (until is null or until > now() - make_interval(days => ${MOST_DAYS_AFTER + 2}))
      order by name, id limit ${MOST_TAKEN}) m
    where not c.is_also_taken
    order by c.n, m.name, m.id`.execute(db)
  const read = await readerOfNames(db, rows)
  return byCheck(checks, rows, ({ ends_at, ...medicine }) => {
    const drug = read(medicine)
    if (!drug) return []
    return ends_at ? standing(drug, ends_at) : [drug]
  })
}

/** What was written into forms, for as long as the form says. */
async function recordedFor(
  db: Kysely<DB>,
  checks: readonly TakenCheck[],
): Promise<CheckedDrug[][]> {
  const rows = (await formMedicinesOfEach(db, checks)).flatMap((medicines, n) =>
    medicines.map((medicine) => ({ ...medicine, n })),
  )
  const read = await readerOfNames(db, rows)
  return byCheck(checks, rows, ({ name, at, days }) => {
    const lasting = Math.min(days ?? USUAL_SUPPLY_DAYS, MOST_DAYS) * 86_400_000
    return asRecorded(read({ name }), new Date(at.getTime() + lasting))
  })
}

const asRecorded = (drug: CheckedDrug | undefined, endsAt: Date): CheckedDrug[] =>
  drug
    ? standing(drug, endsAt).map((one) =>
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
): Promise<CheckedDrug[][]> {
  type Row = Ending & { n: number; entry: unknown }
  const { rows } = await sql<Row>`
    select c.n, written.entry, written.ends_at from ${asRows(checks)} cross join lateral (
      select line.entry, line.place, p.prescribed_at, p.id, least(p.expiration_date + interval '1 day',
        p.prescribed_at + make_interval(days => ${FORGOTTEN_DAYS}::int)) as ends_at
      from prescriptions p cross join lateral jsonb_array_elements(
        case jsonb_typeof(p.items) when 'array' then p.items else '[]' end) with ordinality line(entry, place)
      where p.patient_id = c.patient_id and not p.is_deleted and p.status not in ('cancelled', 'not-picked-up')
        and p.id is distinct from c.prescription_id
        and p.prescribed_at > now() - make_interval(days => ${FORGOTTEN_DAYS + MOST_DAYS_AFTER}::int)
      order by p.prescribed_at desc, p.id, line.place limit ${MOST_TAKEN}) written
    order by c.n, written.prescribed_at desc, written.id, written.place`.execute(db)
  const lines = rows.flatMap(({ n, entry, ends_at }) =>
    textMedicineOf(entry).map((medicine) => ({ ...medicine, n, ends_at })),
  )
  const read = await readerOfNames(db, lines)
  return byCheck(checks, lines, ({ n: _, ends_at, ...medicine }) =>
    asRecorded(read(medicine), ends_at),
  )
}
