import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { resourceElement } from '~/fhir/element'
import type { Fhir } from '~/fhir/resource'
import * as allergy from '~/fhir/resources/allergy-intolerance'
import * as appointment from '~/fhir/resources/appointment'
import * as condition from '~/fhir/resources/condition'
import * as encounter from '~/fhir/resources/encounter'
import * as observation from '~/fhir/resources/observation'
import * as patient from '~/fhir/resources/patient'
import * as response from '~/fhir/resources/questionnaire-response'
import { storedFields } from '~/forms/definition'
import { readFormAnswers } from '~/forms/form-answers'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import { type CodedVital, SIGNS } from '~/shared/loinc'
import type { Actor } from '~/shared/actor'
import { clinicTimeZone, dayIn } from '~/shared/zone'

/**
 * Rows of the tables that FHIR writes, as the database can hold them, and what a round trip keeps of one:
 * `fromFhir(toFhir(row))` against the columns that can be written.
 */
type RoundTrip<R> = {
  type: string
  rows: fc.Arbitrary<R>
  /** What `fromFhir` reads of the row's resources. */
  back: (row: R) => object
  /** The same of the row itself. */
  kept: (row: R) => object
}

const USER = '0198f000-0000-7000-8000-00000000000a'
const WRITTEN = { actor: { userId: USER } as Actor }
const SITE = { base: 'https://clinic.example/api/fhir' }

const id = fc.uuid()
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constant('حساسية · ñandú'),
  )
  .map((each) => each.replaceAll(/\p{Cc}/gu, '').trim())
  .filter((each) => each !== '' && each.isWellFormed())
const moment = fc.date({
  min: new Date('1990-01-01'),
  max: new Date('2026-11-01'),
  noInvalidDate: true,
})
/** A day is stored as the moment at which it begins in the clinic; a phone stores any. */
const value = (min: number, max: number) =>
  orNull(fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths / 10))

/** Reads a resource as the server does: to the end, so that an element without a place fails. */
function read<T>(
  resource: Fhir,
  type: string,
  fromFhir: (element: ReturnType<typeof resourceElement>) => T,
): T {
  const element = resourceElement(JSON.parse(JSON.stringify(resource)), type)
  const found = fromFhir(element)
  element.nothingLeft()
  return found
}

const day = moment.map((at) => at.toISOString().slice(0, 10))
const words = fc.array(fc.stringMatching(/^[A-Za-zء-ي]{1,12}$/), { minLength: 1, maxLength: 3 })
const name = words.map((all) => all.join(' '))
/** The part of a birth that is sent, as the registration form reads it. */
const bornText = (born: string | null, precision: string | undefined) => {
  if (born === null || precision === undefined) return born
  const ofMonth = Number(born.slice(8))
  const lastOfMonth = new Date(Date.UTC(Number(born.slice(0, 4)), Number(born.slice(5, 7)), 0))
  const isOneMonth =
    precision === 'month'
      ? ofMonth === 15
      : precision === 'week' && ofMonth > 4 && ofMonth + 4 <= lastOfMonth.getUTCDate()
  return isOneMonth ? `~${born.slice(0, 7)}-15±16` : born.slice(0, 4)
}

const patients: RoundTrip<patient.PatientRow> = {
  type: 'Patient',
  rows: fc.record({
    id,
    given_name: orNull(name),
    surname: orNull(name),
    sex: orNull(fc.constantFrom('male', 'female', 'other')),
    date_of_birth: orNull(day),
    metadata: fc.record(
      {
        date_of_birth_precision: fc.constantFrom('year', 'age', 'month', 'week'),
        identifiers: fc.array(fc.record({ system: text, value: text }, { noNullPrototype: true }), {
          minLength: 1,
          maxLength: 3,
        }),
      },
      { requiredKeys: [] },
    ),
    phone: orNull(text),
    camp: orNull(text),
    hometown: orNull(text),
    citizenship: orNull(text),
    government_id: orNull(text),
    external_patient_id: orNull(text),
    // a number of the configured system becomes the external ID when it is saved (fhir.test.ts)
    medical_record_system: fc.constant(null),
    primary_clinic_id: id,
    died_on: orNull(day),
    language: orNull(fc.constantFrom('en', 'ar', 'es')),
    photo_url: fc.constant(null),
    replaces: fc.constant([]),
    answers: fc.uniqueArray(
      fc.record({
        id,
        string_value: text,
        number_value: fc.constant(null),
        boolean_value: fc.constant(null),
        date_value: fc.constant(null),
      }),
      { maxLength: 3, selector: (answer) => answer.id },
    ),
  }),
  back: (row) =>
    read(patient.patientToFhir(row), 'Patient', (element) =>
      patient.patientFromFhir(element, WRITTEN),
    ),
  kept({
    id: _id,
    photo_url: _photo,
    replaces: _replaces,
    medical_record_system: _system,
    metadata,
    answers,
    ...row
  }) {
    const precision = metadata['date_of_birth_precision'] as string | undefined
    return {
      ...row,
      date_of_birth: bornText(row.date_of_birth, precision),
      identifiers: metadata.identifiers ?? [],
      answers: Object.fromEntries(answers.map((answer) => [answer.id, answer.string_value])),
    }
  },
}

const encounters: RoundTrip<encounter.EncounterRow> = {
  type: 'Encounter',
  rows: fc
    .record({
      patient_id: id,
      clinic_id: id,
      provider_id: orNull(id),
      provider_name: orNull(text),
      check_in_timestamp: moment,
      minutes: orNull(fc.nat(10_000)),
      reason: orNull(text),
    })
    .map(({ minutes, ...row }) => ({
      ...row,
      // a name alone is of an import: it cannot be written
      provider_name: row.provider_id && row.provider_name,
      closed_at:
        minutes === null ? null : new Date(row.check_in_timestamp.getTime() + minutes * 60_000),
    })),
  back: (row) => read(encounter.encounterToFhir(row), 'Encounter', encounter.encounterFromFhir),
  kept: ({ provider_name: _name, ...row }) => row,
}

type VitalColumns = Record<CodedVital, number | null>
const noValues = Object.fromEntries(Object.keys(SIGNS).map((name) => [name, null])) as VitalColumns
const observations: RoundTrip<observation.VitalRow> = {
  type: 'Observation',
  rows: fc
    .record({
      patient_id: id,
      visit_id: orNull(id),
      timestamp: moment,
      bp_position: orNull(fc.constantFrom('sitting', 'standing', 'lying')),
      height_position: orNull(fc.constantFrom('standing', 'lying')),
      systolic_bp: value(60, 250),
      diastolic_bp: value(20, 150),
      heart_rate: value(20, 250),
      pulse_rate: value(20, 250),
      respiratory_rate: value(5, 80),
      oxygen_saturation: value(50, 100),
      temperature_celsius: value(30, 43),
      height_cm: value(30, 220),
      weight_kg: value(1, 200),
      bmi: value(8, 60),
      waist_circumference_cm: value(30, 150),
      head_circumference_cm: value(20, 80),
      pain_level: value(0, 10),
      creatinine_umol_l: value(20, 900),
    })
    .map(({ height_position, ...row }) => {
      const isPressure = row.systolic_bp !== null || row.diastolic_bp !== null
      return {
        ...row,
        bp_position: isPressure ? row.bp_position : null,
        metadata: row.height_cm !== null && height_position ? { height_position } : {},
        recorded_by_user_id: USER,
      }
    }),
  back: (row) => ({
    ...noValues,
    bp_position: null,
    height_position: null,
    ...Object.assign(
      {},
      // the body mass index follows from the others
      ...observation.allToFhir({ ...row, bmi: null }).map((resource) => {
        const { bp_position, height_position, ...found } = read(
          resource,
          'Observation',
          (element) => observation.observationFromFhir(element, WRITTEN),
        )
        return {
          ...found,
          ...(bp_position && { bp_position }),
          ...(height_position && { height_position }),
        }
      }),
    ),
  }),
  kept({ metadata, recorded_by_user_id: _user, ...row }) {
    const { height_position = null } = metadata as { height_position?: string }
    const { patient_id, visit_id, timestamp, ...measured } = { ...row, bmi: null, height_position }
    const isEmpty =
      observation.allToFhir({ ...row, metadata, recorded_by_user_id: null, bmi: null }).length === 0
    return isEmpty ? measured : { patient_id, visit_id, timestamp, ...measured }
  },
}

const conditions: RoundTrip<condition.ConditionRow> = {
  type: 'Condition',
  rows: fc
    .record({
      patient_id: id,
      visit_id: orNull(id),
      problem_code_system: fc.constantFrom('icd10', 'icd10cm', 'icd11', 'snomed'),
      problem_code: fc.constantFrom('E11.9', 'I10', '5A11', '44054006'),
      problem_label: text,
      clinical_status: fc.constantFrom('active', 'remission', 'resolved'),
      verification_status: fc.constantFrom('confirmed', 'provisional', 'unconfirmed', 'refuted'),
      severity_score: value(0, 10),
      onset_date: orNull(moment),
      end_date: orNull(moment),
      laterality: orNull(fc.constantFrom('left', 'right', 'both')),
      recorded_by_user_id: orNull(id),
      created_at: moment,
    })
    .map((row) => ({ ...row, end_date: row.clinical_status === 'active' ? null : row.end_date })),
  back: (row) => read(condition.conditionToFhir(row), 'Condition', condition.conditionFromFhir),
  kept: ({ recorded_by_user_id: _user, created_at: _at, onset_date, end_date, ...row }) => ({
    ...row,
    ...dated(onset_date, 'onset_date', 'onset_at'),
    ...dated(end_date, 'end_date', 'ended_at'),
  }),
}
const dated = (at: Date | null, day: string, moment: string) => ({
  [day]: at && dayIn(at, clinicTimeZone()),
  [moment]: at && condition.isDayAlone(at) ? null : at,
})

const allergies: RoundTrip<allergy.AllergyRow> = {
  type: 'AllergyIntolerance',
  rows: fc
    .record({
      patient_id: id,
      substance: text,
      kind: fc.constantFrom(
        { substance_kind: 'ingredient', substance_code: 'amoxicillin' },
        { substance_kind: 'drug_class', substance_code: 'penicillins' },
        { substance_kind: 'other', substance_code: null },
        { substance_kind: 'none_known', substance_code: null },
      ),
      reaction: orNull(text),
      severity: orNull(fc.constantFrom('mild', 'moderate', 'severe')),
      status: fc.constantFrom('active', 'inactive', 'refuted'),
      notes: orNull(text),
      category: orNull(fc.constantFrom('food', 'medication', 'environment', 'biologic')),
      verification: orNull(fc.constantFrom('confirmed', 'unconfirmed')),
      recorded_by_user_id: orNull(id),
      created_at: moment,
    })
    .map(({ kind, category, verification, ...row }) => ({
      ...row,
      ...kind,
      metadata: {
        ...(category && !isCoded(kind) && { category }),
        // what is refuted is neither
        ...(verification &&
          row.status !== 'refuted' &&
          kind.substance_kind !== 'none_known' && { verification }),
      },
    })),
  back: (row) => read(allergy.allergyToFhir(row), 'AllergyIntolerance', allergy.allergyFromFhir),
  kept: ({ metadata, recorded_by_user_id: _user, created_at: _at, ...row }) => ({
    ...row,
    category: (metadata as { category?: string }).category ?? null,
    verification: (metadata as { verification?: string }).verification ?? null,
  }),
}
const isCoded = ({ substance_kind }: { substance_kind: string }) =>
  substance_kind === 'ingredient' || substance_kind === 'drug_class'

const appointments: RoundTrip<appointment.AppointmentRow> = {
  type: 'Appointment',
  rows: fc.record({
    patient_id: id,
    clinic_id: id,
    provider_id: orNull(id),
    timestamp: moment,
    duration: orNull(fc.integer({ min: 5, max: 1440 })),
    reason: fc.constantFrom(...APPOINTMENT_REASONS),
    notes: fc.oneof(fc.constant(''), text),
    is_walk_in: fc.boolean(),
    departments: fc.array(
      id.map((each) => ({ id: each, name: 'X', seen_at: null, seen_by: null, status: 'pending' })),
      { maxLength: 3 },
    ),
    status: fc.constantFrom('pending', 'confirmed', 'checked_in', 'completed', 'cancelled'),
    created_at: moment,
  }),
  back: (row) =>
    read(appointment.appointmentToFhir(row), 'Appointment', appointment.appointmentFromFhir),
  kept: ({ created_at: _at, departments, notes, duration, ...row }) => ({
    ...row,
    notes: notes || null,
    duration: duration ?? 60,
    department_ids: (departments as { id: string }[]).map((each) => each.id),
  }),
}

const options = [
  { id: 'a', label: 'Yes', value: 'yes' },
  { id: 'b', label: 'No', value: 'no' },
]
const several = [...options, { id: 'c', label: 'Not known; asked', value: 'unknown; asked' }]
const asked = { description: '', required: false }
/** One field of each kind. */
const FORM_FIELDS = [
  { ...asked, id: 't', name: 'Text', fieldType: 'free-text', inputType: 'text', length: 'short' },
  {
    ...asked,
    id: 'n',
    name: 'Number',
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
  },
  { ...asked, id: 'b', name: 'Fever', fieldType: 'binary', inputType: 'radio', options },
  { ...asked, id: 'c', name: 'Tick', fieldType: 'binary', inputType: 'checkbox', options },
  {
    ...asked,
    id: 'o',
    name: 'One',
    fieldType: 'options',
    inputType: 'radio',
    options: several,
    multi: false,
  },
  {
    ...asked,
    id: 'm',
    name: 'Many',
    fieldType: 'options',
    inputType: 'select',
    options: several,
    multi: true,
  },
  { ...asked, id: 'd', name: 'Day', fieldType: 'date', inputType: 'date' },
  {
    ...asked,
    id: 'x',
    name: 'Diagnosis',
    fieldType: 'diagnosis',
    inputType: 'select',
    options: [],
  },
  { ...asked, id: 'h', name: '', fieldType: 'text', content: 'A heading', size: 'lg' },
  { ...asked, id: 'l', name: '', fieldType: 'separator' },
  {
    ...asked,
    id: 'f',
    name: 'File',
    fieldType: 'file',
    inputType: 'file',
    allowedMimeTypes: ['image/png'],
    multiple: true,
    minItems: 0,
    maxItems: 3,
  },
  {
    ...asked,
    id: 'g',
    name: 'Medicine',
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: {
      name: '',
      route: ['oral'],
      form: ['tablet'],
      frequency: '',
      intervals: '',
      dose: '',
      doseUnits: ['mg'],
      duration: '',
      durationUnits: ['days'],
    },
  },
] as const
const answer = {
  t: text,
  n: fc.integer({ min: -1e6, max: 1e6 }).map((each) => String(each / 100)),
  b: fc.constantFrom('yes', 'no'),
  c: fc.constantFrom(true, 'no'),
  o: fc.constantFrom('yes', 'no', 'unknown; asked'),
  m: fc.constantFrom('yes', 'yes; no', 'unknown; asked', 'no; unknown; asked'),
  d: fc.constantFrom('2026-03-01T12:00:00.000Z', '1999-12-31T12:00:00.000Z'),
  x: fc.array(
    fc.record({ code: fc.constantFrom('I10', 'E11.9'), desc: text }, { noNullPrototype: true }),
    { minLength: 1, maxLength: 3 },
  ),
  f: fc.array(id, { minLength: 1, maxLength: 3 }),
  g: fc.array(
    fc.record({ name: text, dose: text, doseUnits: fc.constant('mg') }, { noNullPrototype: true }),
    { minLength: 1, maxLength: 3 },
  ),
}
const responses: RoundTrip<response.ResponseRow> = {
  type: 'QuestionnaireResponse',
  rows: fc
    .record({
      patient_id: id,
      visit_id: orNull(id),
      form_id: id,
      form_version: fc.integer({ min: 1, max: 99 }),
      answers: fc.record(answer, { requiredKeys: [] }),
      recorded_by_user_id: orNull(id),
      created_at: moment,
    })
    .map(({ answers, ...row }) => ({
      ...row,
      form_fields: JSON.stringify(FORM_FIELDS),
      form_data: Object.entries(answers).map(([fieldId, given]) => ({
        fieldId,
        name: fieldId,
        value: given,
      })),
    })),
  back(row) {
    const { items, ...found } = read(
      response.responseToFhir(row, SITE),
      'QuestionnaireResponse',
      response.responseFromFhir,
    )
    return { ...found, answers: response.answersIn(storedFields(FORM_FIELDS), items) }
  },
  kept: ({
    form_data,
    form_fields: _fields,
    recorded_by_user_id: _user,
    created_at: _at,
    ...row
  }) => ({
    ...row,
    answers: readFormAnswers(storedFields(FORM_FIELDS), form_data, clinicTimeZone()),
  }),
}

// oxlint-disable-next-line typescript/no-explicit-any -- each with its own rows
export const ROUND_TRIPS: readonly RoundTrip<any>[] = [
  patients,
  encounters,
  observations,
  conditions,
  allergies,
  appointments,
  responses,
]

/** Plays so many generated rows; throws with the smallest row that a round trip does not keep. */
export function playRoundTrips<R>({ rows, back, kept }: RoundTrip<R>, runs: number, seed?: number) {
  fc.assert(
    fc.property(rows, (row) => {
      const [found, wanted] = [back(row), kept(row)]
      if (isDeepStrictEqual(sorted(found), sorted(wanted))) return
      throw new Error(`${JSON.stringify(found)}\nis not\n${JSON.stringify(wanted)}`)
    }),
    { numRuns: runs, ...(seed !== undefined && { seed }) },
  )
}
const sorted = (row: object) =>
  Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
