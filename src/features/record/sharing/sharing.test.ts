import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { listAllergies } from '~/features/care/allergies/allergies.server'
import { saveVisit } from '~/features/record/visits/visits.server'
import { listVitals, saveVital } from '~/features/care/vitals/vitals.server'
import { summaryCare } from '~/features/reports/dashboard/administration.server'
import { listTimeline } from '~/features/record/timeline/timeline.server'
import { listMedicines } from '~/features/medicines/taken/medicines.server'
import {
  findDuplicates,
  linkPatient,
} from '~/features/people/patients/duplicates/duplicates.server'
import { waitBeforeLookup } from '~/features/people/patients/lookups.server'
import { getPatient, savePatient } from '~/features/people/patients/patients.server'
import { findRequestActor } from '~/server/session.server'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { auditOf, test } from '../../../../test/harness'
import { asking, sessionFor } from '../../../../test/sessions'
import {
  allowEmergency,
  listEmergencies,
  lookUpPatient,
  openEmergency,
  reviewEmergency,
} from './emergencies.server'
import {
  closeOpening,
  endOpenings,
  hiddenHistory,
  listOpenings,
  openHistory,
} from './openings.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const notFound = { code: 'not_found' }
const forbidden = { code: 'forbidden' }

test('a referral: registered in A, comes to B, emergency at C', async ({
  as,
  asUser,
  db,
  make,
}) => {
  const [a, b, c] = [await make.clinic(), await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: a.id })
  const of = { patientId: patient.id }
  const visitOfA = await make.visit({ patient_id: patient.id, clinic_id: a.id })
  const vitalOfA = await make.vital({ patient_id: patient.id, visit_id: visitOfA.id })
  await make.allergy({ patient_id: patient.id, substance: 'Penicillin', reaction: 'Rash' })
  await db
    .insertInto('patient_medicines')
    .values({ id: uuidv7(), patient_id: patient.id, name: 'Warfarin', source: 'other_clinic' })
    .execute()

  const providerA = as('provider', { [a.id]: treating })
  const administrator = await make.user()
  const adminA = asUser(administrator, { [a.id]: ['is_clinic_admin'] })
  const registrarB = as('registrar', { [b.id]: ['can_register_patients'] })
  const user = await make.user({ role: 'provider' })
  const providerB = asUser(user, { [b.id]: treating })
  const providerC = await make.user({ role: 'provider', clinic_id: c.id })
  await make.permission(providerC, c.id, treating)
  const seen = async (ctx: Context) => (await listVitals(ctx, of)).rows.map(({ id }) => id)

  // before: A reads its rows, B and C do not know the patient
  expect(await seen(providerA)).toEqual([vitalOfA.id])
  await expect(getPatient(registrarB, { id: patient.id })).rejects.toMatchObject(notFound)
  await expect(listVitals(providerB, of)).rejects.toMatchObject(notFound)

  // the registrar of B links the patient, with a reason, and sees who it is
  const link = { id: uuidv7(), patientId: patient.id, clinicId: b.id, reason: 'referral' as const }
  await linkPatient(registrarB, link)
  expect((await getPatient(registrarB, { id: patient.id })).patient.surname).toBe(patient.surname)
  await expect(listVitals(registrarB, of)).rejects.toMatchObject(forbidden)

  // the visit in B opens nothing of A; allergies and current medicines are never hidden
  const visitOfB = uuidv7()
  await saveVisit(providerB, {
    id: visitOfB,
    patient_id: patient.id,
    clinic_id: b.id,
    check_in_timestamp: new Date(),
  })
  const vitalOfB = uuidv7()
  await saveVital(providerB, {
    id: vitalOfB,
    patient_id: patient.id,
    visit_id: visitOfB,
    timestamp: new Date(),
    pulse_rate: 80,
  })
  expect(await seen(providerB)).toEqual([vitalOfB])
  expect((await listTimeline(providerB, of)).pagination.total).toBe(2)
  expect(await listAllergies(providerB, of)).toMatchObject([
    { substance: 'Penicillin', reaction: null },
  ])
  expect((await listMedicines(providerB, of)).rows).toMatchObject([{ name: 'Warfarin' }])
  expect(await hiddenHistory(providerB, of)).toMatchObject({
    total: 2,
    recordedBy: [a.name],
    clinics: [{ id: b.id, until: null }],
    medicines: ['Warfarin'],
  })
  expect(await hiddenHistory(providerA, of)).toMatchObject({ total: 2, recordedBy: [b.name] })

  // the provider of B opens it, with the reason; A does not see B's rows by that
  const opening = { id: uuidv7(), ...of, clinicId: b.id, reason: 'here' as const }
  await expect(openHistory(providerB, { ...opening, clinicId: a.id })).rejects.toMatchObject(
    forbidden,
  )
  await openHistory(providerB, opening)
  expect((await openHistory(providerB, { ...opening, id: uuidv7() })).id).not.toBeNull()
  expect(await seen(providerB)).toEqual([vitalOfB, vitalOfA.id])
  expect(await hiddenHistory(providerB, of)).toMatchObject({ total: 0 })
  expect(await seen(providerA)).toEqual([vitalOfA.id])

  // A reviews who opened it and why; B's own administrator does not
  expect((await listOpenings(adminA, {})).rows).toMatchObject([
    { id: opening.id, reason: 'here', clinic: b.name, opened_by: user.name, patient: null },
  ])
  const adminB = as('provider', { [b.id]: ['is_clinic_admin'] })
  expect((await listOpenings(adminB, {})).rows).toEqual([])
  await expect(closeOpening(adminB, { id: opening.id })).rejects.toMatchObject(notFound)

  // an emergency at C: whole, for reading alone, in the browser alone
  const sessionC = await sessionFor(db, providerC.id)
  const actorC = async (via: 'web' | 'trpc' = 'web') => {
    const { request } = await asking(db, { token: sessionC })
    return { ...asUser(providerC), actor: (await findRequestActor(db, request, via))! }
  }
  await expect(listVitals(await actorC(), of)).rejects.toMatchObject(notFound)
  const emergency = { id: uuidv7(), ...of, reason: 'Found unconscious' }
  await expect(
    openEmergency(await actorC(), { ...emergency, reason: 'Help' }),
  ).rejects.toMatchObject({
    fields: { reason: { key: 'sharing.emergencyReasonNeeded' } },
  })
  await openEmergency(await actorC(), emergency)
  expect(await seen(await actorC())).toEqual([vitalOfB, vitalOfA.id])
  expect((await hiddenHistory(await actorC(), of)).emergencyUntil).not.toBeNull()
  await expect(
    saveVisit(await actorC(), {
      id: uuidv7(),
      patient_id: patient.id,
      clinic_id: c.id,
      check_in_timestamp: new Date(),
    }),
  ).rejects.toMatchObject(notFound)

  // it waits for the review of another administrator, and ends after four hours
  const ownReview = await actorC()
  await expect(reviewEmergency(ownReview, { id: emergency.id })).rejects.toMatchObject(forbidden)
  expect((await listEmergencies(adminA, {})).rows).toMatchObject([{ id: emergency.id }])
  await db.updateTable('emergency_accesses').set({ until: new Date() }).execute()
  await expect(listVitals(await actorC(), of)).rejects.toMatchObject(notFound)
  expect((await listEmergencies(adminA, {})).rows).toHaveLength(1)
  await reviewEmergency(adminA, { id: emergency.id })
  expect((await listEmergencies(adminA, {})).rows).toEqual([])
  expect((await listEmergencies(adminA, { state: 'reviewed' })).rows).toHaveLength(1)

  // after: A closes the opening, and B keeps its own rows
  await closeOpening(adminA, { id: opening.id })
  expect(await seen(providerB)).toEqual([vitalOfB])
  expect((await listOpenings(adminA, { state: 'closed' })).rows).toMatchObject([
    { id: opening.id, closed_by: adminA.actor.name },
  ])
})

test('an opening ends 90 days after the clinic’s last visit, and a new visit extends it', async ({
  db,
  make,
}) => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000)
  const open = async () =>
    (
      await db.selectFrom('history_openings').select('id').where('is_deleted', '=', false).execute()
    ).map(({ id }) => id)
  await db.updateTable('history_openings').set({ is_deleted: true }).execute()
  const visit = await make.visit({ check_in_timestamp: days(-100) })
  const { patient_id, clinic_id } = visit
  const opening = await make.opening({ patient_id, clinic_id, until: days(-1) })
  const later = await make.visit({ patient_id, clinic_id, check_in_timestamp: days(-30) })
  await endOpenings(db)
  expect(await open()).toEqual([opening.id])
  // the visit was a mistake
  await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', later.id).execute()
  await db
    .updateTable('history_openings')
    .set({ until: days(-1) })
    .where('id', '=', opening.id)
    .execute()
  await endOpenings(db)
  expect(await open()).toEqual([])
  const { rows } = await sql`select from patient_links
    where patient_id = ${patient_id} and source = 'opened' and until is null`.execute(db)
  expect(rows).toEqual([])
})

test('the home clinic is moved by a right there, and keeps its link', async ({ as, db, make }) => {
  const [home, other] = [await make.clinic(), await make.clinic()]
  const stored = await make.patient({ primary_clinic_id: home.id })
  await db
    .insertInto('patient_links')
    .values({ patient_id: stored.id, clinic_id: other.id, source: 'explicit' })
    .execute()
  const moved = {
    id: stored.id,
    last_modified: stored.last_modified,
    primary_clinic_id: other.id,
    given_name: stored.given_name,
  }
  const registering: Permission[] = ['can_register_patients']
  const stranger = as('registrar', { [other.id]: registering })
  await expect(savePatient(stranger, moved)).rejects.toMatchObject(forbidden)
  const both = as('registrar', { [home.id]: registering, [other.id]: registering })
  await savePatient(both, moved)
  const registrarHome = as('registrar', { [home.id]: registering })
  expect((await getPatient(registrarHome, { id: stored.id })).patient.id).toBe(stored.id)
})

test('from an archived clinic nothing is opened, so its providers are offered emergency access', async ({
  as,
  db,
  make,
}) => {
  const [archived, other] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: archived.id })
  const of = { patientId: patient.id }
  const visit = await make.visit({ patient_id: patient.id, clinic_id: other.id })
  await make.vital({ patient_id: patient.id, visit_id: visit.id })
  const provider = as('provider', { [archived.id]: treating })
  expect((await hiddenHistory(provider, of)).clinics).toMatchObject([{ id: archived.id }])
  await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', archived.id).execute()
  // HiddenNotice offers emergency access if something is hidden and no clinic can open it
  expect(await hiddenHistory(provider, of)).toMatchObject({ total: 2, clinics: [] })
  const inEmergency = as('provider', { [archived.id]: treating }, { emergency: [patient.id] })
  expect((await listVitals(inEmergency, of)).rows).toHaveLength(1)
})

test('the 31st look-up of an hour waits, and none is refused', async ({ asUser, db, make }) => {
  const mine = await make.clinic()
  const user = await make.user({ role: 'registrar' })
  const registrar = asUser(user, { [mine.id]: ['can_register_patients'] })
  expect(await waitBeforeLookup(db, user.id)).toBe(0)
  for (let times = 0; times < 30; times += 1)
    await linkPatient(registrar, {
      id: uuidv7(),
      patientId: (await make.patient()).id,
      clinicId: mine.id,
      reason: 'here',
    })
  expect(await waitBeforeLookup(db, user.id)).toBe(2000)
})

test('without a clinical permission an administrator must allow emergency access, for a day', async ({
  asUser,
  db,
  make,
}) => {
  const [a, b] = [await make.clinic(), await make.clinic()]
  const { id: patientId } = await make.patient({ primary_clinic_id: a.id })
  const user = await make.user({ role: 'provider' })
  const admin = asUser(await make.user({ role: 'admin' }))
  const caring = await make.user({ role: 'provider' })
  await make.permission(caring, b.id, ['can_view_history'])
  const registrar = await make.user({ role: 'registrar' })
  const sought = { given_name: 'Yasmin', surname: 'Qabbani' }
  const refused = {
    code: 'forbidden',
    text: { key: 'sharing.emergencyNeedsPermission' },
  }
  const open = (provider: Context) =>
    openEmergency(provider, { id: uuidv7(), patientId, reason: 'Found unconscious' })
  for (const held of [{}, { [b.id]: ['can_register_patients'] as const }]) {
    const provider = asUser(user, held)
    await expect(open(provider)).rejects.toMatchObject(refused)
    await expect(lookUpPatient(provider, sought)).rejects.toMatchObject(refused)
  }
  for (const held of ['can_view_history', 'can_dispense_medications'] as const)
    await open(asUser(user, { [b.id]: [held] }))

  // by an administrator, not by the provider
  const none = asUser(user, {})
  await expect(allowEmergency(none, { userId: user.id })).rejects.toMatchObject(forbidden)
  const { until } = await allowEmergency(admin, { userId: user.id })
  expect(until.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000)
  await open(none)
  expect((await auditOf(db, user.id)).map(({ action }) => action)).toContain('emergencies.allow')
  await db.updateTable('emergency_grants').set({ until: new Date() }).execute()
  await expect(open(none)).rejects.toMatchObject(refused)
  // made while the clock was ahead
  await db
    .updateTable('emergency_grants')
    .set({ until: new Date(Date.now() + 90_000_000), created_at: new Date(Date.now() + 4_000_000) })
    .execute()
  await expect(open(none)).rejects.toMatchObject(refused)

  for (const { id } of [caring, registrar])
    await expect(allowEmergency(admin, { userId: id })).rejects.toMatchObject({
      code: 'conflict',
    })
})

test('the third emergency access of a user in a shift is on the dashboard until all are reviewed', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const { id: patientId } = await make.patient()
  const user = await make.user({ role: 'provider' })
  const provider = asUser(user, { [clinic.id]: ['can_view_history'] })
  const admin = asUser(await make.user({ role: 'admin' }))
  const shown = async () =>
    (await summaryCare(admin, null)).frequentEmergencies.filter((each) => each.user === user.name)
  const ids = [uuidv7(), uuidv7(), uuidv7()]
  for (const id of ids) {
    expect(await shown()).toEqual([])
    await openEmergency(provider, { id, patientId, reason: 'Found unconscious' })
  }
  const often = [{ userId: user.id, user: user.name, count: 3 }]
  expect(await shown()).toEqual(often)
  expect((await summaryCare(provider, null)).frequentEmergencies).toEqual([])
  for (const id of ids) {
    expect(await shown()).toEqual(often)
    await reviewEmergency(admin, { id })
  }
  expect(await shown()).toEqual([])
})

test('a provider who may only view finds the patient of an emergency in another clinic, and the trail says so', async ({
  asUser,
  db,
  make,
}) => {
  const [a, b] = [await make.clinic(), await make.clinic()]
  const sought = { given_name: 'Yasmin', surname: 'Qabbani', date_of_birth: '1987-03-09' }
  const { id } = await make.patient({ ...sought, sex: 'female', primary_clinic_id: a.id })
  const own = await make.patient({ ...sought, primary_clinic_id: b.id })
  const user = await make.user({ role: 'provider' })
  const provider = asUser(user, { [b.id]: ['can_view_history'] })
  // the list of likely duplicates belongs to registration
  await expect(findDuplicates(provider, sought)).rejects.toMatchObject(forbidden)

  const { patients } = await lookUpPatient(provider, sought)
  expect(patients.find((each) => each.id === id)).toEqual({
    id,
    given_name: 'Yasmin',
    surname: 'Qabbani',
    date_of_birth: '1987-03-09',
    sex: 'female',
    metadata: {},
    clinic: a.name,
    isKnown: false,
  })
  expect(patients.find((each) => each.id === own.id)).toMatchObject({ isKnown: true })
  // the relatives who bring the patient may know the name alone
  const byName = await lookUpPatient(provider, { ...sought, date_of_birth: null })
  expect(byName.patients.map((each) => each.id)).toContain(id)
  expect((await auditOf(db, id)).map(({ action, user_id }) => [action, user_id])).toContainEqual([
    'emergencies.lookUp',
    user.id,
  ])
  expect((await auditOf(db, own.id)).map(({ action }) => action)).not.toContain(
    'emergencies.lookUp',
  )
  // too little to compare is an error beside the field, and counts as no look-up
  await expect(lookUpPatient(provider, { given_name: 'Yasmin' })).rejects.toMatchObject({
    fields: { given_name: { key: 'sharing.lookUpMore' } },
  })
  for (let times = 2; times < 30; times += 1) await lookUpPatient(provider, sought)
  expect(await waitBeforeLookup(db, user.id)).toBe(2000)

  const registrar = asUser(await make.user({ role: 'registrar' }), {
    [b.id]: ['can_register_patients'],
  })
  await expect(lookUpPatient(registrar, sought)).rejects.toMatchObject(forbidden)
})

test('a visit since shows at once until when an opening lasts', async ({ as, make }) => {
  const day = 86_400_000
  const from = (days: number) => new Date(Date.now() + days * day)
  const visit = await make.visit({ check_in_timestamp: from(-60) })
  const { patient_id, clinic_id } = visit
  await make.opening({ patient_id, clinic_id, until: from(30) })
  const provider = as('provider', { [clinic_id]: treating })
  const until = async () => {
    const { clinics } = await hiddenHistory(provider, { patientId: patient_id })
    return Math.round((clinics[0]!.until!.getTime() - Date.now()) / day)
  }
  expect(await until()).toBe(30)
  await make.visit({ patient_id, clinic_id, check_in_timestamp: from(-1) })
  expect(await until()).toBe(89)
  const { rows } = await listOpenings(as('super_admin'), {})
  const shown = rows.find((row) => row.patient_id === patient_id)!.until!
  expect(Math.round((shown.getTime() - Date.now()) / day)).toBe(89)
})
