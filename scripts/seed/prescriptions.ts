import { stableId } from '~/features/exchange/imports/stable-id'
import { medicines } from './medicines'
import type { SeedRow, SeedSubject } from './subject'
import { DAY } from './people'
import { seededRandom } from './random'

type Usual = readonly [
  generic: string,
  form: string,
  directions: string,
  quantity: number,
  refills: number,
  days: number,
]

/** What is usually given for a problem, by its ICD-10 code. */
const usual: Record<string, readonly Usual[]> = {
  I10: [
    ['Amlodipine', 'tablet', '1 tablet every morning', 30, 2, 30],
    ['Enalapril', 'tablet', '1 tablet in the morning and at night', 60, 2, 30],
  ],
  'E11.9': [['Metformin', 'tablet', '1 tablet twice a day with meals', 60, 2, 30]],
  'J45.9': [['Salbutamol', 'inhaler', '2 puffs when short of breath', 1, 1, 30]],
  'J06.9': [['Paracetamol', 'tablet', '1 tablet every 6 hours for fever', 20, 0, 5]],
  A09: [['Oral rehydration salts', 'other', '1 sachet in 1 litre after each loose stool', 6, 0, 3]],
  'N39.0': [['Nitrofurantoin', 'capsule', '1 capsule twice a day', 10, 0, 5]],
  'M54.5': [['Ibuprofen', 'tablet', '1 tablet three times a day after meals', 21, 0, 7]],
  'K29.7': [['Omeprazole', 'capsule', '1 capsule before breakfast', 28, 0, 28]],
  'L20.9': [['Hydrocortisone', 'cream', 'Thinly on the rash twice a day', 1, 0, 14]],
}

const usualDrugId = ([name, form]: Usual) =>
  medicines.find((drug) => drug.generic_name === name && drug.form === form)!.id

/** What is not fetched within two weeks is not fetched any more. */
const FETCHED_WITHIN = 14 * DAY

/** One prescription for each problem that something is given for, at the visit that is nearest to its beginning. */
function prescribedTo({ seed, person, today, visits, problems }: SeedSubject) {
  const random = seededRandom(seed, 'prescriptions', String(person.number))
  return problems.flatMap(({ code, onset }, i) => {
    const choices = usual[code]
    if (!choices) return []
    const [nearest] = visits.toSorted(
      (a, b) =>
        Math.abs(a.visit.at.getTime() - onset.getTime()) -
        Math.abs(b.visit.at.getTime() - onset.getTime()),
    )
    if (!nearest) return []
    // every tenth came in these days, so that there is something to do at the counter
    const at = random.chance(0.1)
      ? new Date(today.getTime() - random.whole(1, 72) * 3_600_000)
      : nearest.visit.at
    const isRecent = today.getTime() - at.getTime() < FETCHED_WITHIN
    const status = isRecent
      ? random.pick(['pending', 'pending', 'prepared'])
      : random.pick([
          'picked-up',
          'picked-up',
          'picked-up',
          'picked-up',
          'not-picked-up',
          'cancelled',
        ])
    const id = (...of: string[]) =>
      stableId('seed', seed, 'prescription', String(person.number), String(i), ...of)
    return [
      {
        id: id(),
        itemId: id('item'),
        recordId: id('record'),
        at,
        status,
        visit: at === nearest.visit.at ? nearest.visit : null,
        provider: nearest.visit.provider,
        priority: random.pick(['normal', 'normal', 'normal', 'normal', 'high', 'low', 'emergency']),
        medicine: random.pick(choices),
      },
    ]
  })
}

export function buildPrescriptions(subject: SeedSubject): SeedRow[] {
  return prescribedTo(subject).map(({ id, at, status, visit, provider, priority }) => ({
    id,
    patient_id: subject.person.id,
    provider_id: provider.id,
    pickup_clinic_id: subject.person.clinic.id,
    visit_id: visit?.id,
    priority,
    prescribed_at: at,
    // follows from what was handed out
    status: status === 'picked-up' ? 'pending' : status,
    metadata: { seed: subject.seed },
    created_at: at,
    updated_at: at,
  }))
}

export function buildPrescriptionItems(subject: SeedSubject): SeedRow[] {
  return prescribedTo(subject).map(({ id, itemId, at, medicine, provider }) => {
    const [, , directions, quantity, refills] = medicine
    return {
      id: itemId,
      prescription_id: id,
      patient_id: subject.person.id,
      clinic_id: subject.person.clinic.id,
      drug_id: usualDrugId(medicine),
      dosage_instructions: directions,
      quantity_prescribed: quantity,
      refills_authorized: refills,
      recorded_by_user_id: provider.id,
      created_at: at,
      updated_at: at,
    }
  })
}

/** Before the stock was kept here: no batch, and nothing in the ledger. */
export function dispensingRecords(subject: SeedSubject): SeedRow[] {
  return prescribedTo(subject).flatMap(({ itemId, recordId, at, status, medicine, provider }) => {
    const [, , directions, quantity, refills, days] = medicine
    if (status !== 'picked-up') return []
    return [
      {
        id: recordId,
        clinic_id: subject.person.clinic.id,
        drug_id: usualDrugId(medicine),
        prescription_item_id: itemId,
        patient_id: subject.person.id,
        quantity_dispensed: quantity * (1 + refills),
        dosage_instructions: directions,
        days_supply: days * (1 + refills),
        dispensed_by: provider.id,
        dispensed_at: new Date(at.getTime() + 3_600_000),
        metadata: { seed: subject.seed },
        created_at: at,
        updated_at: at,
      },
    ]
  })
}

const known = [
  ['Penicillins', 'drug_class', 'penicillins', 'Rash', 'moderate'],
  ['Sulfonamide antibiotics', 'drug_class', 'sulfonamides', 'Swelling of the face', 'severe'],
  ['Ibuprofen', 'ingredient', 'ibuprofen', 'Wheezing', 'moderate'],
  ['Peanuts', 'other', null, 'Anaphylaxis', 'severe'],
  ['Codeine', 'ingredient', 'codeine', 'Vomiting', 'mild'],
] as const

/** One in twelve has an allergy, half of the others were asked. */
export function buildAllergies({ seed, person }: SeedSubject): SeedRow[] {
  const random = seededRandom(seed, 'allergies', String(person.number))
  const row = (
    substance: string,
    kind: string,
    code: string | null,
    reaction: string | null,
    severity: string | null,
  ) => ({
    id: stableId('seed', seed, 'allergy', String(person.number)),
    patient_id: person.id,
    substance,
    substance_kind: kind,
    substance_code: code,
    reaction,
    severity,
    created_at: person.registered,
    updated_at: person.registered,
  })
  if (random.chance(0.08)) {
    const [substance, kind, code, reaction, severity] = random.pick(known)
    return [row(substance, kind, code, reaction, severity)]
  }
  return random.chance(0.5) ? [row('No known allergies', 'none_known', null, null, null)] : []
}
