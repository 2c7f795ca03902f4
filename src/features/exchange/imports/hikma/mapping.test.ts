import { expect, test } from 'vitest'
import {
  appointmentsMapping,
  allergiesMapping,
  eventsMapping,
  problemsMapping,
  visitsMapping,
  vitalsMapping,
} from './care'
import { eventFormsMapping, registrationFormsMapping } from './forms'
import type { SourceFacts, TableMapping } from './mapping'
import { batchesMapping, drugs } from './medicines'
import { clinicsMapping, departmentsMapping, permissionsMapping, usersMapping } from './office'
import { takenHash } from './passwords.server'
import { attributes, patientsMapping } from './people'
import {
  dispensingMapping,
  phoneItemsMapping,
  prescriptionItemsMapping,
  prescriptionsMapping,
} from './prescriptions'
import type { FindReference, ReferencedRow, SourceRow } from './reading'
import { reportPage } from './report'
import { NOT_LISTED } from '../former-rules'
import { newTable } from './run'
import { stockIn } from './stock.server'

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const CLINIC = id(1)
const PATIENT = id(2)
const GONE = id(3)
const VISIT = id(4)
const OTHERS_VISIT = id(5)
const DRUG = id(6)
const PRESCRIPTION = id(7)
const FORM = id(8)
const NOBODY = id(99)

const there: Record<string, Partial<ReferencedRow>> = {
  [`clinics ${CLINIC}`]: {},
  [`patients ${PATIENT}`]: { clinic_id: CLINIC },
  [`patients ${GONE}`]: { is_deleted: true, deleted_at: '2024-05-01T00:00:00.000Z' },
  [`visits ${VISIT}`]: { patient_id: PATIENT },
  [`visits ${OTHERS_VISIT}`]: { patient_id: GONE },
  [`drug_catalogue ${DRUG}`]: {},
  [`prescriptions ${PRESCRIPTION}`]: { patient_id: PATIENT },
  [`event_forms ${FORM}`]: {},
}
const known: FindReference = (table, one) => {
  const found = there[`${table} ${String(one)}`]
  return found && { id: String(one), is_deleted: false, ...found }
}
const facts = (taken: string[] = []): SourceFacts => ({
  closedClinics: new Set([id(50)]),
  registrationForm: id(60),
  today: '2026-11-23',
  isTaken: (_what, value) => taken.includes(value),
})
const AT = '2024-01-02T03:04:05.678901+00:00'

function read(mapping: TableMapping, row: SourceRow, taken?: string[]) {
  const whole = { id: id(10), created_at: AT, updated_at: AT, is_deleted: false, ...row }
  const reading = mapping.map(whole, known, facts(taken))
  if (!reading || 'unplaced' in reading) return { unplaced: reading?.unplaced }
  return {
    ...reading.record,
    rules: reading.notes.map(({ rule }) => rule).filter((rule) => !NOT_LISTED.has(rule)),
  }
}

test.for<[string, TableMapping, SourceRow, object, string[]?]>([
  ['a clinic without a name', clinicsMapping, { name: '' }, { name: 'Clinic 00000000' }],
  [
    'a clinic whose name another has',
    clinicsMapping,
    { name: 'North' },
    { name: 'North (2)' },
    ['north'],
  ],
  [
    'an archived clinic, open at first',
    clinicsMapping,
    { name: 'A', is_archived: true },
    { is_deleted: false },
  ],
  [
    'an address in capitals',
    usersMapping,
    { email: 'Amal@X.ORG', role: 'admin' },
    { email: 'amal@x.org' },
  ],
  [
    'a second equal address',
    usersMapping,
    { email: 'a@x.org', role: 'provider' },
    { email: 'a+00000000@x.org' },
    ['a@x.org'],
  ],
  ['an unknown role', usersMapping, { email: 'a@x.org', role: 'nurse' }, { role: 'registrar' }],
  [
    'an unknown clinic',
    usersMapping,
    { email: 'a@x.org', role: 'admin', clinic_id: NOBODY },
    { clinic_id: null },
  ],
  [
    'rights of nobody',
    permissionsMapping,
    { user_id: NOBODY, clinic_id: CLINIC },
    { unplaced: 'no such user' },
  ],
  [
    'an unknown status of a department',
    departmentsMapping,
    { clinic_id: CLINIC, name: 'Lab', status: 'closed', additional_capabilities: '["x"]' },
    { status: 'active', additional_capabilities: ['x'] },
  ],
  [
    'another registration form',
    registrationFormsMapping,
    { name: 'Old', fields: '[]' },
    { is_deleted: true },
  ],
  [
    'a label that does not decode',
    registrationFormsMapping,
    { id: id(60), name: 'F', fields: '[{"id":"num","label":{"en":"100%"}}]' },
    { is_deleted: false, fields: [expect.objectContaining({ label: { en: '100%25' } })] },
  ],
  [
    'an unknown field type',
    eventFormsMapping,
    { name: 'F', form_fields: '[{"id":"a","fieldType":"custom","inputType":"custom"}]' },
    {
      form_fields: [expect.objectContaining({ fieldType: 'free-text' })],
      metadata: { hikma: { form_fields: { a: expect.anything() } } },
    },
  ],
  [
    'options as checkboxes',
    eventFormsMapping,
    {
      form_fields:
        '[{"id":"a","fieldType":"options","inputType":"checkbox","options":[{"label":"x","value":"x"}]}]',
    },
    {
      name: `Form ${id(10)}`,
      form_fields: [
        expect.objectContaining({
          inputType: 'select',
          multi: true,
          options: [expect.objectContaining({ id: expect.any(String) })],
        }),
      ],
    },
  ],
  [
    'a dose of 0 and an empty currency',
    drugs,
    {
      generic_name: 'Paracetamol',
      form: 'pill',
      route: 'oral',
      dosage_quantity: 0,
      dosage_units: 'mg',
      sale_currency: '',
    },
    { dosage_quantity: null, sale_currency: null, form: 'other', ingredients: ['paracetamol'] },
  ],
  [
    'a maximum below the minimum',
    drugs,
    {
      generic_name: 'X',
      form: 'tablet',
      route: 'oral',
      dosage_units: 'IU',
      min_stock_level: 5,
      max_stock_level: 2,
    },
    { max_stock_level: null, dosage_units: 'units' },
  ],
  [
    'a taken barcode',
    drugs,
    { generic_name: 'X', form: 'tablet', route: 'oral', dosage_units: 'mg', barcode: '0012' },
    { barcode: null },
    ['12'],
  ],
  [
    'a batch made after its expiry',
    batchesMapping,
    {
      drug_id: DRUG,
      batch_number: 'UNTRACKED-1',
      expiry_date: '2026-01-01',
      manufacture_date: '2027-01-01',
      received_date: '2025-01-01',
    },
    { manufacture_date: null, is_quarantined: true },
  ],
  [
    'a date of birth in the future',
    patientsMapping,
    { date_of_birth: '2090-01-01', sex: ' Male ' },
    { date_of_birth: null, sex: 'male', metadata: { hikma: { date_of_birth: '2090-01-01' } } },
  ],
  ['a sex in Arabic', patientsMapping, { sex: 'ذكر' }, { sex: 'male' }],
  [
    'a sex by its letter, where both languages agree',
    patientsMapping,
    { sex: 'F' },
    { sex: 'female' },
  ],
  [
    'a letter that is male in English and female in Spanish',
    patientsMapping,
    { sex: 'M' },
    { sex: 'm', metadata: { hikma: { sex: 'M' } } },
  ],
  [
    'an e-mail with blanks around it',
    usersMapping,
    { email: ' Amal@Clinic.example ' },
    { email: 'amal@clinic.example' },
  ],
  [
    'an answer of nobody',
    attributes,
    { patient_id: NOBODY, attribute_id: 'x' },
    { unplaced: 'no such patient' },
  ],
  [
    'an older answer to the same field',
    attributes,
    { patient_id: PATIENT, attribute_id: 'x', _rank: 2 },
    { unplaced: 'a newer row has the same patient and attribute' },
  ],
  [
    'an answer of a deleted patient',
    attributes,
    { patient_id: GONE, attribute_id: FORM, attribute: 'a' },
    { is_deleted: true, deleted_at: '2024-05-01T00:00:00.000Z' },
  ],
  [
    'a visit without a clinic',
    visitsMapping,
    { patient_id: PATIENT, check_in_timestamp: null },
    { clinic_id: CLINIC, check_in_timestamp: '2024-01-02T03:04:05.679Z' },
  ],
  [
    'a visit without any clinic',
    visitsMapping,
    { patient_id: GONE },
    { unplaced: 'neither the visit nor its patient has a clinic' },
  ],
  [
    'answers in a JSON text, twice the same field',
    eventsMapping,
    {
      patient_id: PATIENT,
      form_id: FORM,
      form_data: JSON.stringify('[{"fieldId":"a"},{"fieldId":"a"}]'),
    },
    { form_data: [{ fieldId: 'a' }, { fieldId: 'a' }], form_version: 1 },
  ],
  [
    'no answers',
    eventsMapping,
    { patient_id: PATIENT, form_data: '{}' },
    { form_data: [], form_version: null },
  ],
  [
    "another patient's visit",
    eventsMapping,
    { patient_id: PATIENT, visit_id: OTHERS_VISIT, form_data: '[]' },
    { visit_id: null },
  ],
  [
    'an implausible value',
    vitalsMapping,
    { patient_id: PATIENT, visit_id: VISIT, timestamp: AT, heart_rate: 900 },
    { heart_rate: 900, rules: ['implausible'] },
  ],
  [
    'another spelling of a code system',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'ICD-10',
      problem_code: 'I10',
      problem_label: 'x',
      clinical_status: 'odd',
      verification_status: 'confirmed',
      onset_date: '2020-05-06',
    },
    {
      problem_code_system: 'icd10',
      clinical_status: 'unknown',
      verification_status: 'confirmed',
      onset_date: '2020-05-06T00:00:00.000Z',
      metadata: { hikma: { clinical_status: 'odd' } },
      rules: ['codeSystem', 'unknownStatus'],
    },
  ],
  [
    'a problem that is entered in error',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'icd10',
      clinical_status: 'active',
      verification_status: 'Entered_in_error',
    },
    {
      is_deleted: true,
      deleted_at: '2024-01-02T03:04:05.679Z',
      verification_status: 'refuted',
      rules: ['withdrawn'],
    },
  ],
  [
    'an inactive problem of a certainty in an unknown word',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'icd10',
      clinical_status: 'inactive',
      verification_status: 'likely',
    },
    {
      is_deleted: false,
      clinical_status: 'inactive',
      verification_status: 'unconfirmed',
      metadata: { hikma: { verification_status: 'likely' } },
      rules: ['unknownStatus'],
    },
  ],
  [
    'a relapse of a differential diagnosis',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'icd10',
      clinical_status: 'relapse',
      verification_status: 'differential',
    },
    { clinical_status: 'active', verification_status: 'unconfirmed', rules: [] },
  ],
  [
    'a label with a code of an unknown system',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'ICPC-2',
      problem_code: 'K86',
      problem_label: 'Hypertension',
    },
    {
      problem_code_system: 'uncoded',
      problem_code: 'K86',
      problem_label: 'Hypertension',
      metadata: { hikma: { problem_code_system: 'ICPC-2' } },
    },
  ],
  [
    'an unknown code system',
    problemsMapping,
    { patient_id: PATIENT, problem_code_system: 'local' },
    { unplaced: 'the problem has no label and no known code system' },
  ],
  [
    'a day that is the day of the push',
    problemsMapping,
    {
      patient_id: PATIENT,
      problem_code_system: 'icd10',
      onset_date: '2024-01-02',
      last_modified: AT,
    },
    { rules: ['suspectDate'] },
  ],
  [
    'a refuted allergy with reactions',
    allergiesMapping,
    {
      patient_id: PATIENT,
      allergen_label: 'Penicillin',
      verification_status: 'refuted',
      clinical_status: 'active',
      allergen_code: '7980',
      _reactions: '[{"label":"rash","severity":"mild"},{"label":"shock","severity":"severe"}]',
    },
    {
      status: 'refuted',
      reaction: 'rash; shock',
      severity: 'severe',
      metadata: { hikma: { allergen_code: '7980' } },
    },
  ],
  ...(
    [
      ['life-threatening', null, 'severe', null],
      ['Life Threatening', 'mild', 'severe', null],
      ['CRITICAL', null, 'severe', null],
      ['مهدد للحياة', null, 'severe', null],
      ['Moderate', 'leve', 'moderate', null],
      ['mild', 'awful', null, 'Hikma: severity “awful”'],
      ['low', null, null, 'Hikma: severity “low”'],
      ['awful', 'severe', 'severe', 'Hikma: severity “awful”'],
    ] as const
  ).map(([own, ofReaction, severity, notes]): [string, TableMapping, SourceRow, object] => [
    `an allergy that is ${own}, with a reaction that is ${ofReaction}`,
    allergiesMapping,
    {
      patient_id: PATIENT,
      allergen_label: 'Peanut',
      clinical_status: 'active',
      verification_status: 'confirmed',
      severity: own,
      _reactions: JSON.stringify(ofReaction ? [{ label: 'rash', severity: ofReaction }] : []),
    },
    { severity, notes, status: 'active', rules: notes ? ['unknownSeverity'] : [] },
  ]),
  [
    'an allergy that is entered in error',
    allergiesMapping,
    {
      patient_id: PATIENT,
      allergen_label: 'Peanut',
      clinical_status: 'active',
      verification_status: 'entered-in-error',
    },
    { is_deleted: true, status: 'refuted', rules: ['withdrawn'] },
  ],
  [
    'an allergy of an unknown status',
    allergiesMapping,
    {
      patient_id: PATIENT,
      allergen_label: 'Peanut',
      clinical_status: 'dormant',
      verification_status: 'confirmed',
    },
    { status: 'active', notes: 'Hikma: clinical status “dormant”', rules: ['unknownStatus'] },
  ],
  [
    'an allergy with a code and no label',
    allergiesMapping,
    {
      patient_id: PATIENT,
      allergen_label: ' ',
      allergen_code_system: 'SNOMED',
      allergen_code: '91936005',
      clinical_status: 'active',
      verification_status: 'confirmed',
    },
    { substance: 'SNOMED 91936005', substance_kind: 'other', rules: ['codeAlone'] },
  ],
  [
    'departments in a text, one without id',
    appointmentsMapping,
    {
      patient_id: PATIENT,
      clinic_id: CLINIC,
      timestamp: AT,
      status: 'odd',
      departments: JSON.stringify('[{"id":"d","status":"odd","more":1},{"name":"x"}]'),
    },
    {
      status: 'pending',
      departments: [{ id: 'd', status: 'pending', more: 1 }],
      metadata: { hikma: { departments: [{ name: 'x' }] } },
    },
  ],
  [
    'an expired prescription',
    prescriptionsMapping,
    { patient_id: PATIENT, status: 'expired', items: '[]' },
    { status: 'other', metadata: { hikma: { status: 'expired' } } },
  ],
  [
    'items of a phone',
    prescriptionsMapping,
    {
      patient_id: PATIENT,
      status: 'picked_up',
      items: JSON.stringify([{ medicationId: DRUG }, { medicationId: NOBODY }]),
    },
    { status: 'picked-up', items: [{ medicationId: NOBODY }] },
  ],
  [
    'an item of a phone in the catalogue',
    phoneItemsMapping,
    {
      id: PRESCRIPTION,
      item: { id: 'i', dose: 1, doseUnits: 'tablet', quantity: 0 },
      medicine: DRUG,
      _at: 0,
    },
    { quantity_prescribed: 1, dosage_instructions: '1 tablet', patient_id: PATIENT },
  ],
  [
    'an item without a quantity',
    prescriptionItemsMapping,
    {
      prescription_id: PRESCRIPTION,
      patient_id: PATIENT,
      drug_id: DRUG,
      quantity_prescribed: 0,
      _position: 3,
    },
    { quantity_prescribed: 1, position: 3 },
  ],
  [
    'nothing dispensed',
    dispensingMapping,
    { patient_id: PATIENT, clinic_id: CLINIC, drug_id: DRUG, quantity_dispensed: 0 },
    { unplaced: 'nothing was dispensed' },
  ],
  [
    'an unknown batch',
    dispensingMapping,
    {
      patient_id: PATIENT,
      clinic_id: CLINIC,
      drug_id: DRUG,
      batch_id: NOBODY,
      quantity_dispensed: 2,
      dispensed_by: NOBODY,
    },
    { batch_id: null, dispensed_by: null },
  ],
])('%s is placed as the page says', ([, mapping, row, expected, taken]) => {
  expect(read(mapping, row, taken)).toMatchObject(expected)
})

test('of passwords, only hashes of a user are taken', () => {
  const hash = `$2b$10$${'a'.repeat(53)}`
  expect(takenHash(hash)).toBe(hash)
  expect(takenHash('secret')).toBeNull()
  expect(takenHash('$2b$14$PPY9X2ZxFG93IU9CK4FUtOJW0d11zjHuODO6oJM5UNn59aXjp5h..')).toBeNull()
})

test('stock below zero counts as none', () => {
  const row = { id: id(1), clinic_id: id(2), drug_id: id(3), batch_id: id(4) }
  expect(stockIn({ ...row, quantity_available: -3 })).toMatchObject({ quantity: 0 })
  expect(stockIn({ ...row, batch_id: null })).toBeNull()
})

test('the report is a page that shows every table and runs no text of the source', () => {
  const table = { ...newTable('visits'), rows: 1200, notes: { 'value <b>': 3 } }
  const page = reportPage(
    { tables: [table], counted: { tokens: 2 }, missing: ['<i>'], hasNews: true },
    new Date('2026-11-23T10:00:00Z'),
  )
  for (const text of ['1,200', 'value &lt;b&gt;', 'tokens', '&lt;i&gt;', '2026-11-23 10:00'])
    expect(page).toContain(text)
  expect(page).not.toContain('<b>')
})
