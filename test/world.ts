import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import { defaultPermissions, type Permission, type Role } from '~/shared/permissions'
import { findRequestActor } from '~/server/session.server'
import { ENTITIES } from './entities/all'
import { makeFactories, stepsOf } from './factories'
import { prescribed } from './prescribed'
import { asking, sessionFor } from './sessions'
import { reportToSend } from './to-send'

/** A row for each medicine that a clinic has. */
const EACH_MEDICINE = {
  id: 'medicines',
  names: { en: 'Medicines', ar: 'الأدوية', es: 'Medicamentos' },
  rows: [{ id: 'medicine', names: { en: 'Each medicine' }, each: 'medicine', measure: 'visits' }],
}

type Make = ReturnType<typeof makeFactories>
type Entities = { [N in keyof typeof ENTITIES]: Awaited<ReturnType<Make[N]>> }
type Named = { id: string }

/** A record of each kind of the patient. */
async function makeEntities(make: Make, side: { patient: Named; clinic: Named; visit: Named }) {
  const rows: [string, unknown][] = []
  for (const [name, { ofSide }] of Object.entries(ENTITIES)) {
    const factory = make[name as keyof Entities] as (values: object) => Promise<unknown>
    rows.push([name, await factory({ patient_id: side.patient.id, ...ofSide?.(side) })])
  }
  return Object.fromEntries(rows) as Entities
}

/** Two clinics alike, so that the same call can be made for the own and for another clinic. */
export async function makeWorld(db: Kysely<DB>) {
  const make = makeFactories(db)
  const side = async () => {
    const clinic = await make.clinic()
    const department = await make.department({ clinic_id: clinic.id })
    const registrar = await make.user({ role: 'registrar' })
    // without any permission
    const newcomer = await make.user({ role: 'provider' })
    const permission = await make.permission(registrar, clinic.id)
    const empty = await make.clinic()
    const deleted = await make.clinic({ is_deleted: true })
    const deletion = await db
      .insertInto('deletions')
      .values({
        table_name: 'clinics',
        record_id: deleted.id,
        label: 'Gone',
        clinic_id: clinic.id,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const eventForm = await make.eventForm({ clinic_ids: [clinic.id] })
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
    const vital = await make.vital({ patient_id: patient.id, visit_id: visit.id })
    const event = await make.event({
      patient_id: patient.id,
      visit_id: visit.id,
      form_id: eventForm.id,
    })
    const eventFile = await make.eventFile(event)
    const problem = await make.problem({ patient_id: patient.id, visit_id: visit.id })
    const entities = await makeEntities(make, { patient, clinic, visit })
    const movedInReview = await make.movedInReview({ patient_id: patient.id, row_id: problem.id })
    const enrollment = await make.enrollment({ patient_id: patient.id, clinic_id: clinic.id })
    // overdue and not called yet
    const overdue = await make.enrollment({ clinic_id: clinic.id })
    const followUpCall = await make.followUpCall({
      patient_id: patient.id,
      clinic_id: clinic.id,
      called_by: registrar.id,
    })
    const message = await make.message({ patient_id: overdue.patient_id, clinic_id: clinic.id })
    const waitingMessage = await make.queuedMessage({
      patient_id: patient.id,
      clinic_id: clinic.id,
    })
    const takenDocument = await make.takenDocument({ patient_id: patient.id })
    const appointment = await make.appointment({
      patient_id: patient.id,
      clinic_id: clinic.id,
      departments: stepsOf(department),
    })
    const arrived = await make.appointment({
      patient_id: patient.id,
      clinic_id: clinic.id,
      departments: stepsOf(department),
      status: 'checked_in',
    })
    const upload = await make.upload('name,born,sex\nLayla,1990-05-17,female\n', {
      clinic_id: clinic.id,
    })
    const running = await make.upload('name\nLayla\n', { clinic_id: clinic.id, status: 'running' })
    const twin = await make.patient({ primary_clinic_id: clinic.id })
    const largeDeletion = { id: uuidv7() }
    await db
      .insertInto('large_deletions')
      .values({ ...largeDeletion, requested_by: patient.id, patients: '[]', total: 3_000 })
      .execute()
    await db
      .insertInto('patient_links')
      .values({ patient_id: patient.id, clinic_id: clinic.id, source: 'explicit' })
      .execute()
    const merge = await db
      .insertInto('patient_merges')
      .values({
        id: uuidv7(),
        winner_id: patient.id,
        loser_id: (await make.patient({ is_deleted: true })).id,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const backup = await db
      .insertInto('backups')
      .values({
        id: uuidv7(),
        kind: 'daily',
        status: 'finished',
        file_name: 'a.backup',
        bytes: 1,
        finished_at: new Date(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const drug = await make.drug()
    const batch = await make.stock(clinic.id, 40, { drug_id: drug.id })
    const expired = await make.stock(clinic.id, 5, { drug_id: drug.id, expiry_date: '2025-01-31' })
    const unstocked = await make.drug()
    const medicines = await prescribed(db, { patient, clinic, drug })
    const shortfall = await db
      .insertInto('stock_shortfalls')
      .values({ clinic_id: clinic.id, drug_id: drug.id, quantity: 3, reference_id: uuidv7() })
      .returning('id')
      .executeTakeFirstOrThrow()
    const definition = await make.report()
    const medicineReport = await make.report({ sections: [EACH_MEDICINE] })
    const binding = await db
      .insertInto('report_bindings')
      .values({ id: uuidv7(), concept: 'bp.systolic', form_id: eventForm.id })
      .returning('id')
      .executeTakeFirstOrThrow()
    const report = await make.report()
    const reportRun = await make.reportRun(report, { clinic_ids: [clinic.id] })
    const { toSend, sending } = await reportToSend(db, clinic)
    const refusedRow = await make.refusedRow(patient, registrar)
    const lostValue = await make.lostValue(patient, registrar)
    const hubPhone = await make.hubPhone(registrar)
    const waitingPhone = await make.waitingPhone(registrar)
    const apiClient = await make.apiClient(registrar)
    // another clinic opened the history, and one of its users had emergency access
    const elsewhere = await make.clinic()
    const opening = await make.opening({ patient_id: patient.id, clinic_id: elsewhere.id })
    const emergency = await make.emergency({ patient_id: patient.id, clinic_id: elsewhere.id })
    return {
      ...entities,
      takenDocument,
      opening,
      emergency,
      definition,
      medicineReport,
      toSend,
      sending,
      binding,
      report,
      reportRun,
      refusedRow,
      lostValue,
      hubPhone,
      waitingPhone,
      apiClient,
      ...medicines,
      drug,
      batch,
      expired,
      unstocked,
      shortfall,
      appointment,
      arrived,
      backup,
      eventForm,
      event,
      eventFile,
      permission,
      twin,
      merge,
      clinic,
      department,
      registrar,
      newcomer,
      empty,
      deleted,
      deletion,
      patient,
      visit,
      vital,
      problem,
      movedInReview,
      enrollment,
      overdue,
      followUpCall,
      message,
      waitingMessage,
      upload,
      running,
      largeDeletion,
    }
  }
  const [own, other] = [await side(), await side()]

  const member = async (
    role: Role,
    held: readonly Permission[] = defaultPermissions(role),
  ): Promise<Actor> => {
    const user = await make.user({ role })
    if (role === 'registrar' || role === 'provider') {
      await make.permission(user, own.clinic.id, held)
      await make.permission(user, own.empty.id, held)
    }
    const grants =
      role === 'registrar' || role === 'provider'
        ? { [own.clinic.id]: held, [own.empty.id]: held }
        : {}
    return { userId: user.id, name: user.name, role, language: 'en', clinicId: null, grants }
  }
  const actors: Record<string, Actor | null> = {
    anonymous: null,
    registrar: await member('registrar'),
    provider: await member('provider'),
    'clinic admin': await member('provider', [
      ...defaultPermissions('provider'),
      'is_clinic_admin',
    ]),
    admin: await member('admin'),
    super_admin: await member('super_admin'),
    'deleted user': await deletedMember(db),
  }
  return { own, other, actors }
}

export type Side = Awaited<ReturnType<typeof makeWorld>>['own']
export const newId = () => uuidv7()

/** The actor of a deleted user's session, read from the database as a request does. */
async function deletedMember(db: Kysely<DB>) {
  const user = await makeFactories(db).user({ role: 'admin' })
  const { request } = await asking(db, { token: await sessionFor(db, user.id) })
  await db.updateTable('users').set({ is_deleted: true }).where('id', '=', user.id).execute()
  return findRequestActor(db, request, 'web')
}
