import type { Rule } from '~/features/exchange/imports/former-rules'
import {
  Any,
  anything,
  cleaned,
  ExpectedRow,
  isNamed,
  parseSourceList,
  ruleOfList,
  anyOfValues,
  type ComparedRow,
  something,
  stableUuid,
  type ComparedTable,
  textOrJson,
} from './reader'

const USER = (column: string, name: string) =>
  `(t.${column} is null or exists (select from users u where u.id = t.${column})) as ${name}`
const FORMS = new Set(
  'tablet syrup ampule suppository cream drops bottle spray gel lotion inhaler capsule injection patch other'.split(
    ' ',
  ),
)
const ROUTES = new Set(
  (
    'oral sublingual rectal topical inhalation intravenous intramuscular intradermal subcutaneous ' +
    'nasal ophthalmic otic vaginal transdermal other'
  ).split(' '),
)
const UNITS = new Set(['mg', 'g', 'mcg', 'mL', 'L', 'units'])

const valueOrEmpty = (value: unknown): Rule => (value === null || value === '' ? 'empty' : 'value')
function currency(draft: ExpectedRow, row: ComparedRow, column: string) {
  const given = row[column]
  if (given === null || /^[A-Z]{3}$/.test(textOrJson(given))) return
  if (given === '') draft.set(column, null, 'empty')
  else draft.setKept(column, null, 'value')
}
function price(draft: ExpectedRow, row: ComparedRow, column: string) {
  if (Number(row[column]) < 0) draft.setKept(column, null, 'negative')
}

export const catalogue: ComparedTable = {
  name: 'drug_catalogue',
  source: `select t.id::text, row_to_json(t) as row, ${USER('recorded_by_user_id', 'author')},
      exists (select from drug_catalogue o where o.id <> t.id
        and ltrim(o.barcode, '0') = ltrim(t.barcode, '0')) as taken
    from drug_catalogue t order by t.id`,
  expect(row, { author, taken }) {
    const draft = new ExpectedRow(row, [
      'barcode',
      'generic_name',
      'brand_name',
      'form',
      'route',
      'dosage_quantity',
      'dosage_units',
      'manufacturer',
      'sale_price',
      'sale_currency',
      'min_stock_level',
      'max_stock_level',
      'is_controlled',
      'requires_refrigeration',
      'is_active',
      'notes',
      'recorded_by_user_id',
    ])
      .times()
      .deletion()
    draft.cut('generic_name', 200).cut('brand_name', 200).trimmed('generic_name')
    if (!isNamed(row['generic_name'])) draft.set('generic_name', something, 'emptyName')
    if (!FORMS.has(String(row['form']))) draft.set('form', 'other', valueOrEmpty(row['form']))
    if (!ROUTES.has(String(row['route']))) draft.set('route', 'other', valueOrEmpty(row['route']))
    if (Number(row['dosage_quantity']) <= 0) draft.set('dosage_quantity', null, 'strength')
    const unit = textOrJson(row['dosage_units'] ?? '')
    if (!UNITS.has(unit)) {
      const known = [...UNITS].find((one) => one.toLowerCase() === unit.toLowerCase())
      draft.set('dosage_units', known ?? 'units', unit ? 'value' : 'empty')
    }
    price(draft, row, 'sale_price')
    currency(draft, row, 'sale_currency')
    if (Number(row['min_stock_level']) < 0) draft.set('min_stock_level', 0, 'negative')
    if (row['barcode'] !== null && !/^\S{1,64}$/.test(textOrJson(row['barcode'])))
      draft.set('barcode', null, 'barcode')
    else if (taken) draft.allow('barcode', anyOfValues(row['barcode'], null), 'barcode')
    if (
      row['max_stock_level'] !== null &&
      Number(row['max_stock_level']) < Number(row['min_stock_level'] ?? 0)
    )
      draft.set('max_stock_level', null, 'maximum')
    if (row['min_stock_level'] === null) draft.set('min_stock_level', 0, 'empty')
    for (const [flag, value] of [
      ['is_controlled', false],
      ['requires_refrigeration', false],
      ['is_active', true],
    ] as const)
      if (row[flag] === null) draft.set(flag, value, 'empty')
    if (row['recorded_by_user_id'] && !author) draft.set('recorded_by_user_id', null, 'unknown')
    draft.allow('ingredients', something)
    return draft.metadata().end()
  },
}

export const batchesTable: ComparedTable = {
  name: 'drug_batches',
  source: `select t.id::text, row_to_json(t) as row,
      exists (select from drug_batches o where o.id <> t.id and o.drug_id = t.drug_id
        and lower(o.batch_number) = lower(t.batch_number)) as has_twin,
      coalesce((select sum(i.quantity_available) from clinic_inventory i where i.batch_id = t.id
        and i.quantity_available > 0 and not i.is_deleted), 0)::int as stock
    from drug_batches t order by t.id`,
  expect(row, { has_twin, stock }) {
    const draft = new ExpectedRow(row, [
      'drug_id',
      'batch_number',
      'expiry_date',
      'manufacture_date',
      'supplier_name',
      'purchase_price',
      'purchase_currency',
      'received_date',
      'is_quarantined',
      'recorded_by_user_id',
    ])
      .times()
      .deletion()
    draft
      .calculates('quantity_received', anyOfValues(0, stock))
      .calculates('quantity_remaining', stock)
      .cut('batch_number', 60)
      .trimmed('batch_number')
    const number = textOrJson(row['batch_number'] ?? '').trim()
    if (!isNamed(row['batch_number'])) draft.set('batch_number', something, 'emptyName')
    else if (has_twin)
      draft.allow(
        'batch_number',
        new Any(
          (value) =>
            typeof value === 'string' &&
            value.startsWith(number) &&
            /^( \(\d+\))?$/.test(value.slice(number.length)),
          `${number} or ${number} (2)`,
        ),
        'sameName',
      )
    price(draft, row, 'purchase_price')
    if (row['received_date'] === null) draft.set('received_date', something, 'noTime')
    if (
      row['manufacture_date'] &&
      textOrJson(row['manufacture_date']) > textOrJson(row['expiry_date'])
    )
      draft.set('manufacture_date', null, 'manufacture')
    currency(draft, row, 'purchase_currency')
    draft.cut('supplier_name', 200)
    if (row['is_quarantined'] === null) draft.set('is_quarantined', false, 'empty')
    if (/^(?:UNTRACKED|RECOVERED)-/.test(number)) draft.set('is_quarantined', true, 'invented')
    return draft.metadata().end()
  },
}

/** The stock of the source, or another once something has moved the batch in Sanad. */
const expectedQuantity = (row: ComparedRow) =>
  new Any(
    (value, { moved }) => moved === true || value === row['quantity_available'],
    String(row['quantity_available']),
  )

/** The openings of each batch at each clinic: repeated runs post the difference. */
export const openings: ComparedTable = {
  name: 'inventory_transactions',
  source: `select t.clinic_id || ' ' || t.batch_id as id, row_to_json(t) as row from clinic_inventory t
    where t.quantity_available > 0 and not t.is_deleted order by t.clinic_id, t.batch_id`,
  target: `select clinic_id || ' ' || batch_id as id, jsonb_build_object('clinic_id', clinic_id,
      'batch_id', batch_id, 'drug_id', min(drug_id::text), 'transaction_type', 'adjustment',
      'quantity', sum(quantity) filter (where reference_type = 'opening'),
      'moved', bool_or(reference_type <> 'opening')) as row
    from inventory_transactions group by clinic_id, batch_id
    having sum(quantity) filter (where reference_type = 'opening') <> 0 order by clinic_id, batch_id`,
  expect(row) {
    const draft = new ExpectedRow(row, ['clinic_id', 'drug_id', 'batch_id'])
    draft.allow('quantity', expectedQuantity(row)).allow('transaction_type', 'adjustment')
    return draft.end()
  },
}

/** By clinic and batch: Sanad's rows have their own ids. */
export const stockTable: ComparedTable = {
  name: 'clinic_inventory',
  source: `select t.clinic_id || ' ' || t.batch_id as id, row_to_json(t) as row from clinic_inventory t
    where not t.is_deleted and t.quantity_available <> 0 order by t.clinic_id, t.batch_id`,
  target: `select t.clinic_id || ' ' || t.batch_id as id, to_jsonb(t) || jsonb_build_object('moved', exists (
      select from inventory_transactions m where m.clinic_id = t.clinic_id and m.batch_id = t.batch_id
        and m.reference_type <> 'opening')) as row
    from clinic_inventory t where exists (select from inventory_transactions) order by t.clinic_id, t.batch_id`,
  expect(row) {
    const draft = new ExpectedRow(row, ['quantity_available', 'last_counted_at'])
    if (Number(row['quantity_available']) < 0)
      draft.set('quantity_available', 0, 'negativeStock').allow('last_counted_at', anything)
    else draft.allow('quantity_available', expectedQuantity(row))
    return draft.allow('reserved_quantity', 0).end()
  },
}

const STATUSES = new Set([
  'pending',
  'prepared',
  'picked-up',
  'not-picked-up',
  'partially-picked-up',
  'cancelled',
  'other',
])

const PRIORITIES = new Set<unknown>(['low', 'normal', 'high', 'emergency'])

export const prescriptionsTable: ComparedTable = {
  name: 'prescriptions',
  source: `select t.id::text, row_to_json(t) as row, v.patient_id as visit_patient, v.is_deleted as visit_deleted,
      p.is_deleted is true as patient_deleted,
      exists (select from prescription_items i where i.prescription_id = t.id) as has_items
    from prescriptions t join patients p on p.id = t.patient_id
    left join lateral (select v.patient_id, v.is_deleted is true as is_deleted from visits v where v.id = t.visit_id
      and v.patient_id is not null and coalesce(v.clinic_id, (select c.id from patients q
        join clinics c on c.id = q.primary_clinic_id where q.id = v.patient_id)) is not null) v on true
    order by t.id`,
  expect(row, { visit_patient, visit_deleted, patient_deleted, has_items }) {
    const draft = new ExpectedRow(row, [
      'patient_id',
      'provider_id',
      'filled_by',
      'pickup_clinic_id',
      'visit_id',
      'priority',
      'expiration_date',
      'prescribed_at',
      'filled_at',
      'status',
      'notes',
    ])
      .times()
      .deletion(patient_deleted === true)
    if (row['visit_id'] && visit_patient !== row['patient_id'])
      draft.set('visit_id', null, 'otherPatient')
    else if (visit_deleted)
      draft.set('visit_id', anyOfValues(row['visit_id'], null), 'deletedVisit')
    const status = String(row['status'])
    if (status === 'picked_up') draft.set('status', 'picked-up', 'pickedUp')
    else if (row['status'] === null) draft.set('status', 'other', 'empty')
    else if (!STATUSES.has(status)) draft.setKept('status', 'other', 'value')
    if (row['priority'] === null) draft.set('priority', 'normal', 'empty')
    else if (!PRIORITIES.has(row['priority']))
      draft.setKept('priority', 'normal', 'unknownPriority')
    draft.defaults({ notes: '' }).moment('prescribed_at')
    const items = parseSourceList(row['items'])
    const kept = (cleaned(items) as unknown[]).filter((item) => has_items || !inCatalogue(item))
    draft
      .set('items', kept, kept.length < items.length ? 'itemsBecomeRows' : ruleOfList(row['items']))
      .allow('unusual_from', null)
    return draft.metadata().end()
  },
}

let known = new Set<string>()
/** The ids of the catalogue: a few hundred. */
export const knowCatalogue = (ids: string[]) => (known = new Set(ids))
const inCatalogue = (item: unknown): item is ComparedRow =>
  typeof item === 'object' &&
  item !== null &&
  known.has(String((item as ComparedRow)['medicationId']))

/** Rows that the items of phones became, with what each must be. */
export function expectedPhoneItems(prescription: ComparedRow) {
  return parseSourceList(prescription['items'])
    .filter(inCatalogue)
    .map((item) => ({
      id: stableUuid('hikma.item', String(prescription['id']), String(item['id'])),
      drug_id: item['medicationId'],
      quantity: Math.max(1, Number(item['quantity'] ?? 1)),
    }))
}

const ITEM_STATUSES = new Set<unknown>(['active', 'completed', 'cancelled', 'partially_dispensed'])

export const items: ComparedTable = {
  name: 'prescription_items',
  source: `select t.id::text, row_to_json(t) as row, q.patient_id as prescribed_for,
      (q.is_deleted or p.is_deleted is true) as parent_deleted,
      coalesce(d.quantity, 0)::int as dispensed
    from prescription_items t join prescriptions q on q.id = t.prescription_id join patients p on p.id = q.patient_id
      left join (
        select prescription_item_id, sum(quantity_dispensed) as quantity from dispensing_records
        where quantity_dispensed > 0 and not is_deleted group by 1) d on d.prescription_item_id = t.id
    order by t.id`,
  expect(row, { parent_deleted, prescribed_for, dispensed }) {
    const draft = new ExpectedRow(row, [
      'prescription_id',
      'patient_id',
      'drug_id',
      'clinic_id',
      'dosage_instructions',
      'quantity_prescribed',
      'quantity_dispensed',
      'refills_authorized',
      'item_status',
      'notes',
      'recorded_by_user_id',
    ])
      .times()
      .deletion(parent_deleted === true)
    if (Number(row['quantity_prescribed']) < 1) draft.set('quantity_prescribed', 1, 'quantity')
    if (row['patient_id'] !== prescribed_for)
      draft.set('patient_id', prescribed_for, 'otherPatient')
    const status = row['item_status']
    if (status === null) draft.set('item_status', 'active', 'empty')
    else if (!ITEM_STATUSES.has(status)) draft.setKept('item_status', 'active', 'unknownStatus')
    if (Number(row['refills_authorized']) < 0) draft.set('refills_authorized', 0, 'negative')
    draft.defaults({ dosage_instructions: '', refills_authorized: 0 })
    // a deleted record of dispensing no longer counts; one of a deleted patient may
    draft.calculates('quantity_dispensed', parent_deleted ? anything : dispensed)
    if (Number(row['refills_used'])) draft.calculates('refills_used', anything)
    if (Number(dispensed) > 0) draft.calculates('item_status', anything)
    return draft.metadata().end()
  },
}

export const dispensingTable: ComparedTable = {
  name: 'dispensing_records',
  source: `select t.id::text, row_to_json(t) as row, ${USER('dispensed_by', 'dispenser')},
      (select b.id from drug_batches b where b.id = t.batch_id) as batch,
      (select q.patient_id from prescription_items i join prescriptions q on q.id = i.prescription_id
        where i.id = t.prescription_item_id) as item_patient,
      p.is_deleted is true as patient_deleted
    from dispensing_records t join patients p on p.id = t.patient_id order by t.id`,
  expect(row, { dispenser, batch, item_patient }) {
    if (Number(row['quantity_dispensed']) <= 0) return { unplaced: 'nothing was dispensed' }
    const draft = new ExpectedRow(row, [
      'clinic_id',
      'drug_id',
      'batch_id',
      'prescription_item_id',
      'patient_id',
      'quantity_dispensed',
      'dosage_instructions',
      'days_supply',
      'dispensed_by',
      'dispensed_at',
      'recorded_by_user_id',
    ])
      .times()
      .deletion()
    draft.moment('dispensed_at')
    if (row['prescription_item_id'] && item_patient !== row['patient_id'])
      draft.set('prescription_item_id', null, item_patient ? 'otherPatient' : 'unknown')
    if (row['batch_id'] && !batch) draft.set('batch_id', null, 'unknown')
    if (!dispenser) draft.set('dispensed_by', null, 'unknown')
    return draft.metadata().end()
  },
}
