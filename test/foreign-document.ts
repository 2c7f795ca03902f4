/** A patient summary as another program writes it: in Spanish, with other code systems, made up for tests. */
export type Given = {
  birthDate?: string
  /** Further entries; `fullUrl` is that of the entry. */
  more?: readonly ({ fullUrl?: string } & Record<string, unknown>)[]
  /** The entries of `more` alone. */
  only?: boolean
  composition?: object
  patient?: object
}

const SNOMED = 'http://snomed.info/sct'
const LOINC = 'http://loinc.org'
const CVX = 'http://hl7.org/fhir/sid/cvx'
const ATC = 'http://www.whocc.no/atc'
/** A system that no reader knows. */
const LOCAL = 'urn:oid:2.16.840.1.113883.2.999'

export const SUBJECT = { reference: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8a01' }
const MOTHER = { reference: 'Patient/madre' }
export const status = (system: string, code: string) => ({
  coding: [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code }],
})
export const allergy = (text: string, verification: string, more: object = {}) => ({
  resourceType: 'AllergyIntolerance',
  clinicalStatus: status('allergyintolerance-clinical', 'active'),
  verificationStatus: status('allergyintolerance-verification', verification),
  code: { text },
  patient: SUBJECT,
  ...more,
})
export const condition = (text: string, more: object) => ({
  resourceType: 'Condition',
  code: { text },
  subject: SUBJECT,
  ...more,
})
export const vital = (loinc: string, text: string, more: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: LOINC, code: loinc }], text },
  subject: SUBJECT,
  effectiveDateTime: '2025-11-03',
  ...more,
})

const ENTRIES: readonly object[] = [
  allergy('Penicilina', 'confirmed', {
    criticality: 'high',
    code: {
      coding: [{ system: SNOMED, code: '91936005', display: 'Allergy to penicillin' }],
      text: 'Penicilina',
    },
    reaction: [{ severity: 'grave', manifestation: [{ text: 'ronchas' }] }],
  }),
  allergy('Látex', 'refuted'),
  allergy('Sin alergias alimentarias conocidas', 'confirmed', {
    code: {
      coding: [{ system: SNOMED, code: '429625007' }],
      text: 'Sin alergias alimentarias conocidas',
    },
  }),
  condition('Hipertensión arterial', {
    clinicalStatus: status('condition-clinical', 'active'),
    code: { coding: [{ system: LOCAL, code: 'K86' }], text: 'Hipertensión arterial' },
    severity: { coding: [{ system: SNOMED, code: '24484000', display: 'grave' }] },
    onsetDateTime: '2015',
  }),
  condition('Fiebre reumática', {
    verificationStatus: status('condition-ver-status', 'entered-in-error'),
  }),
  condition('Dolor de rodilla', {
    verificationStatus: status('condition-ver-status', 'confirmed'),
  }),
  condition('Diabetes de la madre', { subject: MOTHER }),
  condition('Asma del vecino', { subject: { reference: 'Patient/nadie' } }),
  condition('Cefalea', { modifierExtension: [{ url: 'urn:x', valueBoolean: true }] }),
  {
    resourceType: 'MedicationStatement',
    status: 'active',
    medicationReference: { reference: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8a09' },
    subject: SUBJECT,
    effectivePeriod: { start: '2023-06-01' },
    dosage: [
      {
        doseAndRate: [{ doseQuantity: { value: 1, unit: 'tableta' } }],
        timing: { repeat: { frequency: 2, period: 1, periodUnit: 'd' } },
      },
    ],
  },
  {
    resourceType: 'MedicationStatement',
    status: 'completed',
    medicationCodeableConcept: { text: 'Ibuprofeno' },
    subject: SUBJECT,
  },
  {
    resourceType: 'MedicationStatement',
    status: 'on-hold',
    medicationCodeableConcept: { text: 'Metformina' },
    subject: SUBJECT,
  },
  {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    doNotPerform: true,
    contained: [{ resourceType: 'Medication', id: 'm', code: { text: 'Ácido acetilsalicílico' } }],
    medicationReference: { reference: '#m' },
    subject: SUBJECT,
  },
  {
    resourceType: 'Immunization',
    status: 'completed',
    vaccineCode: { coding: [{ system: CVX, code: '05' }], text: 'Vacuna contra el sarampión' },
    patient: SUBJECT,
    occurrenceDateTime: '1990-02-03T00:00:00-05:00',
  },
  {
    resourceType: 'Immunization',
    status: 'completed',
    // the class of polio vaccines: by mouth or injected
    vaccineCode: { coding: [{ system: ATC, code: 'J07BF' }], text: 'Vacuna antipoliomielítica' },
    patient: SUBJECT,
    occurrenceDateTime: '1990-02-03',
  },
  {
    resourceType: 'Immunization',
    status: 'completed',
    vaccineCode: { coding: [{ system: CVX, code: '184' }], text: 'Fiebre amarilla' },
    patient: SUBJECT,
    occurrenceDateTime: '1998',
  },
  vital('29463-7', 'Peso corporal', {
    valueQuantity: { value: 150, unit: 'lb', system: 'http://unitsofmeasure.org', code: '[lb_av]' },
  }),
  vital('8302-2', 'Talla', { valueQuantity: { value: 165 } }),
  vital('8310-5', 'Temperatura', {
    status: 'preliminary',
    valueQuantity: { value: 36.5, code: 'Cel' },
  }),
  vital('883-9', 'Grupo sanguíneo', { valueCodeableConcept: { text: 'A' } }),
  {
    resourceType: 'Procedure',
    status: 'completed',
    code: { text: 'Apendicectomía' },
    subject: SUBJECT,
    performedDateTime: '2001-09',
  },
]

/** The file. */
export function aDocument({
  birthDate = '1980-05-17',
  more = [],
  only = false,
  composition,
  patient,
}: Given = {}) {
  const about = [
    {
      resourceType: 'Composition',
      status: 'final',
      title: 'Resumen del paciente',
      date: '2025-11-04T09:00:00-05:00',
      subject: SUBJECT,
      author: [{ reference: 'Practitioner/1' }],
      custodian: { reference: 'Organization/1' },
      section: [
        {
          title: 'Antecedentes sociales',
          text: { status: 'generated', div: '<div><p>No <b>fuma</b> &amp; no bebe</p></div>' },
        },
      ],
      ...composition,
    },
    {
      resourceType: 'Patient',
      name: [{ family: 'López García', given: ['María'] }],
      gender: 'female',
      birthDate,
      identifier: [{ system: LOCAL, value: '123-45' }],
      ...patient,
    },
    { resourceType: 'Patient', id: 'madre', name: [{ text: 'Ana García' }] },
    { resourceType: 'Practitioner', id: '1', name: [{ family: 'Ruiz', given: ['Eva'] }] },
    { resourceType: 'Organization', id: '1', name: 'Hospital San Juan' },
    {
      resourceType: 'Medication',
      code: { text: 'Enalapril' },
      ingredient: [
        {
          itemCodeableConcept: { text: 'enalapril' },
          strength: {
            numerator: { value: 10, unit: 'mg' },
            denominator: { value: 1, unit: 'tableta' },
          },
        },
      ],
    },
  ]
  const urls: Partial<Record<number, string>> = {
    1: SUBJECT.reference,
    5: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8a09',
  }
  return JSON.stringify({
    resourceType: 'Bundle',
    type: 'document',
    entry: [
      ...about.map((resource, at) => ({ ...(urls[at] && { fullUrl: urls[at] }), resource })),
      ...(only ? [] : ENTRIES).map((resource) => ({ resource })),
      ...more.map(({ fullUrl, ...resource }) => ({ ...(fullUrl && { fullUrl }), resource })),
    ],
  })
}
