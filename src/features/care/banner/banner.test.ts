import { globSync, readFileSync } from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { recordNoAllergies } from '~/features/care/allergies/allergies.server'
import { test } from '../../../../test/harness'
import { patientBanner } from './banner.server'

const source = (file: string) => readFileSync(file, 'utf8')

/** Addresses that name a record, of which the screen is not about one patient. */
const NOT_ABOUT_ONE: Record<string, string> = {
  'clinics/$clinicId.tsx': 'a clinic',
  'clinics/edit.{-$clinicId}.tsx': 'a clinic',
  'data/events/$formId.tsx': 'answers of many patients',
  'event-forms/edit/{-$formId}.tsx': 'a form',
  'event-forms/versions.$formId.tsx': 'a form',
  'help/{-$guide}.tsx': 'a page of the guide',
  'inventory/clinic-inventory/bin-card.$drugId.tsx': 'stock of a clinic',
  'inventory/clinic-inventory/drug/edit/{-$drugId}.tsx': 'stock of a clinic',
  'inventory/drug-catalogue/edit/{-$drugId}.tsx': 'a medicine',
  'reports/$code.tsx': 'a report',
  'reports/charts.$code.tsx': 'a report',
  'reports/definitions/codes.$definitionId.tsx': 'a report',
  'reports/definitions/edit.{-$definitionId}.tsx': 'a report',
  'reports/definitions/versions.$definitionId.tsx': 'a report',
  'reports/people.$code.tsx': 'the patients behind a number',
  'reports/print.$code.tsx': 'a report',
  'users/edit.{-$userId}.tsx': 'a user',
  'users/manage-permissions.{-$userId}.tsx': 'a user',
}

test('every screen about one patient shows the line that says who it is', () => {
  const screens = globSync('src/routes/app/**/*$*.tsx').map((file) => file.slice(15))
  // the patient's page draws its line in its own component
  const isAbout = (file: string) =>
    /<AboutPatient\b/.test(source(`src/routes/app/${file}`)) ||
    /<PatientRecord\b/.test(source(`src/routes/app/${file}`))
  expect(
    screens.filter((file) => !isAbout(file) && !(file in NOT_ABOUT_ONE)),
    'A new screen about one patient is inside of AboutPatient; another one is listed with what it is about.',
  ).toEqual([])
  expect(Object.keys(NOT_ABOUT_ONE).filter((file) => !screens.includes(file))).toEqual([])
  expect(source('src/features/record/timeline/PatientRecord.tsx')).toMatch(/<AboutPatient\b/)
})

/** Lists that open a dialog about one of their patients: the dialog shows who it is. */
test('every dialog that opens from a list of patients shows the line that says who it is', () => {
  const dialogs = /<(\w*Dialog)\b[^>]*?\bpatient(Id)?=\{(?!patientId\}|patient\})/gs
  const strays = globSync('src/{features,routes}/**/*.tsx').flatMap((file) => {
    const text = source(file)
    return [...text.matchAll(dialogs)].flatMap(([, dialog = '']) =>
      dialog === 'DialogAboutPatient' ||
      text.includes('<DialogAboutPatient') ||
      dialog in WITHOUT_LINE
        ? []
        : [`${file.slice(4)}: ${dialog}`],
    )
  })
  expect(strays).toEqual([])
})
const WITHOUT_LINE: Record<string, string> = {
  EmergencyDialog: 'of a patient whose record is hidden: it names who was found',
  VitalDialog: 'opens from the page of the patient',
  ProblemDialog: 'opens from the page of the patient',
  VisitDialog: 'opens from the page of the patient',
  AllergyDialog: 'opens from a screen about the patient',
  OpenDialog: 'opens from the page of the patient',
  PregnancyDialog: 'opens from a screen about the patient',
  LazyMedicineReviewDialog: 'opens from a screen about the patient',
  UseSetDialog: 'opens from the prescription, which shows the line',
  ReasonDialog: 'of a patient whose record is not open yet',
}

test('the line says who it is, the allergies and the pregnancy to those who may read them', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const { id: patientId } = await make.patient({
    given_name: 'Amina',
    surname: 'Haddad',
    sex: 'female',
    date_of_birth: '1992-05-12',
    external_patient_id: 'EX-77',
    primary_clinic_id: clinic.id,
  })
  const nurse = asUser(await make.user(), {
    [clinic.id]: ['can_view_history', 'can_edit_records'],
  })
  const unasked = await patientBanner(nurse, { patientId })
  expect(unasked).toMatchObject({
    given_name: 'Amina',
    date_of_birth: '1992-05-12',
    external_patient_id: 'EX-77',
    allergies: { state: 'not_asked', known: [] },
    pregnancy: { state: 'not_known' },
    mayRecord: true,
  })
  await recordNoAllergies(nurse, { id: uuidv7(), patientId })
  expect((await patientBanner(nurse, { patientId })).allergies?.state).toBe('none_known')
  await make.allergy({ patient_id: patientId, substance: 'Codeine', severity: 'severe' })
  expect((await patientBanner(nurse, { patientId })).allergies).toMatchObject({
    state: 'recorded',
    known: [{ substance: 'Codeine', severity: 'severe' }],
  })
  // a registrar knows who it is, and nothing of the history
  const registrar = asUser(await make.user({ role: 'registrar' }), {
    [clinic.id]: ['can_register_patients'],
  })
  expect(await patientBanner(registrar, { patientId })).toMatchObject({
    given_name: 'Amina',
    allergies: null,
    pregnancy: null,
    mayRecord: false,
  })
  await expect(patientBanner(asUser(await make.user()), { patientId })).rejects.toMatchObject({
    code: expect.stringMatching(/not_found|forbidden/),
  })
})

test('"NKDA" that a phone wrote is no answer: the patient was not asked', async ({
  asUser,
  make,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const { id: patientId } = await make.patient()
  await make.allergy({
    patient_id: patientId,
    substance: 'NKDA',
    substance_kind: 'other',
    substance_code: null,
  })
  expect((await patientBanner(me, { patientId })).allergies).toEqual({
    state: 'not_asked',
    known: [],
  })
})
