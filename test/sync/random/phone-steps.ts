import { aPatient } from '../chart'
import type { Phone, Row, TableName } from '../phone'
import type { Chance } from './chance'
import { NOTE, QUESTIONS, type World } from './world'

/** Columns that hold marks. */
const MARKED = {
  patients: ['hometown', 'phone', 'camp'],
  patient_additional_attributes: ['string_value'],
  visits: ['provider_name'],
  events: ['event_type', 'form_data'],
  patient_vitals: ['bp_position'],
  patient_problems: ['problem_label'],
  appointments: ['notes', 'reason'],
  prescriptions: ['notes'],
  prescription_items: ['dosage_instructions', 'notes'],
} as const satisfies Partial<Record<TableName, string[]>>
export const TABLES = Object.keys(MARKED) as (keyof typeof MARKED)[]

const PLACES = {
  patients: 'primary_clinic_id',
  visits: 'clinic_id',
  appointments: 'clinic_id',
} as const

type Maker = (
  world: World,
  phone: Phone,
  random: Chance,
  of: { patient_id: string; visit_id: string | null },
) => Row

/** An answered form, as the app writes it. */
const noted = (value: string) =>
  JSON.stringify([
    {
      fieldId: NOTE.id,
      name: NOTE.name,
      inputType: NOTE.inputType,
      fieldType: NOTE.fieldType,
      value,
    },
  ])

/** A new row of each table as the app would fill it in, about a patient that the phone shows. */
const making = {
  patients: ({ clinics, mark }, _phone, random) =>
    aPatient(random.happens(0.1) ? null : random.one(clinics)!, { hometown: mark() }),
  patient_additional_attributes: ({ mark }, _phone, random, { patient_id }) => ({
    patient_id,
    attribute_id: random.one(QUESTIONS)!,
    attribute: 'question',
    string_value: mark(),
    number_value: null,
    date_value: null,
    boolean_value: null,
  }),
  visits: ({ clinics, mark }, phone, random, { patient_id }) => ({
    patient_id,
    clinic_id: random.one(clinics)!.id,
    provider_id: '',
    provider_name: mark(),
    check_in_timestamp: phone.now(),
  }),
  events: ({ form, mark }, _phone, _random, { patient_id, visit_id }) => ({
    patient_id,
    visit_id: visit_id ?? '',
    form_id: form.id,
    event_type: mark(),
    form_data: noted(mark()),
    recorded_by_user_id: '',
  }),
  patient_vitals: ({ mark }, phone, random, of) => ({
    ...of,
    timestamp: phone.now(),
    bp_position: mark(),
    weight_kg: random.below(9000) / 100,
  }),
  patient_problems: ({ mark }, _phone, _random, of) => ({
    ...of,
    problem_code_system: 'icd10',
    problem_code: 'I10',
    problem_label: mark(),
    clinical_status: 'active',
    verification_status: 'confirmed',
    severity_score: null,
  }),
  appointments: ({ clinics, mark }, phone, random, { patient_id, visit_id }) => ({
    patient_id,
    clinic_id: random.one(clinics)!.id,
    provider_id: null,
    user_id: '',
    current_visit_id: visit_id ?? '',
    fulfilled_visit_id: null,
    timestamp: phone.now(),
    duration: 30,
    reason: 'checkup',
    notes: mark(),
    is_walk_in: false,
    departments: '[]',
    status: 'pending',
  }),
  prescriptions: ({ clinics, mark }, phone, random, of) => ({
    ...of,
    provider_id: '',
    filled_by: null,
    pickup_clinic_id: random.one(clinics)!.id,
    priority: 'normal',
    expiration_date: 0,
    prescribed_at: phone.now(),
    filled_at: null,
    status: 'pending',
    items: '[]',
    notes: mark(),
  }),
} satisfies Partial<Record<keyof typeof MARKED, Maker>>

export async function createOnPhone(world: World, phone: Phone, random: Chance) {
  const patient = random.early(await phone.all('patients'))
  const table = patient ? random.one(Object.keys(making) as (keyof typeof making)[])! : 'patients'
  const patient_id = String(patient?.['id'])
  const visit = random.one(
    (await phone.all('visits')).filter((each) => each['patient_id'] === patient_id),
  )
  const of = { patient_id, visit_id: visit && random.happens(0.7) ? String(visit['id']) : null }
  const values: Row = { id: world.id(), ...making[table](world, phone, random, of) }
  await phone.create(table, values)
  if (table === 'prescriptions') await phone.create('prescription_items', itemOf(world, values))
  return described(table, values)
}

const itemOf = ({ id, drug, mark }: World, prescription: Row): Row => ({
  id: id(),
  patient_id: prescription['patient_id']!,
  prescription_id: prescription['id']!,
  drug_id: drug.id,
  clinic_id: prescription['pickup_clinic_id']!,
  dosage_instructions: mark(),
  quantity_prescribed: 10,
  quantity_dispensed: 0,
  refills_authorized: 0,
  refills_used: 0,
  item_status: 'active',
  notes: null,
})

/** Usually what the app shows; a screen that was open still has a record that a pull has hidden. */
async function rowsOf(phone: Phone, table: TableName, random: Chance): Promise<Row[]> {
  const rows = await phone.all(table)
  return random.happens(0.1) ? rows : rows.filter((row) => row['is_deleted'] !== true)
}

export async function editOnPhone({ clinics, mark }: World, phone: Phone, random: Chance) {
  const table = random.one(TABLES)!
  const row = random.early(await rowsOf(phone, table, random))
  if (!row) return 'nothing to edit'
  const column = random.one<string>(MARKED[table])!
  const edit: Row = { [column]: column === 'form_data' ? noted(mark()) : mark() }
  // into another clinic, which may take it out of a user's scope
  if (table in PLACES && random.happens(0.2))
    edit[PLACES[table as keyof typeof PLACES]] = random.one(clinics)!.id
  await phone.update(table, String(row['id']), edit)
  return described(table, { id: row['id']!, ...edit })
}

export async function deleteOnPhone(_world: World, phone: Phone, random: Chance) {
  const table = random.one(TABLES)!
  const row = random.early(await rowsOf(phone, table, random))
  if (!row) return 'nothing to delete'
  await phone.delete(table, String(row['id']))
  return described(table, { id: row['id']! })
}

/** A medicine is handed out of no stock in particular: a fact all the same. */
export async function dispenseOnPhone({ id, drug, mark }: World, phone: Phone, random: Chance) {
  const item = random.early(await phone.all('prescription_items'))
  if (!item) return 'nothing to hand out'
  const values: Row = {
    id: id(),
    clinic_id: item['clinic_id']!,
    drug_id: drug.id,
    batch_id: null,
    prescription_item_id: item['id']!,
    patient_id: item['patient_id']!,
    quantity_dispensed: 1 + random.below(5),
    dosage_instructions: mark(),
    days_supply: null,
    dispensed_by: '',
    dispensed_at: phone.now(),
    recorded_by_user_id: null,
  }
  await phone.create('dispensing_records', values)
  return described('dispensing_records', values)
}

export const described = (table: string, values: object) => `${table} ${JSON.stringify(values)}`
