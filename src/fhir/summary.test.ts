import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import type { Context } from '~/server/operation'
import type { Language } from '~/shared/language'
import { mergePatients } from '~/features/people/patients/duplicates/merge.server'
import { recordPregnancy } from '~/features/care/pregnancies/pregnancies.server'
import { tellTimeZone } from '~/shared/zone'
import { resourceFrom, runSearch } from './pages.server'
import { findFhirResource } from './resources/all'
import { parseFhirSearch } from './search'
import { fhirSummary } from './summary.server'

const BASE = 'https://clinic.example/api/fhir'
type Section = {
  code: { coding: { code: string }[] }
  text: { div: string }
  entry?: { reference: string }[]
  emptyReason?: { coding: { code: string }[] }
}
type Entry = { fullUrl: string; resource: Record<string, unknown> & { section?: Section[] } }

/** The section with this LOINC code, as a reader sees it, and the resources of its entries. */
async function sectionOf(ctx: Context, id: string, code: string) {
  const { document } = await fhirSummary(ctx, { id, base: BASE })
  const entries = document['entry'] as Entry[]
  const section = entries[0]!.resource.section!.find((one) => one.code.coding[0]!.code === code)
  if (!section) return { lines: [], resources: [], empty: 'no section' }
  const lines = [...section.text.div.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) =>
    line!.replaceAll(/[\u2068\u2069]/g, ''),
  )
  const resources = (section.entry ?? []).map(
    ({ reference }) => entries.find(({ fullUrl }) => fullUrl === `${BASE}/${reference}`)!.resource,
  )
  return { lines, resources, empty: section.emptyReason?.coding[0]!.code }
}
const MEDICINES = '10160-0'
const PROBLEMS = '11450-4'
const ALLERGIES = '48765-2'
const VITALS = '8716-3'
const RESULTS = '30954-2'
const PREGNANCY = '10162-6'

const speaking = (ctx: Context, language: Language): Context => ({
  ...ctx,
  actor: { ...ctx.actor, language },
})

test('a patient who takes a medicine from elsewhere never leaves with none', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  const admin = as('admin')
  expect(await sectionOf(admin, id, MEDICINES)).toEqual({
    lines: ['Medicines: not recorded yet'],
    resources: [],
    empty: 'notasked',
  })
  expect((await sectionOf(speaking(admin, 'ar'), id, MEDICINES)).lines).toEqual([
    'الأدوية: لم تُسجَّل بعد',
  ])
  const warfarin = await make.medicine({
    patient_id: id,
    name: 'Coumadin',
    ingredients: ['warfarin'],
    dose: '5 mg in the evening',
    source: 'other_clinic',
  })
  const { lines, resources, empty } = await sectionOf(admin, id, MEDICINES)
  expect(lines).toEqual(['Coumadin (warfarin) · 5 mg in the evening · Another clinic or hospital'])
  expect(empty).toBeUndefined()
  expect(resources).toMatchObject([
    {
      resourceType: 'MedicationStatement',
      id: warfarin.id,
      status: 'active',
      medicationCodeableConcept: { text: 'Coumadin (warfarin)' },
      dosage: [{ text: '5 mg in the evening' }],
      // when it began was not asked, and IPS asks for a time or that none is known
      _effectiveDateTime: { extension: [{ valueCode: 'unknown' }] },
    },
  ])
  expect(resources[0]).not.toHaveProperty('effectivePeriod')
})

test('what was wholly dispensed is taken until its supply ends; what expired or was not picked up is not', async ({
  as,
  make,
  db,
}) => {
  const { id } = await make.patient()
  const long = new Date('2025-03-01T12:00:00Z')
  const expired = await make.prescription({
    patient_id: id,
    prescribed_at: new Date('2025-02-01T12:00:00Z'),
    expiration_date: long,
  })
  await make.prescriptionItem(expired, {})
  await make.prescriptionItem(
    await make.prescription({ patient_id: id, status: 'not-picked-up' }),
    {},
  )
  expect(await sectionOf(as('admin'), id, MEDICINES)).toMatchObject({
    lines: [expect.stringMatching(/^No medicine is known to be taken now/)],
    resources: [],
    empty: 'notasked',
  })

  const prescription = await make.prescription({ patient_id: id, status: 'prepared' })
  const drug = await make.drug({ generic_name: 'Amlodipine' })
  const item = await make.prescriptionItem(prescription, {
    drug_id: drug.id,
    quantity_prescribed: 30,
  })
  const open = await sectionOf(as('admin'), id, MEDICINES)
  expect(open.resources).toMatchObject([
    { resourceType: 'MedicationRequest', id: item.id, status: 'active' },
  ])
  await db
    .insertInto('dispensing_records')
    .values({
      id: uuidv7(),
      clinic_id: prescription.pickup_clinic_id!,
      drug_id: drug.id,
      prescription_item_id: item.id,
      patient_id: id,
      quantity_dispensed: 30,
      days_supply: 30,
    })
    .execute()
  const { lines, resources } = await sectionOf(as('admin'), id, MEDICINES)
  expect(lines).toMatchObject([
    expect.stringMatching(/^Amlodipine.* · until [A-Z][a-z]{2} \d{1,2}, \d{4}$/),
  ])
  expect(resources).toMatchObject([
    { resourceType: 'MedicationStatement', id: `${item.id}-taken`, status: 'active' },
  ])
})

test('a problem whose status nobody knows stays among the present ones, and asserts nothing', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  const statuses = ['unknown', 'inactive', 'resolved', 'remission'] as const
  for (const clinical_status of statuses)
    await make.problem({ patient_id: id, clinical_status, problem_label: clinical_status })
  const { resources } = await sectionOf(as('admin'), id, PROBLEMS)
  expect(resources.map(({ code }) => (code as { text: string }).text).toSorted()).toEqual([
    'remission',
    'unknown',
  ])
  expect(
    resources.find(({ code }) => (code as { text: string }).text === 'unknown'),
  ).not.toHaveProperty('clinicalStatus')
})

test('a known pregnancy leaves with its due date; what nobody asked says nothing', async ({
  asUser,
  make,
}) => {
  const { id } = await make.patient({ sex: 'female' })
  const admin = asUser(await make.user({ role: 'admin' }))
  expect((await sectionOf(admin, id, PREGNANCY)).empty).toBe('no section')
  const today = new Date().toISOString().slice(0, 10)
  const due = new Date(Date.now() + 70 * 86_400_000).toISOString().slice(0, 10)
  await recordPregnancy(admin, { id: uuidv7(), patientId: id, state: 'pregnant', due_on: due })
  const { lines, resources } = await sectionOf(admin, id, PREGNANCY)
  expect(lines).toEqual([`Pregnant · 30 weeks · Due date: ${due} · asked ${today}`])
  expect(resources).toMatchObject([
    {
      resourceType: 'Observation',
      code: { coding: [{ code: '82810-3' }] },
      valueCodeableConcept: { coding: [{ code: 'LA15173-0' }], text: 'Pregnant' },
      hasMember: [{ reference: `Observation/${id}-due-date` }],
    },
    { code: { coding: [{ code: '11778-8' }] }, valueDateTime: due },
  ])
  expect((await sectionOf(speaking(admin, 'es'), id, PREGNANCY)).lines).toEqual([
    expect.stringMatching(/^Embarazada · 30 semanas/),
  ])
  // a birth that must have been, and that nobody recorded, is not asserted
  const past = await make.patient({ sex: 'female' })
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  await recordPregnancy(admin, {
    id: uuidv7(),
    patientId: past.id,
    state: 'pregnant',
    asked_on: day(200),
    due_on: day(40),
  })
  expect((await sectionOf(admin, past.id, PREGNANCY)).empty).toBe('no section')
})

test('a result of the laboratory leaves; a value that nobody can have is none of the summary', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  const at = '2026-02-03T23:30:00Z'
  const { id: recorded_by_user_id } = await make.user({ name: 'Nur Aziz' })
  await make.vital({
    patient_id: id,
    timestamp: at,
    creatinine_umol_l: 250,
    height_cm: 1.7,
    recorded_by_user_id,
  })
  const admin = as('admin')
  const { lines, resources } = await sectionOf(admin, id, RESULTS)
  expect(lines).toEqual(['Creatinine in blood · 250 µmol/L · 2026-02-03'])
  expect(resources).toMatchObject([
    {
      category: [{ coding: [{ code: 'laboratory' }] }],
      code: { coding: [{ system: 'http://loinc.org', code: '14682-9' }] },
      valueQuantity: { value: 250, unit: 'µmol/L', code: 'umol/L' },
      // users are not in the document
      performer: [{ display: 'Nur Aziz' }],
    },
  ])
  expect((await sectionOf(admin, id, VITALS)).lines.join()).not.toContain('1.7')
  expect((await sectionOf(speaking(admin, 'ar'), id, RESULTS)).lines[0]).toMatch(/^الكرياتينين/)
  const search = parseFhirSearch(
    findFhirResource('Observation')!,
    [
      ['patient', id],
      ['code', '8302-2'],
    ],
    admin,
  )
  const [height] = (await runSearch(admin, search)).found
  expect(resourceFrom(height!, { base: BASE })).toMatchObject({
    status: 'preliminary',
    note: [{ text: 'Outside the limits that Sanad accepts: probably wrong.' }],
  })
})

test('the summary names the day of the clinic, not that of Greenwich', async ({ as, make }) => {
  const { id } = await make.patient()
  await make.vital({ patient_id: id, timestamp: '2026-02-03T22:30:00Z', heart_rate: 70 })
  tellTimeZone('Asia/Beirut')
  try {
    expect((await sectionOf(as('admin'), id, VITALS)).lines).toContainEqual(
      expect.stringContaining('2026-02-04'),
    )
  } finally {
    tellTimeZone(undefined)
  }
})

test('the summary of a merged patient names no record that is not in it', async ({
  asUser,
  make,
}) => {
  const admin = asUser(await make.user({ role: 'admin' }))
  const [winner, loser] = [await make.patient(), await make.patient()]
  await mergePatients(admin, {
    id: uuidv7(),
    winnerId: winner.id,
    loserId: loser.id,
    choices: {},
  })
  const { document } = await fhirSummary(admin, { id: winner.id, base: BASE })
  const [, patient] = document['entry'] as Entry[]
  expect(patient!.resource).toMatchObject({ resourceType: 'Patient', id: winner.id })
  expect(patient!.resource).not.toHaveProperty('link')
})

test('in the language of the reader no published English name stands before the words', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  await make.vital({ patient_id: id, heart_rate: null, temperature_celsius: 36.5 })
  await make.allergy({ patient_id: id, substance: 'Maní', reaction: 'Ronchas', severity: 'severe' })
  const prescription = await make.prescription({ patient_id: id, status: 'prepared' })
  const drug = await make.drug({
    generic_name: 'Metformin',
    ingredients: ['metformin'],
    dosage_quantity: 850,
    dosage_units: 'mg',
    form: 'tablet',
  })
  await make.prescriptionItem(prescription, { drug_id: drug.id })
  const documentIn = async (language: Language) => {
    const { document } = await fhirSummary(speaking(as('admin'), language), { id, base: BASE })
    const resources = (document['entry'] as Entry[]).map(({ resource }) => resource)
    return (type: string) => resources.find(({ resourceType }) => resourceType === type)!
  }
  const [english, spanish] = [await documentIn('en'), await documentIn('es')]
  const temperature = { system: 'http://loinc.org', code: '8310-5' }
  expect(english('Observation')['code']).toEqual({
    coding: [{ ...temperature, display: 'Body temperature' }],
    text: 'Temperature',
  })
  expect(spanish('Observation')['code']).toEqual({ coding: [temperature], text: 'Temperatura' })
  expect(spanish('Medication')).toMatchObject({
    form: { text: 'Tableta' },
    ingredient: [
      {
        // a viewer that reads codings alone names the substance, too
        itemCodeableConcept: { coding: [{ display: 'metformin' }], text: 'metformin' },
        strength: { numerator: { value: 850, unit: 'mg' }, denominator: { unit: 'Tableta' } },
      },
    ],
  })
  const arabic = speaking(as('admin'), 'ar')
  expect((await sectionOf(arabic, id, VITALS)).lines[0]).toMatch(/^درجة الحرارة · 36.5 °م · /)
  expect((await sectionOf(arabic, id, ALLERGIES)).lines).toEqual(['Maní · Ronchas · شديدة'])
})
