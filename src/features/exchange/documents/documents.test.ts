// Long: each file is made up beside what is expected of it, and all share the reading of a document into a record.

import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { ATC, CVX, vaccineFacts } from '~/features/care/immunizations/immunization'
import { CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import { fhirSummary } from '~/fhir/summary.server'
import { mergePatients } from '~/features/people/patients/duplicates/merge.server'
import { newId } from '~/shared/id'
import { VACCINES } from '~/shared/vaccines'
import { auditOf, test } from '../../../../test/harness'
import { listAllergies } from '~/features/care/allergies/allergies.server'
import { listProblems } from '~/features/care/problems/problems.server'
import { listVitals } from '~/features/care/vitals/vitals.server'
import {
  aDocument,
  allergy,
  condition,
  type Given,
  status,
  SUBJECT,
  vital,
} from '../../../../test/foreign-document'
import { linesOf, MARIA, recordOf, takeAll } from '../../../../test/taking'
import { previewDocument, takeFromDocument } from './documents.server'
import { readDocument } from './read-document'

const ofKind = (rows: Awaited<ReturnType<typeof recordOf>>, kind: string) =>
  rows.flatMap((one): Record<string, unknown>[] => (one.kind === kind ? [one.row] : []))

describe('a document of Sanad', () => {
  test('is read whole into an empty record; taken twice, or into its own record, it adds nothing', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const clinic = await make.clinic({ name: 'Clínica del Norte' })
    const from = (await make.patient({ ...MARIA, primary_clinic_id: clinic.id })).id
    const of = { patient_id: from }
    await make.allergy({
      ...of,
      substance: 'Penicilinas',
      substance_kind: 'drug_class',
      substance_code: 'penicillins',
      reaction: 'urticaria',
      severity: 'severe',
    })
    await make.allergy({ ...of, substance: 'Nueces', reaction: null, severity: null })
    await make.problem({
      ...of,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: 'Hipertensión',
      onset_date: new Date('2019-03-02T00:00:00Z'),
      laterality: 'left',
      severity_score: 4,
    })
    await make.problem({
      ...of,
      problem_code_system: 'snomed',
      problem_code: '195967001',
      problem_label: 'Asma',
      clinical_status: 'resolved',
      verification_status: 'provisional',
      end_date: new Date('2020-01-01T00:00:00Z'),
    })
    await make.medicine({
      ...of,
      name: 'Coumadin',
      ingredients: ['warfarin'],
      dose: '5 mg por la noche',
      source: 'pharmacy',
      since: '2024-02-01',
    })
    const prescription = await make.prescription(of)
    const drug = await make.drug({
      generic_name: 'Amlodipine',
      brand_name: null,
      ingredients: ['amlodipine'],
      dosage_quantity: 5,
      dosage_units: 'mg',
    })
    await make.prescriptionItem(prescription, {
      drug_id: drug.id,
      dosage_instructions: '1 tableta al día',
    })
    await make.immunization({
      ...of,
      vaccine: 'opv',
      given_on: '2001-04-05',
      dose_number: 0,
      lot: 'L7',
    })
    await make.immunization({ ...of, vaccine: 'dt', given_on: '2010-04-05', dose_number: null })
    await make.vital({
      ...of,
      timestamp: new Date('2026-01-05T08:30:00Z'),
      systolic_bp: 120,
      diastolic_bp: 80,
      bp_position: 'sitting',
      weight_kg: 70.5,
      height_cm: 165,
      bmi: 25.9,
      temperature_celsius: 36.6,
      creatinine_umol_l: 80,
    })
    const { document } = await fhirSummary(admin, { id: from, base: 'https://north.example/fhir' })
    const text = JSON.stringify(document)

    const into = (await make.patient(MARIA)).id
    const preview = await previewDocument(admin, { patientId: into, text })
    expect(preview).toMatchObject({
      from: 'Clínica del Norte',
      about: { names: [expect.stringContaining('López')], gender: 'female' },
      differences: [],
    })
    expect(await recordOf(admin, into)).toEqual([])
    const first = await takeAll(admin, into, text)
    expect(first.left.map(({ reason }) => reason.key)).toEqual(['documents.computed'])
    const record = await recordOf(admin, into)
    expect(ofKind(record, 'allergy')).toMatchObject([
      {
        substance: 'Penicilinas',
        substance_code: 'penicillins',
        reaction: 'urticaria',
        severity: 'severe',
      },
      { substance: 'Nueces', reaction: null, severity: null, status: 'active' },
    ])
    expect(
      ofKind(record, 'problem').toSorted((a, b) =>
        String(a['problem_code']) < String(b['problem_code']) ? -1 : 1,
      ),
    ).toMatchObject([
      {
        problem_code: '195967001',
        clinical_status: 'resolved',
        verification_status: 'provisional',
      },
      { problem_code_system: 'icd10', problem_code: 'I10', laterality: 'left', severity_score: 4 },
    ])
    expect(ofKind(record, 'medicine')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'Coumadin (warfarin)',
          ingredients: ['warfarin'],
          dose: '5 mg por la noche',
          source: 'pharmacy',
          since: '2024-02-01',
        }),
        expect.objectContaining({
          name: 'Amlodipine 5 mg',
          ingredients: ['amlodipine'],
          dose: '1 tableta al día',
          source: 'other_clinic',
        }),
      ]),
    )
    expect(ofKind(record, 'dose')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          vaccine: 'opv',
          given_on: '2001-04-05',
          dose_number: 0,
          lot: 'L7',
          clinic_id: null,
        }),
        expect.objectContaining({ vaccine: 'dt', given_on: '2010-04-05', dose_number: null }),
      ]),
    )
    // values of one moment are one measurement
    expect(ofKind(record, 'vital')).toMatchObject([
      {
        systolic_bp: 120,
        diastolic_bp: 80,
        bp_position: 'sitting',
        weight_kg: 70.5,
        height_cm: 165,
        bmi: 25.9,
        temperature_celsius: 36.6,
        creatinine_umol_l: 80,
      },
    ])
    expect(record).toHaveLength(9)

    // the mark is shown where the line is shown, and the trail names the taking
    const mark = { from: 'Clínica del Norte', file: 'ips.json' }
    const [allergy] = await listAllergies(admin, { patientId: into })
    expect(allergy!.from_document).toMatchObject(mark)
    expect((await listProblems(admin, { patientId: into }))[0]!.from_document).toMatchObject(mark)
    expect(
      (await listVitals(admin, { patientId: into, page: 1 })).rows[0]!.from_document,
    ).toMatchObject(mark)
    const trail = await auditOf(admin.db, allergy!.id)
    expect(new Set(trail.map(({ action }) => action))).toEqual(new Set(['documents.take']))

    expect((await takeAll(admin, into, text)).taken).toEqual([])
    expect(await recordOf(admin, into)).toHaveLength(9)
    const before = await recordOf(admin, from)
    const own = await takeAll(admin, from, text)
    expect(own.taken).toEqual([])
    expect(new Set(own.left.map(({ reason }) => reason.key))).toEqual(
      new Set(['documents.alreadyRecorded', 'documents.computed']),
    )
    expect(await recordOf(admin, from)).toHaveLength(before.length)
  })
})

const SNOMED = CODE_SYSTEM_URLS.snomed

/** How a document with these doses is read: the vaccine of each, or the key of why it is not taken. */
const vaccinesOf = (codings: readonly (readonly { system: string; code: string }[])[]) =>
  readDocument(
    aDocument({
      only: true,
      more: codings.map((coding, at) => ({
        resourceType: 'Immunization',
        status: 'completed',
        vaccineCode: { coding, text: `Vacuna ${at}` },
        patient: SUBJECT,
        occurrenceDateTime: '2020-02-03',
      })),
    }),
  ).entries.flatMap(({ reading }) => {
    if (!('take' in reading)) return reading.kind === 'immunizations' ? reading.refused.key : []
    return reading.take.kind === 'immunizations' ? reading.take.input.vaccine : []
  })

test('each code of the list is read as its vaccine; one that says less, or two that differ, are none', () => {
  const told = VACCINES.flatMap((vaccine) => {
    const { cvx = [], cvxAlso = [], atcAlso = [], snomed = [] } = vaccineFacts[vaccine]
    return [
      ...[cvx, cvxAlso].flat().map((code) => ({ vaccine, system: CVX, code })),
      ...atcAlso.map((code) => ({ vaccine, system: ATC, code })),
      ...snomed.map((code) => ({ vaccine, system: SNOMED, code })),
    ]
  })
  expect(told.length).toBeGreaterThan(150)
  expect(vaccinesOf(told.map(({ system, code }) => [{ system, code }]))).toEqual(
    told.map(({ vaccine }) => vaccine),
  )
  const vague = [
    // classes of ATC, tetanus with diphtheria of either dose, combinations
    ...[
      'J07',
      'J07A',
      'J07AM',
      'J07AJ',
      'J07AH',
      'J07AL',
      'J07BA',
      'J07BC',
      'J07BD',
      'J07BF',
      'J07BK',
      'J07CA',
    ]
      .concat('J07AM51', 'J07AJ52', 'J07BB55', 'J07CA02', 'J07BD54', 'J07AP10')
      .map((code) => [{ system: ATC, code }]),
    // DTP, polio, diphtheria and tetanus, alphaherpesvirus 3, pneumococcal, measles-containing
    ...[
      '871875004',
      '871739009',
      '871826000',
      '871919004',
      '981000221107',
      '836382004',
      '787859002',
    ].map((code) => [{ system: SNOMED, code }]),
    [
      { system: SNOMED, code: '871765008' },
      { system: CVX, code: '03' },
    ],
  ]
  expect(new Set(vaccinesOf(vague))).toEqual(new Set(['documents.unknownVaccine']))
  // a second code that says less narrows nothing
  expect(
    vaccinesOf([
      [
        { system: SNOMED, code: '871875004' },
        { system: ATC, code: 'J07AJ51' },
      ],
      [
        { system: ATC, code: 'J07BF' },
        { system: SNOMED, code: '871740006' },
      ],
      [
        { system: ATC, code: 'J07AM51' },
        { system: SNOMED, code: '871827009' },
      ],
    ]),
  ).toEqual(['dtp', 'ipv', 'td'])
})

const reasonsOf = (lines: Awaited<ReturnType<typeof linesOf>>) =>
  Object.fromEntries(lines.map(({ words, left }) => [words, left?.key ?? null]))

describe('a document of another program', () => {
  test('is taken as far as it asserts something; what it refutes, leaves open or does not date is shown', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const patientId = (await make.patient(MARIA)).id
    const text = aDocument()
    const lines = await linesOf(admin, patientId, text)
    expect(reasonsOf(lines)).toEqual({
      Penicilina: null,
      Látex: 'documents.refuted',
      'Sin alergias alimentarias conocidas': 'documents.saysNone',
      'Hipertensión arterial': null,
      'Fiebre reumática': 'documents.enteredInError',
      'Dolor de rodilla': null,
      'Diabetes de la madre': 'documents.ofOther',
      'Asma del vecino': 'documents.ofUnknown',
      Cefalea: 'documents.modified',
      'Enalapril 10 mg': null,
      Ibuprofeno: 'documents.noEnd',
      Metformina: null,
      'Ácido acetilsalicílico': 'documents.neverTaken',
      'Vacuna contra el sarampión': null,
      'Vacuna antipoliomielítica': 'documents.unknownVaccine',
      'Fiebre amarilla': 'documents.noDay',
      'Peso corporal': null,
      Talla: 'documents.unknownUnit',
      Temperatura: 'documents.notFinal',
      'Grupo sanguíneo': 'documents.noPlace',
      Apendicectomía: 'documents.noPlace',
    })
    const { taken, left } = await takeAll(admin, patientId, text)
    expect(taken).toHaveLength(7)
    expect(left).toHaveLength(lines.length - 7)
    const record = await recordOf(admin, patientId)
    expect(ofKind(record, 'allergy')).toMatchObject([
      {
        substance: 'Penicilina',
        substance_kind: 'drug_class',
        severity: null,
        status: 'active',
        notes: 'High criticality in the document',
      },
    ])
    const byCode = (one: Record<string, unknown>) => String(one['problem_code'])
    expect(
      ofKind(record, 'problem').toSorted((a, b) => (byCode(a) < byCode(b) ? -1 : 1)),
    ).toMatchObject([
      {
        problem_code_system: 'uncoded',
        problem_code: '',
        clinical_status: 'unknown',
        verification_status: 'confirmed',
      },
      {
        problem_code_system: 'uncoded',
        problem_code: 'K86',
        clinical_status: 'active',
        verification_status: 'unconfirmed',
        onset_date: null,
        severity_score: null,
        metadata: { document: { when: '2015', from: 'Hospital San Juan' } },
      },
    ])
    expect(ofKind(record, 'medicine')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'Enalapril 10 mg',
          ingredients: ['enalapril'],
          dose: '1 tableta, 2×/d',
          source: 'unknown',
          until: null,
        }),
        expect.objectContaining({ name: 'Metformina', notes: 'Status in the document: On hold' }),
      ]),
    )
    expect(ofKind(record, 'vital')).toMatchObject([{ weight_kg: 68.0389 }])
    expect((await takeAll(admin, patientId, text)).taken).toEqual([])
  })

  test('takes entries about a person who differs only after the user confirmed the identity', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const other = await make.patient({
      ...MARIA,
      surname: 'Haddad',
      sex: 'male',
      date_of_birth: '1981-01-01',
    })
    const text = aDocument()
    expect((await previewDocument(admin, { patientId: other.id, text })).differences).toEqual([
      { what: 'family', isUnknown: false },
      { what: 'sex', isUnknown: false },
      { what: 'birth', isUnknown: false },
    ])
    for (const answer of [undefined, false])
      await expect(takeAll(admin, other.id, text, answer)).rejects.toMatchObject({
        fields: { same_person: { key: 'documents.answerFirst' } },
      })
    expect(await recordOf(admin, other.id)).toEqual([])
    expect((await takeAll(admin, other.id, text, true)).taken).toHaveLength(7)
    const unknown = await make.patient({
      given_name: 'María',
      surname: null,
      sex: null,
      date_of_birth: null,
    })
    expect(
      (await previewDocument(admin, { patientId: unknown.id, text })).differences.map(
        ({ isUnknown }) => isUnknown,
      ),
    ).toEqual([true, true, true])
  })

  test('each refused line keeps its reason while the others are taken', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient({ ...MARIA, date_of_birth: '2012-05-17' })
    const text = aDocument({ birthDate: '2012-05-17' })
    await make.allergy({
      patient_id: id,
      substance: 'Penicillin',
      substance_kind: 'drug_class',
      substance_code: 'penicillins',
    })
    const { taken, left } = await takeAll(admin, id, text)
    const lines = await linesOf(admin, id, text)
    const words = (key: string) => lines.find((line) => line.key === key)!.words
    expect(
      Object.fromEntries(left.map(({ key, reason }) => [words(key), reason.key])),
    ).toMatchObject({
      'Vacuna contra el sarampión': 'immunizations.beforeBirth',
      Penicilina: 'documents.alreadyRecorded',
    })
    expect(taken).toHaveLength(5)
  })

  test.for<[string, string | object, string]>([
    ['no JSON', '{"a"', 'documents.noJson'],
    ['XML', '<Bundle/>', 'documents.isXml'],
    ['no bundle', { resourceType: 'Patient' }, 'documents.noDocument'],
    [
      'a collection',
      { resourceType: 'Bundle', type: 'collection', entry: [] },
      'documents.noDocument',
    ],
    [
      'no composition',
      {
        resourceType: 'Bundle',
        type: 'document',
        entry: [{ resource: { resourceType: 'Patient' } }],
      },
      'documents.noDocument',
    ],
    ['deep', `${'['.repeat(500)}${']'.repeat(500)}`, 'documents.damaged'],
    ['NUL', '{"resourceType":"Bundle\\u0000"}', 'documents.damaged'],
    [
      'many entries',
      { resourceType: 'Bundle', type: 'document', entry: Array.from({ length: 2001 }, () => ({})) },
      'documents.tooManyEntries',
    ],
    ['too large', ' '.repeat(5_000_001), 'documents.tooLarge'],
  ])('is refused when it is none: %s', async ([, given, key], { as, make }) => {
    const { id } = await make.patient()
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    await expect(previewDocument(as('admin'), { patientId: id, text })).rejects.toMatchObject({
      fields: { text: { key } },
    })
  })

  test('with wrong shapes in every element says what it can and stores nothing of it', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const wrong = [null, 7, 'x', [], {}, [[]], { coding: 'x' }, { coding: [null, { code: 5 }] }]
    const types = [
      'AllergyIntolerance',
      'Condition',
      'MedicationRequest',
      'MedicationStatement',
      'Immunization',
      'Observation',
      'Procedure',
      '__proto__',
    ]
    const more: Given['more'] = types.flatMap((resourceType) =>
      wrong.map((value) => ({
        resourceType,
        ...Object.fromEntries(
          [
            'code',
            'status',
            'vaccineCode',
            'subject',
            'medicationCodeableConcept',
            'reaction',
            'note',
            'dosage',
            'component',
            'valueQuantity',
            'category',
            'occurrenceDateTime',
          ].map((name) => [name, value]),
        ),
      })),
    )
    const text = aDocument({ more, only: true })
    expect(
      (await linesOf(admin, id, text)).filter(({ left, words }) => left === null && words === ''),
    ).toEqual([])
    const { taken } = await takeAll(admin, id, text)
    expect(taken).toEqual([])
    expect(await recordOf(admin, id)).toEqual([])
  })

  test('is compared and taken by those alone who may write into the record', async ({
    as,
    asUser,
    make,
  }) => {
    const { clinic_id, patient_id: patientId } = await make.visit({
      patient_id: (await make.patient(MARIA)).id,
    })
    const text = aDocument()
    const reader = as('provider', { [clinic_id]: ['can_view_history'] })
    await expect(previewDocument(reader, { patientId, text })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const [line] = await linesOf(as('admin'), patientId, text)
    const taking = { patientId, text, file_name: 'a.json', entries: [line!.key] }
    await expect(takeFromDocument(reader, taking)).rejects.toMatchObject({ code: 'forbidden' })
    const writer = asUser(await make.user({ clinic_id }), {
      [clinic_id]: ['can_view_history', 'can_edit_records'],
    })
    expect((await takeFromDocument(writer, taking)).taken).toEqual([line!.key])
    // a line that the file does not have is no line
    expect((await takeFromDocument(writer, { ...taking, entries: [newId()] })).left).toMatchObject([
      { reason: { key: 'documents.notInFile' } },
    ])
  })
})

const OWN_CODE = 'urn:oid:2.16.840.1.113883.2.999'
const bothCodes = (fixed: string, code: string, own: string) => ({
  coding: [{ system: OWN_CODE, code: own }, ...status(fixed, code).coding],
})
const medicine = (text: string, more: object = {}) => ({
  resourceType: 'MedicationStatement',
  status: 'active',
  medicationCodeableConcept: { text },
  subject: SUBJECT,
  ...more,
})

describe('what a document says of its own lines', () => {
  test('keeps a line back that is of nobody, of somebody else, under a rule, or no exact value', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const verified = 'allergyintolerance-verification'
    const text = aDocument({
      only: true,
      more: [
        allergy('Polvo', 'confirmed', {
          verificationStatus: bothCodes(verified, 'confirmed', 'refuted'),
        }),
        allergy('Moho', 'confirmed', { implicitRules: 'urn:rules' }),
        allergy('Polen', 'confirmed', {
          reaction: [{ manifestation: [{ text: 'tos' }], modifierExtension: [{ url: 'urn:x' }] }],
        }),
        allergy('Ninguna alergia a medicamentos conocida', 'confirmed'),
        condition('No known problems', {}),
        medicine('لا توجد أدوية'),
        condition('Gripe', { subject: { display: 'María López' } }),
        condition('Otitis', { subject: { identifier: { system: OWN_CODE, value: '123-45' } } }),
        condition('Gota', { subject: { identifier: { system: OWN_CODE, value: '999' } } }),
        vital('8867-4', 'Pulso del feto', {
          valueQuantity: { value: 140, code: '/min' },
          focus: [{ display: 'feto' }],
        }),
        vital('8867-4', 'Pulso', { valueQuantity: { value: 30, comparator: '<', code: '/min' } }),
        {
          resourceType: 'Immunization',
          status: 'completed',
          isSubpotent: true,
          vaccineCode: { coding: [{ system: 'http://hl7.org/fhir/sid/cvx', code: '05' }] },
          patient: SUBJECT,
          occurrenceDateTime: '1990-02-03',
        },
      ],
    })
    const lines = await linesOf(admin, id, text)
    expect(reasonsOf(lines)).toEqual({
      Polvo: 'documents.refuted',
      Moho: 'documents.modified',
      Polen: 'documents.modified',
      'Ninguna alergia a medicamentos conocida': 'documents.saysNone',
      'No known problems': 'documents.saysNone',
      'لا توجد أدوية': 'documents.saysNone',
      Gripe: 'documents.ofUnknown',
      Otitis: null,
      Gota: 'documents.ofUnknown',
      'Pulso del feto': 'documents.ofUnknown',
      Pulso: 'documents.noExactValue',
      '05': 'documents.subpotent',
    })
    expect(lines.find(({ words }) => words === 'Pulso')!.details).toEqual([{ text: '<30 /min' }])
  })

  test('is written as far as it goes: status, end and dose are those of the whole line', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const timing = { repeat: { frequency: 1, period: 1, periodUnit: 'd' } }
    const until = (end: string) => ({
      text: `until ${end}`,
      timing: { repeat: { boundsPeriod: { end } } },
    })
    const text = aDocument({
      only: true,
      composition: {
        section: [
          {
            title: 'Antecedentes',
            code: { coding: [{ system: 'http://loinc.org', code: '11348-0' }] },
            entry: [{ reference: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8b01' }],
          },
        ],
      },
      more: [
        allergy('Nueces', 'confirmed', {
          verificationStatus: bothCodes('allergyintolerance-verification', 'unconfirmed', 'ok'),
          onsetDateTime: '2009-05-06',
        }),
        allergy('Kiwi', 'cierto'),
        {
          fullUrl: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8b01',
          ...condition('Malaria', {}),
        },
        condition('Neumonía', { abatementDateTime: '2011-03', onsetString: 'de niña' }),
        condition('Migraña', { onsetPeriod: { start: '2001-02-03', end: '2002-02-03' } }),
        condition('Asma', { clinicalStatus: bothCodes('condition-clinical', 'remission', 'a') }),
        medicine('Tramadol', { dosage: [{ timing, asNeededBoolean: true }] }),
        medicine('Furosemida', { dosage: [{ timing }] }),
        medicine('Prednisona', { dosage: [until('2019-05-06'), until('2020-05-06')] }),
        medicine('Insulina', { dosage: [until('2019-05-06'), { text: 'then 2' }] }),
        medicine('Digoxina', { status: 'stopped', effectivePeriod: { end: '2018-02' } }),
      ],
    })
    const lines = await linesOf(admin, id, text)
    const notes = Object.fromEntries(
      lines.map((line) => [line.words, line.notes.map(({ key }) => key.replace('documents.', ''))]),
    )
    expect(notes).toMatchObject({
      Malaria: ['uncoded', 'pastSection'],
      Neumonía: ['uncoded', 'partialDate', 'endedSaid'],
      Migraña: ['uncoded'],
      Tramadol: ['doseLeft'],
      Furosemida: [],
      Prednisona: ['endPassed'],
      Insulina: [],
      Digoxina: ['partialEnd'],
    })
    expect(lines.find(({ words }) => words === 'Neumonía')!.when).toBe('de niña')
    expect((await takeAll(admin, id, text)).left).toEqual([])
    const record = await recordOf(admin, id)
    const by = (kind: string, name: string, ...columns: string[]) =>
      Object.fromEntries(
        ofKind(record, kind).map((row) => [row[name], columns.map((column) => row[column])]),
      )
    expect(by('allergy', 'substance', 'notes', 'metadata')).toMatchObject({
      Nueces: ['Since May 6, 2009', { verification: 'unconfirmed' }],
      Kiwi: [null, { verification: 'unconfirmed' }],
    })
    expect(by('problem', 'problem_label', 'clinical_status', 'end_date')).toEqual({
      Malaria: ['inactive', null],
      Neumonía: ['resolved', null],
      Migraña: ['unknown', null],
      Asma: ['remission', null],
    })
    expect(by('medicine', 'name', 'dose', 'until')).toEqual({
      Tramadol: [null, null],
      Furosemida: ['1×/d', null],
      Prednisona: ['until 2019-05-06; until 2020-05-06', '2020-05-06'],
      Insulina: ['until 2019-05-06; then 2', null],
      Digoxina: [null, '2018-02-28'],
    })
    const ends = ofKind(record, 'problem').map(({ metadata }) => metadata)
    expect(ends).toContainEqual({ document: expect.objectContaining({ until: '2011-03' }) })
  })

  test('is the same as the record only if nothing of it is another', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    await make.medicine({
      patient_id: id,
      name: 'Amlodipine 5 mg',
      ingredients: ['amlodipine'],
      dose: '1 al día',
    })
    await make.problem({
      patient_id: id,
      problem_code_system: 'icd10',
      problem_code: 'M17.1',
      problem_label: 'Gonartrosis',
      laterality: 'left',
      onset_date: new Date('2019-03-02T00:00:00Z'),
    })
    const dosage = [{ text: '1 al día' }]
    const knee = (text: string, more: object) => ({
      ...condition(text, { clinicalStatus: status('condition-clinical', 'active') }),
      code: {
        coding: [
          { system: 'http://snomed.info/sct', code: '239873007' },
          { system: 'http://hl7.org/fhir/sid/icd-10', code: 'M17.1' },
        ],
        text,
      },
      ...more,
    })
    const text = aDocument({
      only: true,
      more: [
        medicine('Amlodipine 5 mg', { dosage }),
        medicine('Amlodipine 10 mg', { dosage }),
        medicine('Amlodipine'),
        medicine('Losartan 50 mg', { dosage }),
        medicine('Losartan 100 mg', { dosage }),
        knee('Artrosis', {}),
        knee('Artrosis desde 2019', { onsetDateTime: '2019' }),
        knee('Artrosis derecha', { bodySite: [{ text: 'right' }] }),
        knee('Artrosis desde 2015', { onsetDateTime: '2015' }),
      ],
    })
    const lines = await linesOf(admin, id, text)
    const of = (key: string) =>
      lines.filter((line) =>
        [line.left, ...line.notes].some((one) => one?.key === `documents.${key}`),
      )
    expect(of('alreadyRecorded').map(({ words }) => words)).toEqual([
      'Artrosis',
      'Artrosis desde 2019',
      'Amlodipine 5 mg',
    ])
    expect(of('alike').map(({ words }) => words)).toEqual([
      'Artrosis derecha',
      'Artrosis desde 2015',
      'Amlodipine 10 mg',
      'Amlodipine',
    ])
    expect((await takeAll(admin, id, text)).taken).toHaveLength(6)
  })

  test('says that it changed where its address was taken with other content', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const fullUrl = 'https://north.example/fhir/AllergyIntolerance/7'
    const file = (...severities: string[]) =>
      aDocument({
        only: true,
        more: severities.map((severity, at) => ({
          fullUrl,
          ...allergy('Nueces', 'confirmed', { reaction: [{ severity }], meta: { versionId: at } }),
        })),
      })
    expect((await takeAll(admin, id, file('mild'))).taken).toHaveLength(1)
    const keysOf = async (text: string) =>
      (await linesOf(admin, id, text)).map(({ left, notes }) => [
        left?.key ?? null,
        ...notes.map(({ key }) => key),
      ])
    expect(await keysOf(file('mild', 'severe'))).toEqual([
      ['documents.alreadyTaken'],
      [null, 'documents.changed', 'documents.notRecognized', 'documents.alike'],
    ])
  })

  test('names a vaccine by any code of it that is published, and by no code of several', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const dose = (code: string, occurrenceDateTime: string) => ({
      resourceType: 'Immunization',
      status: 'completed',
      vaccineCode: { coding: [{ system: 'http://hl7.org/fhir/sid/cvx', code }], text: code },
      patient: SUBJECT,
      occurrenceDateTime,
    })
    const text = aDocument({
      only: true,
      more: [
        dose('133', '2020-01-02'),
        dose('208', '2021-01-02'),
        dose('178', '2020-01-03'),
        // measles, mumps, rubella and varicella; acellular pertussis
        dose('94', '2021-01-03'),
        dose('20', '2020-01-04'),
      ],
    })
    const { taken, left } = await takeAll(admin, id, text)
    expect([taken.length, left.map(({ reason }) => reason.key)]).toEqual([
      3,
      ['documents.unknownVaccine', 'documents.unknownVaccine'],
    ])
    const doses = ofKind(await recordOf(admin, id), 'dose')
    expect(doses.map(({ vaccine }) => String(vaccine)).toSorted()).toEqual(['covid', 'opv', 'pcv'])
  })

  test('has its decimals where the record has whole numbers alone, and says so', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const part = (code: string, value: number) => ({
      code: { coding: [{ system: 'http://loinc.org', code }] },
      valueQuantity: { value, code: 'kPa' },
    })
    const text = aDocument({
      only: true,
      more: [
        vital('85354-9', 'Presión', { component: [part('8480-6', 16), part('8462-4', 10.6)] }),
        vital('8867-4', 'Pulso', { valueQuantity: { value: 72.4, code: '/min' } }),
        vital('8310-5', 'Temperatura', { valueQuantity: { value: 98.7, code: '[degF]' } }),
        vital('29463-7', 'Peso', { valueQuantity: { value: 3.457, code: 'kg' } }),
      ],
    })
    const notes = (await linesOf(admin, id, text)).map(({ notes: all }) =>
      all.flatMap(({ key, values }) => (key === 'documents.rounded' ? values!['value'] : [])),
    )
    expect(notes).toEqual([['120 mmHg / 80 mmHg'], ['72 /min'], [], []])
    const { taken, left } = await takeAll(admin, id, text)
    expect([taken.length, left]).toEqual([4, []])
    expect(ofKind(await recordOf(admin, id), 'vital')).toMatchObject([
      {
        systolic_bp: 120,
        diastolic_bp: 80,
        heart_rate: 72,
        temperature_celsius: 37.0556,
        weight_kg: 3.457,
      },
    ])
    expect((await takeAll(admin, id, text)).taken).toEqual([])
  })

  test('adds nothing again after its patient was merged, here or where it was written', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const [winner, loser] = [await make.patient(MARIA), await make.patient(MARIA)]
    const text = aDocument({
      more: [
        {
          resourceType: 'MedicationStatement',
          fullUrl: 'https://north.example/fhir/MedicationStatement/3',
          status: 'active',
          medicationCodeableConcept: { text: 'Enalapril 10 mg' },
          dosage: [{ text: '1 al día' }],
          subject: SUBJECT,
        },
      ],
    })
    const { taken } = await takeAll(admin, loser.id, text)
    expect(taken.length).toBeGreaterThan(5)
    await mergePatients(admin, {
      id: newId(),
      winnerId: winner.id,
      loserId: loser.id,
      choices: {},
    })
    const before = await recordOf(admin, winner.id)
    const again = text.replaceAll(SUBJECT.reference, `urn:uuid:${newId()}`)
    for (const copy of [text, again])
      expect((await takeAll(admin, winner.id, copy)).taken).toEqual([])
    expect(await recordOf(admin, winner.id)).toEqual(before)
  })

  test('counts as taken what the first build of the reading kept by the former key', async ({
    asUser,
    make,
    db,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient(MARIA)
    const at = (kind: string, resource: Record<string, unknown>) => ({
      fullUrl: `https://north.example/fhir/${kind}/3`,
      ...resource,
    })
    const text = aDocument({
      only: true,
      more: [
        at('AllergyIntolerance', allergy('Penicilina', 'confirmed')),
        at('Condition', condition('Asma', {})),
      ],
    })
    await takeAll(admin, id, text)
    const former = readDocument(text).entries.map(({ entry }) => [entry.key, entry.formerKey])
    for (const table of ['patient_allergies', 'patient_problems'] as const)
      await sql`update ${sql.table(table)} set metadata = jsonb_set(metadata, '{document,entries}', (
          select jsonb_agg(coalesce(${JSON.stringify(Object.fromEntries(former))}::jsonb -> key, to_jsonb(key)))
          from jsonb_array_elements_text(metadata -> 'document' -> 'entries') key))
        where patient_id = ${id} and metadata ? 'document'`.execute(db)
    expect((await takeAll(admin, id, text)).taken).toEqual([])
  })

  test('is asked about where twins or two numbers of one system would be mixed up', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id } = await make.patient({
      ...MARIA,
      given_name: 'María José',
      metadata: JSON.stringify({ identifiers: [{ system: OWN_CODE, value: '123-45' }] }),
    })
    const differences = async (patient: object) =>
      (await previewDocument(admin, { patientId: id, text: aDocument({ patient }) })).differences
    expect(await differences({})).toEqual([])
    expect(
      await differences({
        name: [{ family: 'García', given: ['María', 'Luisa'], text: 'María Luisa López García' }],
        identifier: [{ system: OWN_CODE, value: '123-46' }],
      }),
    ).toEqual([
      { what: 'family', isUnknown: false },
      { what: 'given', isUnknown: false },
      { what: 'number', isUnknown: false },
    ])
  })

  test.for(['no list', [null, 'a text', { value: 7 }]])(
    'compares no identifiers where a phone stored %j',
    async (identifiers, { asUser, make }) => {
      const admin = asUser(await make.user({ role: 'admin' }))
      const metadata = JSON.stringify({ identifiers })
      const { id } = await make.patient({ ...MARIA, metadata })
      const patient = { identifier: [{ system: OWN_CODE, value: '123-46' }] }
      const text = aDocument({ patient })
      const { differences } = await previewDocument(admin, { patientId: id, text })
      expect(differences.map(({ what }) => what)).not.toContain('number')
    },
  )

  test.for<[string, Given['composition'], string]>([
    ['of nobody in it', { subject: { reference: 'Patient/nadie' } }, 'documents.noPatient'],
    ['of one of two', { subject: undefined }, 'documents.noPatient'],
    ['entered in error', { status: 'entered-in-error' }, 'documents.documentInError'],
  ])('is refused as a whole: %s', async ([, composition, key], { as, make }) => {
    const { id } = await make.patient()
    const text = aDocument({ composition: composition! })
    await expect(previewDocument(as('admin'), { patientId: id, text })).rejects.toMatchObject({
      fields: { text: { key } },
    })
  })
})
