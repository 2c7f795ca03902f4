import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { saveVital } from '~/features/care/vitals/vitals.server'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { getPrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { vitalsMapping } from '~/features/exchange/imports/hikma/care'
import { rowDigests } from '~/features/exchange/imports/hikma/digest'
import { place } from '~/features/exchange/imports/hikma/place.server'
import { ownOrStableId } from '~/features/exchange/imports/stable-id'
import { PATIENT } from '~/features/exchange/imports/synthea/synthea'
import { importSynthea, syntheaFiles } from '~/features/exchange/imports/synthea/synthea.server'
import { answer } from '~/fhir/respond.server'
import type { Context } from '~/server/operation'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { commands } from '~/sync/http/online.server'
import { toChangeSource } from '~/sync/push/change-source.server'
import { push } from '~/sync/push/push.server'
import type { makeFactories } from './factories'
import { temporaryFolder } from './folder'
import { aRequest, test } from './harness'

/**
 * Every way in which a weight is recorded, against the one rule: a weight that no child of that age can have doses
 * nobody, and the check says so. A weight that the child can have is used, whichever way it came.
 */

type At = {
  db: Kysely<DB>
  make: ReturnType<typeof makeFactories>
  me: Context
  clinicId: string
  patientId: string
  visitId: string
  at: Date
  kg: number
}

const stamps = () => ({
  created_at: Date.now(),
  updated_at: Date.now(),
  is_deleted: false,
  deleted_at: null,
})
const ofPhone = ({ patientId, visitId, at, kg }: At) => ({
  patient_id: patientId,
  visit_id: visitId,
  event_id: null,
  timestamp: at.getTime(),
  systolic_bp: null,
  diastolic_bp: null,
  bp_position: null,
  height_cm: null,
  weight_kg: kg,
  bmi: null,
  waist_circumference_cm: null,
  heart_rate: null,
  pulse_rate: null,
  oxygen_saturation: null,
  respiratory_rate: null,
  temperature_celsius: null,
  pain_level: null,
  recorded_by_user_id: null,
  metadata: '{}',
})
const vitalOf = ({ patientId, at, kg }: At) => ({
  id: uuidv7(),
  patient_id: patientId,
  timestamp: at,
  weight_kg: kg,
})
const weightField = {
  id: 'weight',
  name: 'Weight',
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'number',
  length: 'short',
  units: ['kg'],
  rules: { vital: 'weight_kg' },
}

/** Each door; `isConfirmed`: a user was asked and called the weight right. */
const doors: Record<string, { run: (at: At) => Promise<unknown>; isConfirmed?: true }> = {
  'vitals.save': { run: (one) => saveVital(one.me, vitalOf(one)) },
  'vitals.save, confirmed in the dialog': {
    isConfirmed: true,
    run: (one) =>
      saveVital(one.me, { ...vitalOf(one), check_plausible: true, confirmed: ['weight_kg'] }),
  },
  'a form': {
    async run({ make, me, patientId, visitId, kg }) {
      const form = await make.eventForm({ form_fields: JSON.stringify([weightField]) })
      const answers = [{ fieldId: 'weight', value: kg }]
      await saveEvent(me, {
        id: uuidv7(),
        patient_id: patientId,
        visit_id: visitId,
        form_id: form.id,
        answers,
      })
    },
  },
  'a form, confirmed': {
    isConfirmed: true,
    async run({ make, me, patientId, visitId, kg }) {
      const form = await make.eventForm({ form_fields: JSON.stringify([weightField]) })
      await saveEvent(me, {
        id: uuidv7(),
        patient_id: patientId,
        visit_id: visitId,
        form_id: form.id,
        answers: [{ fieldId: 'weight', value: kg }],
        check_plausible: true,
        confirmed: ['weight'],
      })
    },
  },
  'the push of a phone': {
    async run(one) {
      const row = { id: uuidv7(), ...ofPhone(one), ...stamps() }
      const sets = { patient_vitals: { created: [row], updated: [], deleted: [] } }
      expect(await push(one.me, 0, toChangeSource(sets))).toMatchObject({ refused: 0 })
    },
  },
  'the online mode of a phone': {
    run: (one) =>
      commands['vitals.create']!(one.me, {
        patient_id: one.patientId,
        visit_id: one.visitId,
        timestamp: one.at.toISOString(),
        weight_kg: one.kg,
        metadata: {},
        is_deleted: false,
      }),
  },
  FHIR: {
    async run({ me, patientId, at, kg }) {
      const headers = new Headers()
      const body = {
        resourceType: 'Observation',
        status: 'final',
        code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
        subject: { reference: `Patient/${patientId}` },
        effectiveDateTime: at.toISOString(),
        valueQuantity: { value: kg, system: 'http://unitsofmeasure.org', code: 'kg' },
      }
      const { status } = await answer(
        { method: 'POST', path: ['Observation'], parameters: [], headers, body },
        {
          ctx: { ...me, request: { ...aRequest('fhir'), headers } },
          site: { base: 'https://clinic.example/api/fhir' },
        },
      )
      expect(status).toBe(201)
    },
  },
  'the move from a Hikma server': {
    async run({ db, patientId, at, kg }) {
      const row = {
        id: uuidv7(),
        patient_id: patientId,
        timestamp: at.toISOString(),
        weight_kg: kg,
        created_at: at.toISOString(),
        is_deleted: false,
      }
      const reading = vitalsMapping.map(
        row,
        (_table, id) =>
          typeof id === 'string' ? { id, patient_id: patientId, is_deleted: false } : undefined,
        { closedClinics: new Set(), registrationForm: undefined, today: '', isTaken: () => false },
      )
      if (!reading || 'unplaced' in reading) throw new Error('Not placed')
      const { record } = reading
      const columns = rowDigests(Buffer.alloc(8), vitalsMapping.to, record)
      const mapped = { news: [{ row, record, columns }], before: new Map() }
      expect(await place(db, vitalsMapping, mapped, 1)).toMatchObject({ inserted: 1 })
    },
  },
  'the import of Synthea files': {
    async run({ me, clinicId, patientId, at, kg }) {
      const folder = temporaryFolder()
      writeFileSync(
        join(folder, 'patients.csv'),
        `Id,BIRTHDATE,DEATHDATE,FIRST,LAST,GENDER\n${patientId},${bornOn},,A,B,M\n`,
      )
      writeFileSync(
        join(folder, 'observations.csv'),
        'DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,VALUE,UNITS\n' +
          `${at.toISOString()},${patientId},,29463-7,Body Weight,${kg},kg\n`,
      )
      await importSynthea(me, { clinicId, files: await syntheaFiles(folder) }, [])
    },
  },
}

const today = () => dayIn(new Date(), clinicTimeZone())
/** As an English reader writes the day. */
const inWords = (day: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day))
const monthsAgo = (months: number) => addDays(today(), -Math.ceil(months * 30.5))
/** Eight months old when weighed. */
const bornOn = monthsAgo(8.4)

const DOSE = {
  amount: 1,
  unit: 'tablet',
  route: 'oral',
  often: { kind: 'times', n: 2 },
  days: 5,
} as const

test.for(Object.entries(doors))(
  'a weight of 75 kg at 8 months doses nobody when it comes by %s',
  async ([, door], { db, make, asUser }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const clinic = await make.clinic()
    const drug = await make.drug({
      generic_name: 'Amoxicillin',
      ingredients: ['amoxicillin'],
      form: 'tablet',
      route: 'oral',
      dosage_quantity: 500,
    })
    const at = new Date(Date.now() - 5 * 86_400_000)
    const checked = async (kg: number) => {
      const made = await make.patient({ date_of_birth: bornOn, sex: 'male' })
      const { id: visitId } = await make.visit({
        patient_id: made.id,
        clinic_id: clinic.id,
        check_in_timestamp: at,
      })
      const patientId = ownOrStableId(PATIENT, made.id)
      await door.run({ db, make, me, clinicId: clinic.id, patientId, visitId, at, kg })
      const rows = await db
        .selectFrom('patient_vitals')
        .select('weight_kg')
        .where('patient_id', '=', patientId)
        .execute()
      expect(rows).toEqual([{ weight_kg: kg }])
      const dosed = { drugId: drug.id, dose: DOSE as never }
      const check = await checkDrugs(me, { patientId, drugIds: [drug.id], doses: [dosed] })
      const prescription = await make.prescription({
        patient_id: patientId,
        pickup_clinic_id: clinic.id,
      })
      const { weight } = await getPrescription(me, { id: prescription.id })
      const ofDoses = check.warnings.filter(({ kind }) => kind === 'dose')
      return { ...check, ofDoses, printed: weight }
    }

    const right = await checked(7.5)
    expect(right).toMatchObject({
      facts: { weight: { kg: 7.5 }, unusableWeight: null },
      // 500 mg is 67 mg/kg
      ofDoses: [{ level: 'avoid', rule: 'amoxicillin' }],
      dosesUnchecked: [],
      printed: { kg: 7.5 },
    })

    const wrong = await checked(75)
    expect(wrong).toMatchObject({
      facts: { weight: null, unusableWeight: { kg: 75, why: 'implausible' } },
      ofDoses: [{ level: 'caution', rule: 'amoxicillin' }],
      dosesUnchecked: ['Amoxicillin'],
      printed: null,
    })
    // the warning says that the dose was not compared: the list does not say "no limit"
    expect(wrong.scope.medicines[0]?.answers.find(({ table }) => table === 'dose')).toMatchObject({
      answer: 'warned',
    })
    const [{ text }] = wrong.ofDoses as unknown as [{ text: { en: string; ar: string } }]
    expect(text.en).toBe(
      `The weight of 75 kg of ${inWords(dayIn(at, clinicTimeZone()))} is implausible for 8 months` +
        `${door.isConfirmed ? '' : ' and was not confirmed'}. ` +
        'The dose of Amoxicillin was not compared by weight.',
    )
    expect(text.ar).toContain('غير معقول (العمر: 8 أشهر)')
  },
)

test('a phone that sends a reading again leaves the circumferences, which it does not know', async ({
  db,
  make,
  asUser,
}) => {
  const visit = await make.visit()
  const me = asUser(await make.user(), {
    [visit.clinic_id]: ['can_view_history', 'can_edit_records'],
  })
  const measured = { head_circumference_cm: 45.5, arm_circumference_cm: 11.2 }
  const at = new Date(Date.now() - 86_400_000)
  const { id } = await make.vital({
    patient_id: visit.patient_id,
    timestamp: at,
    weight_kg: 8,
    recorded_by_user_id: me.actor.userId,
    ...measured,
  })
  const sent = { make, me, at, kg: 8.5, patientId: visit.patient_id, visitId: visit.id }
  const row = { id, ...ofPhone({ ...sent, db, clinicId: visit.clinic_id }), ...stamps() }
  const sets = { patient_vitals: { created: [], updated: [row], deleted: [] } }
  expect(await push(me, 0, toChangeSource(sets))).toMatchObject({ rows: 1, refused: 0 })
  const stored = await db
    .selectFrom('patient_vitals')
    .select(['head_circumference_cm', 'arm_circumference_cm'])
    .where('id', '=', id)
    .executeTakeFirst()
  expect(stored).toEqual(measured)
})
