import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { brokenRule, test } from '../../../../test/harness'
import { recording } from '../../../../test/statements'
import { patientRights } from '~/features/people/patients/history.server'
import { getProblem, listProblems } from '~/features/care/problems/problems.server'
import { listTimeline } from '~/features/record/timeline/timeline.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { listVitals } from '~/features/care/vitals/vitals.server'
import {
  closeVisit,
  deleteVisit,
  getVisit,
  listVisits,
  openVisits,
  reopenVisit,
  saveVisit,
} from './visits.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const check_in_timestamp = '2026-03-01T09:00:00Z'

describe('a visit', () => {
  test("is opened, corrected, closed once and reopened; the provider's name is kept as it was", async ({
    asUser,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const provider = await make.user({ name: 'Dr. Rana' })
    const me = asUser(provider, { [clinic.id]: treating })
    const visit = {
      id: uuidv7(),
      patient_id: patient.id,
      clinic_id: clinic.id,
      provider_id: provider.id,
      check_in_timestamp,
    }
    const { last_modified } = await saveVisit(me, visit)
    await db
      .updateTable('users')
      .set({ name: 'Dr. Rana Khalil' })
      .where('id', '=', provider.id)
      .execute()
    // the answer was lost, and the same request comes again
    await expect(saveVisit(me, { ...visit, provider_id: null })).rejects.toMatchObject({
      code: 'conflict',
    })
    await saveVisit(me, { ...visit, reason: 'Cough', last_modified })
    expect(await openVisits(me, { patientId: patient.id })).toHaveLength(1)

    const first = await closeVisit(me, { id: visit.id })
    expect(await closeVisit(me, { id: visit.id })).toMatchObject({ closed_at: first.closed_at })
    expect(await openVisits(me, { patientId: patient.id })).toEqual([])
    await reopenVisit(me, { id: visit.id })
    expect(await getVisit(me, { id: visit.id })).toMatchObject({
      clinic: clinic.name,
      provider_name: 'Dr. Rana',
      reason: 'Cough',
      closed_at: null,
      vitals: [],
      problems: [],
    })
  })

  test('is a revisit by the 14 days before at the same clinic, unless it says otherwise', async ({
    as,
    make,
  }) => {
    const { id: patient_id } = await make.patient()
    const [here, there] = [await make.clinic(), await make.clinic()]
    const at = (check_in_timestamp: string, clinic_id = here.id) =>
      make.visit({ patient_id, clinic_id, check_in_timestamp: new Date(check_in_timestamp) })
    await at('2026-03-01T09:00:00Z')
    await at('2026-03-16T06:00:00Z')
    await at('2026-03-16T09:00:00Z', there.id)
    const last = await at('2026-03-30T18:00:00Z')
    const me = as('admin')
    const kinds = async () =>
      (await listVisits(me, { patientId: patient_id })).rows.map(({ is_return }) => is_return)
    expect(await kinds()).toEqual([true, false, false, false])
    const { id, clinic_id, check_in_timestamp: time, last_modified } = last
    const visit = { id, patient_id, clinic_id, check_in_timestamp: time, reason: null }
    const saved = await saveVisit(me, { ...visit, last_modified, is_revisit: false })
    expect(await kinds()).toEqual([false, false, false, false])
    // a program that does not know the field keeps it
    const kept = await saveVisit(me, { ...visit, ...saved })
    expect(await getVisit(me, { id })).toMatchObject({ is_revisit: false, is_return: false })
    await saveVisit(me, { ...visit, ...kept, is_revisit: null })
    expect(await kinds()).toEqual([true, false, false, false])
  })

  test('lists what was recorded in it, newest visit first', async ({ as, make }) => {
    const patient = await make.patient({ date_of_birth: '1960-01-01' })
    const [old, recent] = [
      await make.visit({ patient_id: patient.id, check_in_timestamp: new Date('2025-01-01') }),
      await make.visit({ patient_id: patient.id, check_in_timestamp: new Date('2026-01-01') }),
    ]
    await make.vital({ patient_id: patient.id, visit_id: old.id, systolic_bp: 185 })
    await make.problem({ patient_id: patient.id, visit_id: recent.id })
    const { rows, pagination } = await listVisits(as('admin'), { patientId: patient.id })
    expect(pagination.total).toBe(2)
    expect(rows).toMatchObject([
      { id: recent.id, vitals: [], problems: [{ problem_label: 'Hypertension' }] },
      {
        id: old.id,
        vitals: [{ systolic_bp: 185, marks: { systolic_bp: { level: 'critical' } } }],
        problems: [],
      },
    ])
  })

  test('is refused with a clinic or a provider that does not exist, in the future, or before birth', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const patient = await make.patient({ date_of_birth: '2026-02-28' })
    const save = (values: object) =>
      saveVisit(as('admin'), {
        id: uuidv7(),
        patient_id: patient.id,
        clinic_id: clinic.id,
        check_in_timestamp,
        ...values,
      })
    await expect(save({ clinic_id: undefined })).rejects.toMatchObject({
      fields: { clinic_id: { key: 'visits.clinicRequired' } },
    })
    await expect(save({ provider_id: uuidv7() })).rejects.toMatchObject({
      fields: { provider_id: { key: 'users.notFound' } },
    })
    await expect(save({ check_in_timestamp: '2150-01-01T00:00:00Z' })).rejects.toMatchObject({
      fields: { check_in_timestamp: { key: 'visits.inFuture' } },
    })
    await expect(save({ check_in_timestamp: '2026-02-27T23:59:00Z' })).rejects.toMatchObject({
      fields: { check_in_timestamp: { key: 'visits.beforeBirth' } },
    })
    await expect(save({ reason: 'x'.repeat(501) })).rejects.toMatchObject({
      fields: { reason: { key: 'validation.tooLong', values: { max: 500 } } },
    })
  })
})

describe('the provider of a visit', () => {
  const refused = {
    code: 'invalid',
    fields: { provider_id: { key: 'appointments.providerCannot' } },
  }

  test('is someone who may edit records at the clinic, whether opened, changed or moved', async ({
    as,
    make,
  }) => {
    const [clinic, elsewhere] = [await make.clinic(), await make.clinic()]
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const [doctor, registrar] = [
      await make.user(),
      await make.user({ role: 'registrar', clinic_id: clinic.id }),
    ]
    await make.permission(doctor, clinic.id, ['can_edit_records'])
    await make.permission(registrar, clinic.id, ['can_register_patients'])
    const me = as('admin')
    const visit = { id: uuidv7(), patient_id: patient.id, clinic_id: clinic.id, check_in_timestamp }
    await expect(saveVisit(me, { ...visit, provider_id: registrar.id })).rejects.toMatchObject(
      refused,
    )
    const { last_modified } = await saveVisit(me, { ...visit, provider_id: doctor.id })
    for (const change of [
      { provider_id: registrar.id },
      { provider_id: doctor.id, clinic_id: elsewhere.id },
    ]) {
      await expect(saveVisit(me, { ...visit, ...change, last_modified })).rejects.toMatchObject(
        refused,
      )
    }
  })

  test('who no longer may stays until another provider or clinic is chosen', async ({
    as,
    make,
  }) => {
    const { id: provider_id } = await make.user({ role: 'registrar' })
    const { id, patient_id, clinic_id, last_modified } = await make.visit({
      provider_id,
      provider_name: 'Dr. Left',
    })
    const visit = { id, patient_id, clinic_id, check_in_timestamp, last_modified, provider_id }
    await saveVisit(as('admin'), { ...visit, reason: 'Cough' })
    expect(await getVisit(as('admin'), { id })).toMatchObject({
      provider_name: 'Dr. Left',
      reason: 'Cough',
    })
  })
})

describe('who may see and open visits', () => {
  test('a user who knows a patient linked by hand opens a visit, which opens nothing of other clinics', async ({
    asUser,
    make,
    db,
  }) => {
    const elsewhere = await make.visit()
    const clinic = await make.clinic()
    const me = asUser(await make.user(), { [clinic.id]: treating })
    const visit = {
      id: uuidv7(),
      patient_id: elsewhere.patient_id,
      clinic_id: clinic.id,
      check_in_timestamp,
    }
    // an unlinked person cannot be named
    await expect(saveVisit(me, visit)).rejects.toMatchObject({ code: 'not_found' })
    await db
      .insertInto('patient_links')
      .values({ patient_id: visit.patient_id, clinic_id: clinic.id, source: 'explicit' })
      .execute()
    const ofPatient = { patientId: visit.patient_id }
    expect((await listVisits(me, ofPatient)).pagination.total).toBe(0)
    await saveVisit(me, visit)
    expect(await patientRights(me, { id: visit.patient_id })).toEqual({
      see: true,
      write: true,
      remove: false,
      removePatient: false,
      seesAccesses: false,
    })
    // what another clinic recorded stays hidden until it is opened with a reason
    expect((await listVisits(me, ofPatient)).rows.map(({ id }) => id)).toEqual([visit.id])
    await make.opening({ patient_id: visit.patient_id, clinic_id: clinic.id })
    expect((await listVisits(me, ofPatient)).pagination.total).toBe(2)
  })

  test('a registrar neither lists nor opens them', async ({ as, make }) => {
    const { patient_id, clinic_id } = await make.visit()
    const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
    await expect(listVisits(registrar, { patientId: patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      saveVisit(registrar, { id: uuidv7(), patient_id, clinic_id, check_in_timestamp }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    expect(await patientRights(registrar, { id: patient_id })).toEqual({
      see: false,
      write: false,
      remove: false,
      removePatient: false,
      seesAccesses: false,
    })
  })

  test('an opened visit of another clinic is read but not changed, moved or deleted', async ({
    as,
    make,
  }) => {
    const theirs = await make.visit()
    const mine = await make.visit({ patient_id: theirs.patient_id })
    const me = as('provider', { [mine.clinic_id]: [...treating, 'can_delete_patient_visits'] })
    await expect(getVisit(me, { id: theirs.id })).rejects.toMatchObject({ code: 'not_found' })
    await make.opening({ patient_id: mine.patient_id, clinic_id: mine.clinic_id })
    expect(await getVisit(me, { id: theirs.id })).toMatchObject({ id: theirs.id })
    const forbidden = { code: 'forbidden' }
    await expect(closeVisit(me, { id: theirs.id })).rejects.toMatchObject(forbidden)
    await expect(deleteVisit(me, { id: theirs.id })).rejects.toMatchObject(forbidden)
    const moved = {
      id: theirs.id,
      patient_id: theirs.patient_id,
      clinic_id: mine.clinic_id,
      check_in_timestamp,
      last_modified: theirs.last_modified,
    }
    await expect(saveVisit(me, moved)).rejects.toMatchObject(forbidden)
    await expect(getVisit(me, { id: (await make.visit()).id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('deleting one needs the right to delete visits', async ({ as, make }) => {
    const visit = await make.visit()
    const rights = (...held: Permission[]) =>
      as('provider', { [visit.clinic_id]: ['can_view_history', ...held] })
    await expect(
      deleteVisit(rights('can_edit_records', 'can_delete_records'), { id: visit.id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await deleteVisit(rights('can_delete_patient_visits'), { id: visit.id })
  })

  test('a new one under the id of a visit of others is not found, and says nothing of theirs', async ({
    asUser,
    make,
  }) => {
    const [theirs, mine] = [
      await make.patient(),
      await make.patient({ primary_clinic_id: (await make.clinic()).id }),
    ]
    const clinic = await make.clinic()
    const secret = {
      id: uuidv7(),
      patient_id: theirs.id,
      clinic_id: clinic.id,
      check_in_timestamp,
      reason: 'Secret',
    }
    await saveVisit(asUser(await make.user({ role: 'admin' })), secret)

    const grants = { [mine.primary_clinic_id!]: treating }
    const attempt = {
      ...secret,
      patient_id: mine.id,
      clinic_id: mine.primary_clinic_id!,
      reason: null,
    }
    await expect(saveVisit(asUser(await make.user(), grants), attempt)).rejects.toMatchObject({
      code: 'not_found',
      fields: {},
    })
  })

  test('an archived clinic takes no visit and changes none', async ({ as, make, db }) => {
    const { id, patient_id, clinic_id } = await make.visit()
    await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', clinic_id).execute()
    const archived = { text: { key: 'clinics.archivedReadOnly' } }
    await expect(
      saveVisit(as('admin'), { id: uuidv7(), patient_id, clinic_id, check_in_timestamp }),
    ).rejects.toMatchObject(archived)
    await expect(closeVisit(as('admin'), { id })).rejects.toMatchObject(archived)
    expect(await openVisits(as('admin'), { patientId: patient_id })).toEqual([])
    expect(
      await brokenRule(
        db,
        db.insertInto('patient_vitals').values({ id: uuidv7(), patient_id, visit_id: id }),
      ),
    ).toBe('clinics_archived')
  })
})

test('deleting a visit deletes its vital signs and unlinks its problems; undo restores exactly that', async ({
  as,
  make,
}) => {
  const { id: visit_id, patient_id } = await make.visit()
  await make.vital({ patient_id, visit_id })
  const goneBefore = await make.vital({ patient_id, visit_id, is_deleted: true })
  const problem = await make.problem({ patient_id, visit_id })
  const admin = as('admin')
  const { deletionId } = await deleteVisit(admin, { id: visit_id })
  const counts = async () => {
    const [vitals, [kept]] = [
      await listVitals(admin, { patientId: patient_id }),
      await listProblems(admin, { patientId: patient_id }),
    ]
    return [vitals.rows.length, kept?.id, kept?.visit_id]
  }
  expect(await counts()).toEqual([0, problem.id, null])
  await restoreDeletion(admin, { id: deletionId })
  expect(await counts()).toEqual([1, problem.id, visit_id])
  expect(
    (await listVitals(admin, { patientId: patient_id })).rows.map(({ id }) => id),
  ).not.toContain(goneBefore.id)
})

test('the timeline tells everything by date, a page at a time, and of others nothing', async ({
  as,
  make,
}) => {
  const {
    id: visit_id,
    patient_id,
    clinic_id,
  } = await make.visit({ check_in_timestamp: new Date('2026-01-02') })
  const problem = await make.problem({ patient_id, visit_id, onset_date: new Date('2020-05-05') })
  const vital = await make.vital({
    patient_id,
    visit_id,
    timestamp: new Date('2026-01-02T00:10:00Z'),
  })
  const event = await make.event({
    patient_id,
    visit_id,
    created_at: new Date('2026-01-02T00:20:00Z'),
  })
  const prescription = await make.prescription({
    patient_id,
    prescribed_at: new Date('2026-01-02T00:30:00Z'),
  })
  await make.vital()
  const me = as('provider', { [clinic_id]: ['can_view_history'] })
  const { rows, pagination } = await listTimeline(me, { patientId: patient_id })
  expect(rows.map(({ kind, id }) => [kind, id])).toEqual([
    ['prescriptions', prescription.id],
    ['events', event.id],
    ['patient_vitals', vital.id],
    ['visits', visit_id],
    ['patient_problems', problem.id],
  ])
  expect(
    rows.map((row) => (row.prescription ?? row.event ?? row.vital ?? row.visit ?? row.problem)?.id),
  ).toEqual(rows.map(({ id }) => id))
  expect(pagination.total).toBe(5)
  const other = await make.visit()
  await expect(listTimeline(me, { patientId: other.patient_id })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('one statement checks the right to a visit or a problem and reads it', async ({
  as,
  make,
}) => {
  const { id, clinic_id, patient_id } = await make.visit()
  const problem = await make.problem({ patient_id, visit_id: id })
  const { ctx, statements } = recording(as('provider', { [clinic_id]: treating }))
  expect(await getVisit(ctx, { id })).toMatchObject({ id })
  // and one each for its vital signs, problems and forms
  expect(statements).toHaveLength(4)
  expect(await getProblem(ctx, { id: problem.id })).toMatchObject({ id: problem.id })
  expect(statements).toHaveLength(5)
})
