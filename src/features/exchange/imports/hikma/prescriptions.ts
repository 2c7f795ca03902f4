import { PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { stableId } from '../stable-id'
import { readLiveVisitId } from './care'
import { columns, type TableMapping, MOMENT, STAMPS } from './mapping'
import {
  deletedAlong,
  listIn,
  reader,
  type HikmaReading,
  type RowReader,
  type SourceRow,
} from './reading'
import { isId } from '~/shared/id'
import { isObject } from '~/shared/object'

type Json = Record<string, unknown>

/** The medicine of a phone's item that may become a row: the source has no rows for this prescription. */
const catalogueMedicineId = (row: SourceRow, item: unknown): string | undefined =>
  !row['_has_items'] && isObject(item) && isId(item['medicationId'])
    ? item['medicationId'].toLowerCase()
    : undefined

const HAS_ITEMS: TableMapping['extra'] = (has) => ({
  _has_items: has('prescription_items')
    ? 'exists (select from prescription_items i where i.prescription_id = t.id)'
    : 'false',
})

export const prescriptionsMapping: TableMapping = {
  from: 'prescriptions',
  keepsStatus: true,
  to: {
    table: 'prescriptions',
    columns: columns({
      uuid: 'patient_id provider_id filled_by pickup_clinic_id visit_id',
      text: 'priority status notes',
      jsonb: 'items metadata',
      ...STAMPS,
      [MOMENT]: 'expiration_date prescribed_at filled_at deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  extra: HAS_ITEMS,
  alsoNames: (row) =>
    listIn(row['items']).map((item) => ['drug_catalogue', catalogueMedicineId(row, item)] as const),
  references: {
    patient_id: 'patients',
    provider_id: 'users',
    filled_by: 'users',
    pickup_clinic_id: 'clinics',
    visit_id: 'visits',
  },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const stamps = read.stamps()
    const given = row['status']
    const isPickedUp = given === 'picked_up'
    if (isPickedUp) read.note('pickedUp', 'status')
    const items = read.list('items')
    const stay = items.filter((item) => !known('drug_catalogue', catalogueMedicineId(row, item)))
    if (stay.length < items.length)
      read.note('itemsBecomeRows', 'items', items.length - stay.length)
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      provider_id: read.reference('provider_id', 'users', known),
      filled_by: read.reference('filled_by', 'users', known),
      pickup_clinic_id: read.reference('pickup_clinic_id', 'clinics', known),
      visit_id: readLiveVisitId(read, row, known),
      priority: read.wordOf('unknownPriority', 'priority', PRIORITIES, 'normal'),
      expiration_date: read.moment('expiration_date'),
      prescribed_at: read.momentOr('prescribed_at', stamps.created_at),
      filled_at: read.moment('filled_at'),
      status: isPickedUp ? 'picked-up' : read.oneOf('status', PRESCRIPTION_STATUSES, 'other', true),
      items: stay,
      notes: read.textOr('notes', ''),
      ...deletedAlong(read, stamps, [patient]),
      metadata: read.metadata(),
    })
  },
}

const PRIORITIES = ['low', 'normal', 'high', 'emergency']

const ITEM_COLUMNS = columns({
  uuid: 'prescription_id patient_id drug_id clinic_id recorded_by_user_id',
  text: 'dosage_instructions item_status notes',
  numeric: 'quantity_prescribed',
  integer: 'refills_authorized position',
  jsonb: 'metadata',
  ...STAMPS,
})
const ITEM_STATUSES = ['active', 'completed', 'cancelled', 'partially_dispensed']
function readRefills(read: RowReader): number {
  const refills = read.number('refills_authorized')
  if (refills === null) read.note('empty', 'refills_authorized')
  if (refills !== null && refills < 0) read.note('negative', 'refills_authorized', refills)
  return Math.max(refills ?? 0, 0)
}
const atLeastOne = (quantity: number | null) => (quantity !== null && quantity >= 1 ? quantity : 1)

export const prescriptionItemsMapping: TableMapping = {
  from: 'prescription_items',
  keepsStatus: true,
  to: {
    table: 'prescription_items',
    columns: ITEM_COLUMNS,
    // the database calculates the status once something was dispensed
    incomparable: ['item_status', 'position', 'metadata', 'created_at', 'updated_at'],
  },
  extra: (has) => ({
    _position: `row_number() over (partition by t.prescription_id
      order by ${has('prescription_items', 'created_at') ? 't.created_at, ' : ''}t.id) - 1`,
  }),
  references: {
    prescription_id: 'prescriptions',
    patient_id: 'patients',
    drug_id: 'drug_catalogue',
    clinic_id: 'clinics',
    recorded_by_user_id: 'users',
  },
  map(row, known) {
    const prescription = known('prescriptions', row['prescription_id'])
    if (!prescription) return { unplaced: 'no such prescription' }
    if (!known('drug_catalogue', row['drug_id'])) return { unplaced: 'no such medicine' }
    const read = reader(row)
    if (row['patient_id'] !== prescription.patient_id)
      read.note('otherPatient', 'patient_id', row['patient_id'])
    const quantity = read.number('quantity_prescribed')
    if (atLeastOne(quantity) !== quantity) read.note('quantity', 'quantity_prescribed', quantity)
    return read.done({
      id: String(row['id']),
      prescription_id: row['prescription_id'],
      patient_id: prescription.patient_id,
      drug_id: row['drug_id'],
      clinic_id: read.reference('clinic_id', 'clinics', known),
      dosage_instructions: read.textOr('dosage_instructions', ''),
      quantity_prescribed: atLeastOne(quantity),
      refills_authorized: readRefills(read),
      item_status: read.wordOf('unknownStatus', 'item_status', ITEM_STATUSES, 'active'),
      notes: read.text('notes'),
      position: Number(row['_position']),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...deletedAlong(read, read.stamps(), [
        prescription,
        known('patients', prescription.patient_id),
      ]),
      metadata: read.metadata(),
    })
  },
}

const words = (...parts: unknown[]) =>
  parts
    .filter((part) => part !== null && part !== undefined && part !== '')
    .map(String)
    .join(' ')

/** "1 tablet, every 8 hours, for 7 days": what a phone wrote into the parts of an item. */
const dosageInstructions = (item: Json): string =>
  [
    words(item['dose'], item['doseUnits']),
    words(item['form']),
    words(item['route']),
    words(item['frequency'], item['intervals']),
    item['duration'] ? words('for', item['duration'], item['durationUnits']) : '',
  ]
    .filter(Boolean)
    .join(', ')

/** A source row is one item of a prescription: `item` is its JSON, `_at` its place, `medicine` its id. */
export const phoneItemsMapping: TableMapping = {
  from: 'prescriptions',
  as: 'prescriptions.items',
  keepsStatus: true,
  to: prescriptionItemsMapping.to,
  extra: HAS_ITEMS,
  where: "t.items::text like '%medicationId%'",
  expand: (row) =>
    listIn(row['items']).flatMap((item, _at) => {
      const medicine = catalogueMedicineId(row, item)
      return medicine ? [{ ...row, item, _at, medicine }] : []
    }),
  idOf: ({ id, item, _at }) => {
    const own = isObject(item) ? item['id'] : undefined
    return stableId('hikma.item', String(id), String(own ?? _at))
  },
  references: { id: 'prescriptions', medicine: 'drug_catalogue', pickup_clinic_id: 'clinics' },
  map(row, known): HikmaReading | null {
    const prescription = known('prescriptions', row['id'])
    const item = row['item']
    // stays in `items` of the prescription, shown as free text
    if (!prescription || !isObject(item) || !known('drug_catalogue', row['medicine'])) return null
    const read = reader({ ...row, metadata: undefined })
    const quantity = Number(item['quantity'])
    if (!(quantity >= 1)) read.note('quantity', 'quantity_prescribed', item['quantity'])
    const status = item['status']
    const isStatus = typeof status === 'string' && ITEM_STATUSES.includes(status)
    if (!isStatus && status !== null && status !== undefined)
      read.forClinician('unknownStatus', 'item_status', status)
    read.keep('item', item)
    return read.done({
      id: phoneItemsMapping.idOf!(row),
      prescription_id: row['id'],
      patient_id: prescription.patient_id,
      drug_id: row['medicine'],
      clinic_id: read.reference('pickup_clinic_id', 'clinics', known),
      dosage_instructions: dosageInstructions(item),
      quantity_prescribed: quantity >= 1 ? quantity : 1,
      refills_authorized: 0,
      item_status: isStatus ? status : 'active',
      notes: null,
      position: Number(row['_at']),
      recorded_by_user_id: null,
      ...deletedAlong(read, read.stamps(), [prescription]),
      metadata: read.metadata(),
    })
  },
}

export const dispensingMapping: TableMapping = {
  from: 'dispensing_records',
  keepsStatus: true,
  to: {
    table: 'dispensing_records',
    columns: columns({
      uuid: 'clinic_id drug_id batch_id prescription_item_id patient_id dispensed_by recorded_by_user_id',
      numeric: 'quantity_dispensed days_supply',
      text: 'dosage_instructions',
      jsonb: 'metadata',
      ...STAMPS,
      [MOMENT]: 'dispensed_at deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: {
    clinic_id: 'clinics',
    drug_id: 'drug_catalogue',
    batch_id: 'drug_batches',
    prescription_item_id: 'prescription_items',
    patient_id: 'patients',
    dispensed_by: 'users',
    recorded_by_user_id: 'users',
  },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    if (!known('clinics', row['clinic_id'])) return { unplaced: 'no such clinic' }
    if (!known('drug_catalogue', row['drug_id'])) return { unplaced: 'no such medicine' }
    const read = reader(row)
    const quantity = read.number('quantity_dispensed') ?? 0
    if (quantity <= 0) return { unplaced: 'nothing was dispensed' }
    const itemId = read.reference('prescription_item_id', 'prescription_items', known)
    const isOthers =
      itemId !== null && known('prescription_items', itemId)?.patient_id !== row['patient_id']
    if (isOthers) read.note('otherPatient', 'prescription_item_id', itemId)
    const stamps = read.stamps()
    return read.done({
      id: String(row['id']),
      clinic_id: row['clinic_id'],
      drug_id: row['drug_id'],
      batch_id: read.reference('batch_id', 'drug_batches', known),
      prescription_item_id: isOthers ? null : itemId,
      patient_id: row['patient_id'],
      quantity_dispensed: quantity,
      dosage_instructions: read.text('dosage_instructions'),
      days_supply: read.number('days_supply'),
      dispensed_by: read.reference('dispensed_by', 'users', known),
      dispensed_at: read.momentOr('dispensed_at', stamps.created_at),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      // Sanad has no rule that deletes them with their patient
      ...stamps,
      metadata: read.metadata(),
    })
  },
}
