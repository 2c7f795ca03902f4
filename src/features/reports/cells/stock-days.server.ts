import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { addDays, dayIn } from '~/shared/zone'
import { sourceFields } from './fields'
import type { Leaf } from './kinds/kind'
import type { Comparison, Test } from './grammar'
import { startOfDayIn } from './period'
import { stockSource } from './sources/medicines.server'
import type { Scope } from './sources/source.server'
import { daysIn, testSql } from './terms.server'
import { isOfDrug } from './parts'

type Day = { clinicId: string; usable: number; quantity: number }
type Batch = {
  clinicId: string
  drugId: string
  batchId: string
  expiry: string
  /** at the end of the day before the first */
  opening: number
  moved: Map<string, number>
}

/** The days of the window that are over, first to last; without a first one, from the first movement. */
async function loadElapsedDays(db: Kysely<DB>, scope: Scope, leaf: Leaf): Promise<string[]> {
  const today = dayIn(scope.now, scope.zone)
  const { first, last } = daysIn(scope, leaf.window)
  const days: string[] = []
  for (
    let day = first ?? (await firstDay(db, scope)) ?? last;
    day <= last && day < today;
    day = addDays(day, 1)
  )
    days.push(day)
  return days
}

async function firstDay(db: Kysely<DB>, { clinicIds }: Scope): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    select min(day) as day from inventory_transactions
    where clinic_id = any(${[...clinicIds]}::uuid[])`.execute(db)
  return rows[0]?.day ?? null
}

/** Batches of the clinics with what was moved on each day, and when each medicine first arrived. */
async function ledger(db: Kysely<DB>, { clinicIds }: Scope, days: readonly string[]) {
  const clinics = sql`${[...clinicIds]}::uuid[]`
  const [first, last] = [days[0]!, days.at(-1)!]
  const { rows: held } = await sql<{
    clinic_id: string
    drug_id: string
    batch_id: string
    expiry_date: string
    quantity: number
  }>`select held.clinic_id, held.drug_id, held.batch_id, batch.expiry_date,
      held.quantity_available::float8 as quantity
    from clinic_inventory held join drug_batches batch on batch.id = held.batch_id
    where held.clinic_id = any(${clinics})`.execute(db)
  const { rows: moved } = await sql<{
    clinic_id: string
    batch_id: string
    day: string
    quantity: number
  }>`select clinic_id, batch_id, day, sum(quantity)::float8 as quantity
    from inventory_transactions
    where clinic_id = any(${clinics}) and day >= ${first}::date
    group by clinic_id, batch_id, day`.execute(db)
  const batches = new Map<string, Batch>(
    held.map((row) => [
      `${row.clinic_id} ${row.batch_id}`,
      {
        clinicId: row.clinic_id,
        drugId: row.drug_id,
        batchId: row.batch_id,
        expiry: row.expiry_date,
        opening: row.quantity,
        moved: new Map(),
      },
    ]),
  )
  const firstDays = new Map<string, string>()
  for (const { clinic_id, batch_id, day, quantity } of moved) {
    const batch = batches.get(`${clinic_id} ${batch_id}`)
    if (!batch) continue
    batch.opening -= quantity
    if (day <= last) batch.moved.set(day, quantity)
    const key = `${clinic_id} ${batch.drugId}`
    if (day < (firstDays.get(key) ?? '9999')) firstDays.set(key, day)
  }
  const { rows: earlier } = await sql<{ clinic_id: string; drug_id: string }>`
    select held.clinic_id, held.drug_id
    from (select distinct clinic_id, drug_id from clinic_inventory where clinic_id = any(${clinics})) held
    where exists (
      select from inventory_transactions t
      where t.clinic_id = held.clinic_id and t.drug_id = held.drug_id and t.day < ${first}::date
    )`.execute(db)
  for (const { clinic_id, drug_id } of earlier) firstDays.set(`${clinic_id} ${drug_id}`, first)
  return { batches: [...batches.values()], firstDays }
}

/** Whether a batch was in quarantine at the end of one of the days, by the audit trail. */
async function quarantines(
  db: Kysely<DB>,
  { zone }: Scope,
  batchIds: readonly string[],
  days: readonly string[],
) {
  const { rows } = await sql<{ id: string; at: Date; was: boolean | null; is: boolean | null }>`
    select l.record_id as id, l.at, (l.changes #>> '{is_quarantined,0}')::boolean as was,
      (l.changes #>> '{is_quarantined,1}')::boolean as is
    from audit_log l
    where l.table_name = 'drug_batches' and l.record_id = any(${[...batchIds]}::uuid[])
      and jsonb_exists(l.changes, 'is_quarantined')
    order by l.id`.execute(db)
  const { rows: batches } = await sql<{ id: string; is_quarantined: boolean }>`
    select id, is_quarantined from drug_batches where id = any(${[...batchIds]}::uuid[])`.execute(
    db,
  )
  const changes = Map.groupBy(rows, ({ id }) => id)
  const today = new Map(batches.map(({ id, is_quarantined }) => [id, is_quarantined]))
  // once for each day, not for each medicine, batch and day: calendars are slow
  const ends = new Map(days.map((day) => [day, startOfDayIn(addDays(day, 1), zone)]))
  return (batchId: string, day: string) => {
    const end = ends.get(day)!
    const own = changes.get(batchId) ?? []
    const before = own.findLast(({ at }) => at < end)
    if (before) return before.is ?? false
    const after = own.find(({ at }) => at >= end)
    return after ? (after.was ?? false) : (today.get(batchId) ?? false)
  }
}

const fieldsIn = (test: Test): string[] => {
  if (Array.isArray(test)) return [test[0]]
  if ('all' in test) return test.all.flatMap(fieldsIn)
  if ('any' in test) return test.any.flatMap(fieldsIn)
  return 'not' in test ? fieldsIn(test.not) : []
}
const isOfDay = (test: Test) =>
  fieldsIn(test).some((field) => field.startsWith('stock.') || field === 'row.clinic')

const isOfClinicAlone = (test: Test) => fieldsIn(test).every((field) => field === 'row.clinic')

function holds(test: Test, day: Day): boolean {
  if (Array.isArray(test)) return compares(test, day)
  if ('all' in test) return test.all.every((each) => holds(each, day))
  if ('any' in test) return test.any.some((each) => holds(each, day))
  return 'not' in test ? !holds(test.not, day) : false
}

function compares([field, op, value]: Comparison, day: Day): boolean {
  if (field === 'row.clinic')
    return op === 'isSet' ? value === true : [value].flat().includes(day.clinicId)
  const left = field === 'stock.usable' ? day.usable : day.quantity
  const right = Number(value)
  switch (op) {
    case 'below':
      return left < right
    case 'atMost':
      return left <= right
    case 'atLeast':
      return left >= right
    case 'above':
      return left > right
    case 'isSet':
      return value === true
    default:
      return Array.isArray(value) ? value.includes(left) : left === right
  }
}

/** The medicines that pass each leaf's tests of medicines. */
async function loadLeafDrugs(db: Kysely<DB>, scope: Scope, leaves: readonly Leaf[]) {
  const fields = Object.keys(sourceFields('stock')).filter((name) => name.startsWith('drug.'))
  const own = stockSource.fields as Record<string, (scope: Scope) => ReturnType<typeof sql>>
  const columns = fields.map((name) => sql`${own[name]!(scope)} as ${sql.raw(`"${name}"`)}`)
  const place = { scope, source: 'stock' as const, alias: 'r0', groups: null }
  // rows of single medicines share all tests but that of the medicine, which is compared here
  const asked = leaves.map(({ all, none }) => {
    const one = all.filter(isOfDrug).map(([, , id]) => id)
    const tests = all.filter((test) => !isOfDay(test) && !isOfDrug(test))
    const others = none.filter((test) => !isOfDay(test))
    return { one, tests, others, key: JSON.stringify([tests, others]) }
  })
  const distinct = [...new Map(asked.map((each) => [each.key, each])).values()]
  const passes = distinct.map(({ tests, others }) => {
    const all = [
      ...tests.map((test) => testSql(place, test)),
      ...others.map((test) => sql`not ${testSql(place, test)}`),
    ]
    return all.length === 0 ? sql`true` : sql`(${sql.join(all, sql` and `)})`
  })
  const { rows } = await sql<{ id: string; passes: boolean[] }>`
    select r0.id, array[${sql.join(passes)}] as passes
    from (
      select r.id, ${sql.join(columns)} from (select d.*, d.id as drug_id from drug_catalogue d) r
      where r.id in (select drug_id from clinic_inventory where clinic_id = any(${[...scope.clinicIds]}::uuid[]))
    ) r0`.execute(db)
  const found = new Map(
    distinct.map(({ key }, at) => [key, rows.filter((row) => row.passes[at]).map(({ id }) => id)]),
  )
  return asked.map(
    ({ one, key }) => new Set(found.get(key)!.filter((id) => one.every((only) => only === id))),
  )
}

/**
 * Of each leaf, the days of clinics on which all its medicines together pass the tests of stock, from the day on which
 * the first of them arrived; null if none has arrived. All leaves have one window.
 */
export async function stockDays(
  db: Kysely<DB>,
  scope: Scope,
  leaves: readonly Leaf[],
): Promise<(number | null)[]> {
  const days = leaves[0] ? await loadElapsedDays(db, scope, leaves[0]) : []
  if (days.length === 0) return leaves.map(() => null)
  const { batches, firstDays } = await ledger(db, scope, days)
  const isQuarantined = await quarantines(
    db,
    scope,
    batches.map(({ batchId }) => batchId),
    days,
  )
  const drugs = await loadLeafDrugs(db, scope, leaves)
  const ofClinic = Map.groupBy(batches, ({ clinicId }) => clinicId)
  return leaves.map((leaf, at) => {
    const [tests, others] = [leaf.all.filter(isOfDay), leaf.none.filter(isOfDay)]
    const passes = (day: Day) =>
      tests.every((test) => holds(test, day)) && !others.some((test) => holds(test, day))
    const clinics = [...tests, ...others].filter(isOfClinicAlone)
    const isAsked = (clinicId: string) =>
      clinics.every(
        (test) => holds(test, { clinicId, usable: 0, quantity: 0 }) === tests.includes(test),
      )
    return scope.clinicIds.filter(isAsked).reduce<number | null>((count, clinicId) => {
      const own = (ofClinic.get(clinicId) ?? []).filter(({ drugId }) => drugs[at]!.has(drugId))
      const since = own
        .map(({ drugId }) => firstDays.get(`${clinicId} ${drugId}`) ?? '9999')
        .reduce((least, day) => (day < least ? day : least), '9999')
      if (since > days.at(-1)!) return count
      const left = new Map(own.map((batch) => [batch, batch.opening]))
      return (
        (count ?? 0) +
        days.filter((day) => {
          const total: Day = { clinicId, usable: 0, quantity: 0 }
          for (const batch of own) {
            const quantity = left.get(batch)! + (batch.moved.get(day) ?? 0)
            left.set(batch, quantity)
            total.quantity += quantity
            if (batch.expiry >= day && !isQuarantined(batch.batchId, day)) total.usable += quantity
          }
          return day >= since && passes(round(total))
        }).length
      )
    }, null)
  })
}

/** Quantities have three decimals; their sums as binary fractions have not. */
const round = ({ usable, quantity, ...day }: Day): Day => ({
  ...day,
  usable: Math.round(usable * 1000) / 1000,
  quantity: Math.round(quantity * 1000) / 1000,
})
