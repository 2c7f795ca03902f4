import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { saveAllergy } from '~/features/care/allergies/allergies.server'
import { recordPregnancy } from '~/features/care/pregnancies/pregnancies.server'
import { saveProblem } from '~/features/care/problems/problems.server'
import { enrollInProgram, setDeath } from '~/features/care/programs/programs.server'
import { saveVital } from '~/features/care/vitals/vitals.server'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import { warningsFor } from '~/features/medicines/prescriptions/check/safety-check.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { recordPaper } from '~/features/medicines/dispensing/paper.server'
import { saveMedicine } from '~/features/medicines/taken/medicines.server'
import { mergePatients } from '~/features/people/patients/duplicates/merge.server'
import { savePatient } from '~/features/people/patients/patients.server'
import { answer, explainFhirFailure } from '~/fhir/respond.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { PERMISSIONS } from '~/shared/permissions'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { toChangeSource } from '~/sync/push/change-source.server'
import { push } from '~/sync/push/push.server'
import type { makeFactories } from './factories'
import { aRequest, test } from './harness'
import { aNewPrescription } from './sync/chart'

/** docs/rules.md, "What can be known of a patient": each fact by each of its doors, and the rule that reads it. */

type Make = ReturnType<typeof makeFactories>
type Scene = Awaited<ReturnType<typeof scene>>
type Door = (at: Scene) => Promise<unknown>
type Fact = {
  /** What is checked: a medicine by its name, or one of the catalogue with a dose. */
  medicine: string
  dose?: { amount: number; often: { kind: 'times'; n: number } }
  /** The kind of the warning. */
  fires: string
  sex?: string
  /** Of a fact that is not the age. */
  born?: string
  doors: Record<string, Door>
}

const HL7 = 'http://terminology.hl7.org/CodeSystem'
const coded = (system: string, code: string) => ({ coding: [{ system, code }] })

async function scene(
  make: Make,
  asUser: AsUser,
  { sex = 'female', born = '1990-05-05' }: Partial<Fact>,
) {
  const clinic = await make.clinic()
  const user = await make.user({ clinic_id: clinic.id })
  const patient = await make.patient({
    primary_clinic_id: clinic.id,
    given_name: 'Amal',
    surname: 'Haddad',
    sex,
    date_of_birth: born,
  })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  const me = asUser(user, { [clinic.id]: [...PERMISSIONS] })
  return { make, me, clinic, user, patient, visit, patient_id: patient.id }
}
type AsUser = (
  user: Awaited<ReturnType<Make['user']>>,
  grants: Record<string, readonly (typeof PERMISSIONS)[number][]>,
) => Context

/** A FHIR request of the same user, which must be taken. */
async function fhir({ me }: Scene, method: 'POST' | 'PUT', url: string, body: object) {
  const send = (with_: string, headers: Headers, more?: object) =>
    answer(
      { method: with_, path: url.split('/'), parameters: [], headers, body: more },
      {
        ctx: { ...me, request: { ...aRequest('fhir'), headers } },
        site: { base: 'https://clinic.example/api/fhir' },
      },
    ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
  const headers = new Headers()
  if (method === 'PUT') {
    const { body: read } = await send('GET', new Headers())
    const { meta } = read as { meta?: { versionId?: string } }
    headers.set('if-match', `W/"${meta?.versionId}"`)
  }
  const { status, body: outcome } = await send(method, headers, body)
  expect([url, status < 300, status < 300 ? '' : JSON.stringify(outcome)]).toEqual([url, true, ''])
}

/** Rows of a phone, which must be applied. */
async function phone({ me }: Scene, table: string, rows: object[], kind = 'created') {
  const at = Date.now()
  const common = { metadata: '{}', is_deleted: false, deleted_at: null, created_at: at }
  const sent = rows.map((row) => ({ ...common, updated_at: at + 1000, ...row }))
  const change = { created: [], updated: [], deleted: [], [kind]: sent }
  expect(await push(me, 0, toChangeSource({ [table]: change }))).toMatchObject({
    conflicts: 0,
    refused: 0,
  })
}

const subject = ({ patient_id }: Scene) => ({ reference: `Patient/${patient_id}` })
const vitalOfPhone = ({ patient_id, user, visit }: Scene, values: object) => ({
  id: uuidv7(),
  patient_id,
  recorded_by_user_id: user.id,
  visit_id: visit.id,
  event_id: null,
  timestamp: Date.now(),
  systolic_bp: null,
  diastolic_bp: null,
  bp_position: null,
  height_cm: null,
  weight_kg: null,
  bmi: null,
  waist_circumference_cm: null,
  heart_rate: null,
  pulse_rate: null,
  oxygen_saturation: null,
  respiratory_rate: null,
  temperature_celsius: null,
  pain_level: null,
  ...values,
})
const onScreen = ({ me, patient_id, visit }: Scene, values: object) =>
  saveVital(me, {
    id: uuidv7(),
    patient_id,
    visit_id: visit.id,
    timestamp: new Date().toISOString(),
    ...values,
  })

/** A form with one question that is also the patient's weight. */
async function weightForm({ make, me, patient_id, visit }: Scene) {
  const field = {
    id: 'weight',
    name: 'weight',
    description: '',
    required: false,
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    units: ['kg'],
    rules: { vital: 'weight_kg' },
  }
  const form = await make.eventForm({ form_fields: JSON.stringify([field]) })
  return saveEvent(me, {
    id: uuidv7(),
    patient_id,
    visit_id: visit.id,
    form_id: form.id,
    answers: [{ fieldId: 'weight', value: 12 }],
  })
}

const pregnantOnScreen: Door = ({ me, patient_id }) =>
  recordPregnancy(me, { id: uuidv7(), patientId: patient_id, state: 'pregnant', weeks: 20 })
const asthmaOnScreen: Door = ({ me, patient_id }) =>
  saveProblem(me, {
    id: uuidv7(),
    patient_id,
    problem_code_system: 'icd10',
    problem_code: 'J45.9',
    problem_label: 'Asthma',
    clinical_status: 'active',
    verification_status: 'confirmed',
  })
const penicillinOnScreen: Door = ({ me, patient_id }) =>
  saveAllergy(me, {
    id: uuidv7(),
    patient_id,
    substance: 'Penicillins',
    substance_kind: 'drug_class',
    substance_code: 'penicillins',
    status: 'active',
  })
const warfarinFromElsewhere: Door = ({ me, patient_id }) =>
  saveMedicine(me, {
    id: uuidv7(),
    patient_id,
    name: 'Warfarin 5 mg',
    ingredients: [],
    source: 'pharmacy',
  })

/** Recorded for a second record of the person, which is then merged into the first. */
const merged =
  (record: Door): Door =>
  async (at) => {
    const { make, me, clinic, patient } = at
    const second = await make.patient({
      primary_clinic_id: clinic.id,
      given_name: patient.given_name,
      surname: patient.surname,
      sex: patient.sex,
      date_of_birth: patient.date_of_birth,
    })
    const visit = await make.visit({ patient_id: second.id, clinic_id: clinic.id })
    await record({ ...at, patient: second, patient_id: second.id, visit })
    await mergePatients(
      { ...me, actor: { ...me.actor, role: 'super_admin' } },
      { id: uuidv7(), winnerId: at.patient_id, loserId: second.id, choices: {} },
    )
  }

const NO_PARTS = {
  name: '',
  route: [],
  form: [],
  frequency: '',
  intervals: '',
  duration: '',
  durationUnits: [],
  dose: '',
  doseUnits: [],
}
/** A form with one question for medicines. */
async function medicineForm({ make, me, patient_id, visit }: Scene) {
  await make.noAllergies(patient_id)
  const field = {
    id: 'medicines',
    name: 'medicines',
    description: '',
    required: false,
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: NO_PARTS,
  }
  const form = await make.eventForm({ form_fields: JSON.stringify([field]) })
  return saveEvent(me, {
    id: uuidv7(),
    patient_id,
    visit_id: visit.id,
    form_id: form.id,
    answers: [{ fieldId: 'medicines', value: [{ id: uuidv7(), name: 'Warfarin' }] }],
  })
}

const FACTS: Record<string, Fact> = {
  age: {
    medicine: 'codeine',
    fires: 'age',
    doors: {
      screen: ({ me, patient }) =>
        savePatient(me, {
          id: patient.id,
          last_modified: patient.last_modified,
          date_of_birth: `${new Date().getFullYear() - 6}-01-01`,
        } as never),
      FHIR: (at) =>
        fhir(at, 'PUT', `Patient/${at.patient_id}`, {
          resourceType: 'Patient',
          id: at.patient_id,
          name: [{ given: ['Amal'], family: 'Haddad' }],
          gender: 'female',
          birthDate: `${new Date().getFullYear() - 6}-01-01`,
          managingOrganization: { reference: `Organization/${at.clinic.id}` },
        }),
    },
  },
  weight: {
    medicine: 'paracetamol',
    dose: { amount: 1, often: { kind: 'times', n: 3 } },
    fires: 'dose',
    born: `${new Date().getFullYear() - 3}-01-01`,
    doors: {
      screen: (at) => onScreen(at, { weight_kg: 12 }),
      merge: merged((at) => onScreen(at, { weight_kg: 12 })),
      form: weightForm,
      phone: (at) => phone(at, 'patient_vitals', [vitalOfPhone(at, { weight_kg: 12 })]),
      FHIR: (at) =>
        fhir(at, 'POST', 'Observation', {
          resourceType: 'Observation',
          status: 'final',
          category: [coded(`${HL7}/observation-category`, 'vital-signs')],
          code: coded('http://loinc.org', '29463-7'),
          subject: subject(at),
          effectiveDateTime: new Date().toISOString(),
          valueQuantity: { value: 12, system: 'http://unitsofmeasure.org', code: 'kg' },
        }),
    },
  },
  'kidney function': {
    medicine: 'metformin',
    fires: 'kidney',
    doors: {
      screen: (at) => onScreen(at, { creatinine_umol_l: 400 }),
      merge: merged((at) => onScreen(at, { creatinine_umol_l: 400 })),
      'words of FHIR': (at) =>
        fhir(at, 'POST', 'Condition', {
          resourceType: 'Condition',
          clinicalStatus: coded(`${HL7}/condition-clinical`, 'active'),
          verificationStatus: coded(`${HL7}/condition-ver-status`, 'confirmed'),
          code: { ...coded('http://snomed.info/sct', '431857002'), text: 'CKD stage 4' },
          subject: subject(at),
        }),
      'a recorded stage': ({ me, patient_id }) =>
        saveProblem(me, {
          id: uuidv7(),
          patient_id,
          problem_code_system: 'icd10',
          problem_code: 'N18.4',
          problem_label: 'CKD stage 4',
          clinical_status: 'active',
          verification_status: 'confirmed',
        }),
    },
  },
  pregnancy: {
    medicine: 'enalapril',
    fires: 'pregnancy',
    doors: {
      screen: pregnantOnScreen,
      'antenatal care': ({ me, patient_id, clinic }) =>
        enrollInProgram(me, {
          id: uuidv7(),
          patient_id,
          clinic_id: clinic.id,
          program: 'pregnancy',
          enrolled_on: dayIn(new Date(), clinicTimeZone()),
        }),
      merge: merged(pregnantOnScreen),
    },
  },
  breastfeeding: {
    medicine: 'simvastatin',
    fires: 'pregnancy',
    doors: {
      screen: ({ me, patient_id }) =>
        recordPregnancy(me, { id: uuidv7(), patientId: patient_id, state: 'breastfeeding' }),
    },
  },
  problem: {
    medicine: 'propranolol',
    fires: 'condition',
    doors: {
      screen: asthmaOnScreen,
      merge: merged(asthmaOnScreen),
      phone: (at) =>
        phone(at, 'patient_problems', [
          {
            id: uuidv7(),
            patient_id: at.patient_id,
            recorded_by_user_id: at.user.id,
            visit_id: at.visit.id,
            problem_code_system: 'icd10',
            problem_code: 'J45.9',
            problem_label: 'Asthma',
            clinical_status: 'active',
            verification_status: 'confirmed',
            severity_score: 0,
            onset_date: 0,
            end_date: 0,
          },
        ]),
      FHIR: (at) =>
        fhir(at, 'POST', 'Condition', {
          resourceType: 'Condition',
          clinicalStatus: coded(`${HL7}/condition-clinical`, 'active'),
          verificationStatus: coded(`${HL7}/condition-ver-status`, 'confirmed'),
          code: { ...coded('http://hl7.org/fhir/sid/icd-10', 'J45.9'), text: 'Asthma' },
          subject: subject(at),
        }),
    },
  },
  allergy: {
    medicine: 'amoxicillin',
    fires: 'allergy',
    doors: {
      screen: penicillinOnScreen,
      merge: merged(penicillinOnScreen),
      FHIR: (at) =>
        fhir(at, 'POST', 'AllergyIntolerance', {
          resourceType: 'AllergyIntolerance',
          clinicalStatus: coded(`${HL7}/allergyintolerance-clinical`, 'active'),
          verificationStatus: coded(`${HL7}/allergyintolerance-verification`, 'confirmed'),
          code: { text: 'Penicillin' },
          patient: subject(at),
        }),
    },
  },
  'medicine taken': {
    medicine: 'ibuprofen',
    fires: 'interaction',
    doors: {
      'from elsewhere': warfarinFromElsewhere,
      merge: merged(warfarinFromElsewhere),
      form: medicineForm,
      'paper register': async ({ make, me, patient_id, clinic }) => {
        const { id } = await make.drug({ generic_name: 'Warfarin', ingredients: ['warfarin'] })
        await recordPaper(me, {
          id: uuidv7(),
          clinicId: clinic.id,
          patientId: patient_id,
          drugId: id,
          quantity: 10,
          days_supply: 10,
        })
      },
      prescription: async ({ make, me, patient_id, clinic, user }) => {
        await make.noAllergies(patient_id)
        const { id } = await make.drug({ generic_name: 'Warfarin', ingredients: ['warfarin'] })
        const saved = await savePrescription(me, {
          id: uuidv7(),
          patient_id,
          provider_id: user.id,
          pickup_clinic_id: clinic.id,
          notes: '',
          items: [{ id: uuidv7(), drug_id: id, dosage_instructions: 'Once a day' }],
        })
        expect(saved).toMatchObject({ ok: true })
      },
      'text of a phone': (at) =>
        phone(at, 'prescriptions', [
          {
            id: newId(),
            ...aNewPrescription(at.user as never, at.clinic, at.patient_id),
            prescribed_at: Date.now(),
            items: JSON.stringify([{ id: 'x', medication: 'Warfarin 5 mg once a day' }]),
          },
        ]),
    },
  },
}

const CASES = Object.entries(FACTS).flatMap(([name, fact]) =>
  Object.entries(fact.doors).map(([door, record]) => [name, door, fact, record] as const),
)

test.for(CASES)(
  '%s, recorded by %s, is read by its rule',
  async ([, , fact, record], { make, asUser }) => {
    const at = await scene(make, asUser, fact)
    const { medicine, dose, fires } = fact
    const drug = await make.drug({
      generic_name: medicine,
      ingredients: [medicine],
      form: 'tablet',
      dosage_quantity: 500,
      dosage_units: 'mg',
    })
    const found = async () => {
      const { id } = drug
      const whole = { unit: 'tablet', days: null, as_needed: false, max_per_day: null, route: null }
      const doses = dose ? [{ drugId: id, dose: { ...whole, ...dose, food: null } }] : []
      const warnings = await warningsFor(at.me.db, {
        patientId: at.patient_id,
        drugIds: [id],
        doses: doses as never,
      })
      return warnings.map((warning) => `${warning.kind}: ${JSON.stringify(warning)}`)
    }
    const before = await found()
    await record(at)
    const fresh = (await found()).filter((one) => !before.includes(one))
    expect(fresh.map((one) => one.split(':')[0])).toContain(fires)
  },
)

test('a death, by each of its doors, ends prescribing', async ({ make, asUser }) => {
  const doors: Record<string, Door> = {
    screen: ({ me, patient_id }) => setDeath(me, { id: patient_id, died_on: '2026-01-05' }),
    FHIR: (at) =>
      fhir(at, 'PUT', `Patient/${at.patient_id}`, {
        resourceType: 'Patient',
        id: at.patient_id,
        name: [{ given: ['Amal'], family: 'Haddad' }],
        gender: 'female',
        birthDate: '1990-05-05',
        deceasedDateTime: '2026-01-05',
        managingOrganization: { reference: `Organization/${at.clinic.id}` },
      }),
  }
  for (const record of Object.values(doors)) {
    const at = await scene(make, asUser, {})
    await make.noAllergies(at.patient_id)
    const { id } = await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })
    await record(at)
    await expect(
      savePrescription(at.me, {
        id: uuidv7(),
        patient_id: at.patient_id,
        provider_id: at.user.id,
        pickup_clinic_id: at.clinic.id,
        notes: '',
        items: [{ id: uuidv7(), drug_id: id, dosage_instructions: 'Once a day' }],
      }),
    ).rejects.toMatchObject({ fields: { patient_id: { key: 'patients.hasDied' } } })
  }
})
