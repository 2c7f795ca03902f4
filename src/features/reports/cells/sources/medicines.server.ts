import { isUsable } from '~/features/medicines/inventory/usable.server'
import { sql } from 'kysely'
import {
  sqlDay,
  ofClinics,
  ofNoVisit,
  ofPatient,
  raw,
  recordedRows,
  type Scope,
  type SourceSql,
  within,
  withinDays,
} from './source.server'

const ofDrug =
  sql.raw(`d.id as drug_id, d.ingredients, d.generic_name, d.route, d.form, d.is_controlled,
  d.dosage_quantity, d.dosage_units, d.per_quantity, d.ingredient_strengths`)
const drugFields = {
  'drug.id': raw('r.drug_id::text'),
  'drug.ingredient_count': raw('coalesce(cardinality(r.ingredients), 0)'),
  'drug.ingredients': raw('r.ingredients'),
  'drug.name': raw('r.generic_name'),
  'drug.route': raw('r.route'),
  'drug.form': raw('r.form'),
  'drug.is_controlled': raw('r.is_controlled'),
  'drug.strength_mg': raw(`case when r.per_quantity is null and r.ingredient_strengths is null
    then r.dosage_quantity
      * case r.dosage_units when 'mg' then 1 when 'g' then 1000 when 'mcg' then 0.001 end end`),
}
const noPatient = sql.raw('null::uuid as patient_id, null::uuid as visit_id')

/** Items of prescriptions. Without a visit, the clinic is the one that dispenses. */
export const prescribedSource: SourceSql<'prescribed'> = {
  opens: ['prescription_items'],
  rows: (scope, wanted) => sql`
    select i.id, x.patient_id, x.visit_id, x.clinic_id, x.at, x.day, x.id as prescription_id,
      i.item_status, i.quantity_prescribed, ${ofDrug}
    from (${recordedRows(scope, wanted, {
      table: 'prescriptions',
      own: 'prescribed_at',
      clinic: 'pickup_clinic_id',
      columns: 't.status',
    })}) x
      join prescription_items i on i.prescription_id = x.id and not i.is_deleted
      join drug_catalogue d on d.id = i.drug_id`,
  fields: {
    ...drugFields,
    'item.status': raw('r.item_status'),
    'item.quantity': raw('r.quantity_prescribed'),
  },
}

/** What patients received, and what reverses it, which is negative. */
export const dispensed: SourceSql<'dispensed'> = {
  opens: ['dispensing_records'],
  rows: (scope, wanted) => sql`
    select t.id, t.patient_id, null::uuid as visit_id, t.clinic_id, t.dispensed_at as at,
      ${sqlDay(scope, sql.raw('t.dispensed_at'))} as day, t.quantity_dispensed, t.days_supply, ${ofDrug}
    from dispensing_records t join drug_catalogue d on d.id = t.drug_id
    where not t.is_deleted and ${within(scope, wanted.range, sql.raw('t.dispensed_at'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))} and ${ofNoVisit(wanted)}`,
  fields: {
    ...drugFields,
    'dispensed.quantity': raw('r.quantity_dispensed'),
    'dispensed.days_supply': raw('r.days_supply'),
  },
}

/** Movements of stock, by the calendar day of the ledger; a corrected expiry date moves nothing. */
export const movements: SourceSql<'movements'> = {
  opens: null,
  rows: (scope, wanted) => sql`
    select t.id, ${noPatient}, t.clinic_id, t.occurred_at as at, t.day, t.transaction_type,
      t.reference_type, t.quantity, ${ofDrug}
    from inventory_transactions t join drug_catalogue d on d.id = t.drug_id
    where t.transaction_type <> 'corrected' and ${withinDays(wanted.range, sql.raw('t.day'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}`,
  fields: {
    ...drugFields,
    'movement.type': raw('r.transaction_type'),
    'movement.reference': raw('r.reference_type'),
    'movement.quantity': raw('r.quantity'),
    'movement.quantity_out': raw('-r.quantity'),
  },
}

/**
 * Whether a batch `batch.id` was in quarantine at an instant: what the audit trail says of the last change before, of
 * the first one after, or the batch itself.
 */
const wasQuarantined = (at: ReturnType<typeof sql>) => sql`coalesce(
  (select (l.changes #>> '{is_quarantined,1}')::boolean from audit_log l
    where l.table_name = 'drug_batches' and l.record_id = batch.id
      and jsonb_exists(l.changes, 'is_quarantined') and l.at < ${at} order by l.id desc limit 1),
  (select coalesce((l.changes #>> '{is_quarantined,0}')::boolean, false) from audit_log l
    where l.table_name = 'drug_batches' and l.record_id = batch.id
      and jsonb_exists(l.changes, 'is_quarantined') and l.at >= ${at} order by l.id limit 1),
  batch.is_quarantined)`

/** Batches of a clinic at the end of a day: what is there today less what was moved since. */
export const stockSource: SourceSql<'stock'> = {
  opens: null,
  rows: ({ clinicIds, zone }: Scope, { range }) => sql`
    select held.id, ${noPatient}, held.clinic_id, null::timestamptz as at, ${range.last} as day,
      held.quantity_available - coalesce(later.quantity, 0) as quantity, batch.expiry_date,
      ${wasQuarantined(sql`((${range.last} + 1)::timestamp at time zone ${zone}::text)`)} as is_quarantined,
      ${ofDrug}
    from clinic_inventory held
      join drug_batches batch on batch.id = held.batch_id
      join drug_catalogue d on d.id = held.drug_id
      left join (
        select clinic_id, batch_id, sum(quantity) as quantity from inventory_transactions
        where clinic_id = any(${[...clinicIds]}::uuid[]) and day > ${range.last}
        group by clinic_id, batch_id
      ) later on later.clinic_id = held.clinic_id and later.batch_id = held.batch_id
    where held.clinic_id = any(${[...clinicIds]}::uuid[])`,
  fields: {
    ...drugFields,
    'stock.quantity': raw('r.quantity'),
    'stock.usable': () => sql`case when ${isUsable('r', sql`r.day`)} then r.quantity else 0 end`,
    'stock.expires_in_days': raw('r.expiry_date - r.day'),
  },
}

/**
 * Quantities that were dispensed beyond the stock, by phones or on days that were entered later; open if unsettled at
 * the end of the period. One that a receipt covered, which was entered later, was never missing.
 */
export const shortfalls: SourceSql<'shortfalls'> = {
  opens: null,
  rows: (scope, wanted) => sql`
    select t.id, ${noPatient}, t.clinic_id, t.occurred_at as at,
      ${sqlDay(scope, sql.raw('t.occurred_at'))} as day, t.quantity, t.settled_at, ${ofDrug}
    from stock_shortfalls t join drug_catalogue d on d.id = t.drug_id
    where not t.is_deleted and t.transaction_type = 'dispensed' and t.settlement is distinct from 'covered'
      and ${within(scope, wanted.range, sql.raw('t.occurred_at'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}`,
  fields: {
    ...drugFields,
    'shortfall.quantity': raw('r.quantity'),
    'shortfall.is_open': ({ period }) =>
      sql`(r.settled_at is null or r.settled_at >= ${period.to}::timestamptz)`,
  },
}
