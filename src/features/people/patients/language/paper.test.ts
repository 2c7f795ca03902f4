import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { listAudit } from '~/features/office/audit/audit.server'
import { saveClinic } from '~/features/office/clinics/clinics.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import type { Permission } from '~/shared/permissions'
import { paperLanguage } from '~/ui/paperLanguage'
import { test } from '../../../../../test/harness'
import { languageOfPaper, setPatientLanguage, spokenWith } from './paper.server'
import { createPatient, getPatient, savePatient } from '../patients.server'

const desk: Permission[] = ['can_register_patients']

test('a paper is in the patient’s language, else the clinic’s, and only without both in the user’s', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic({ name: 'North' })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const me = as('registrar', { [clinic.id]: desk })
  const of = { patientId: patient.id }
  const language = async () => paperLanguage(undefined, await languageOfPaper(me, of), 'es')
  expect(await language()).toBe('es')
  expect(await spokenWith(db, patient.id)).toBeNull()
  await saveClinic(as('admin'), {
    id: clinic.id,
    name: 'North',
    language: 'en',
    last_modified: clinic.last_modified,
  })
  expect(await language()).toBe('en')
  await setPatientLanguage(me, { ...of, language: 'ar' })
  expect(await language()).toBe('ar')
  expect(await spokenWith(db, patient.id)).toBe('ar')
  // chosen for this paper alone
  expect(paperLanguage('es', await languageOfPaper(me, of), 'en')).toBe('es')
  const { rows } = await listAudit(as('admin'), { recordId: patient.id })
  expect(rows.find(({ action }) => action === 'patients.setLanguage')).toMatchObject({
    changes: { language: [null, 'ar'] },
  })
  // a program that saves a clinic without it leaves it
  const { last_modified } = await db
    .selectFrom('clinics')
    .select('last_modified')
    .where('id', '=', clinic.id)
    .executeTakeFirstOrThrow()
  await saveClinic(as('admin'), { id: clinic.id, name: 'North', last_modified })
  expect(await languageOfPaper(me, of)).toMatchObject({ clinicLanguage: 'en' })
})

test('registration and a change keep it; a change without it leaves it; a word that is no language is refused', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const me = as('registrar', { [clinic.id]: desk })
  const id = uuidv7()
  const given = {
    given_name: 'Layla',
    surname: 'Mansour',
    sex: 'female',
    date_of_birth: '1990-05-17',
  }
  await createPatient(me, { id, primary_clinic_id: clinic.id, ...given, language: 'ar' })
  const read = async () => (await getPatient(me, { id })).patient
  expect(await read()).toMatchObject({ language: 'ar' })
  await savePatient(me, { id, last_modified: (await read()).last_modified, phone: '555 0100' })
  expect(await read()).toMatchObject({ language: 'ar', phone: '555 0100' })
  await savePatient(me, { id, last_modified: (await read()).last_modified, language: null })
  expect(await read()).toMatchObject({ language: null })
  await expect(
    savePatient(me, {
      id,
      last_modified: (await read()).last_modified,
      language: 'klingon' as never,
    }),
  ).rejects.toMatchObject({ code: 'invalid', fields: { language: expect.anything() } })
})

test('only a user who may change the patient sets it; who dispenses reads it', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id, language: 'ar' })
  await make.prescription({ patient_id: patient.id, pickup_clinic_id: clinic.id })
  const pharmacist = as('registrar', { [clinic.id]: ['can_dispense_medications'] })
  const of = { patientId: patient.id }
  expect(await languageOfPaper(pharmacist, of)).toMatchObject({ language: 'ar', mayChange: false })
  await expect(setPatientLanguage(pharmacist, { ...of, language: 'es' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  const elsewhere = await make.clinic()
  await expect(
    languageOfPaper(as('registrar', { [elsewhere.id]: desk }), of),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('a merge keeps the answer of the record that has one, and undoing it gives each its own', async ({
  as,
  make,
  db,
}) => {
  const [winner, loser] = [await make.patient(), await make.patient({ language: 'es' })]
  const root = as('super_admin')
  const id = uuidv7()
  await mergePatients(root, { id, winnerId: winner.id, loserId: loser.id })
  expect(await spokenWith(db, winner.id)).toBe('es')
  await unmergePatients(root, { mergeId: id })
  expect(await spokenWith(db, winner.id)).toBeNull()
  expect(await spokenWith(db, loser.id)).toBe('es')
})
