import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { followUpItems } from '~/features/care/programs/items'
import { loadSchedules } from '~/features/care/programs/item-rows.server'
import {
  type Child,
  reasonDays,
  type GivenDose,
  judgeDoses,
} from '~/features/care/programs/valid-doses'
import { takenByEach } from '~/features/medicines/prescriptions/check/taken.server'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import {
  readBirthPrecision,
  isBeforeBirth,
  patientName,
  PatientIdInput,
} from '~/features/people/patients/patient'
import { loadPatientEntries } from '~/policy/entries.server'
import { permitsIn } from '~/policy/facts'
import { historyRow, historySave, namedPatient } from '~/policy/on.server'
import { requireClinic } from '~/policy/require.server'
import { deleteHistory, openVisit, readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { immunizationRecord } from '~/records/immunization'
import { qualified } from '~/records/qualified'
import { typedBy } from '~/records/record'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { AppError, conflict, invalid } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { clinicToday } from '~/shared/zone'
import { SaveImmunization } from './immunization'
import {
  actsOnVaccines,
  isLive,
  notComparedWithVaccines,
  weakenedBy,
} from '~/features/medicines/safety/sources/live-vaccines'

/**
 * The doses of a patient, newest first; `clinic` is the name of the clinic that gave it. `not_counted` says for which
 * parts a dose does not count, whichever way it arrived; doses of all clinics are compared.
 */
export const immunizationsOfPatient = query('immunizations.ofPatient', {
  access: 'immunizations',
  reads: ['patient_immunizations'],
  looksUp: ['clinics', 'patients', 'users'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }, { patient }) {
    const verdicts = judgeDoses(toChild(patient), await loadGivenDoses(ctx.db, patientId))
    const rows = await loadPatientEntries(ctx, immunizationRecord, patientId, {
      where: rowsWhere(ctx.actor, 'entry'),
      order: sql`entry.given_on desc, entry.vaccine`,
    })
    const names = await clinicNames(ctx.db, rows)
    return rows.map(({ is_open: _isOpen, ...row }) => ({
      ...typedBy(immunizationRecord, row),
      clinic: names.get(row.clinic_id) ?? null,
      not_counted: verdicts.get(row.id) ?? [],
    }))
  },
})
export type Immunization = Awaited<ReturnType<typeof immunizationsOfPatient>>[number]

type Born = { date_of_birth: string | null; metadata: unknown }
const toChild = ({ date_of_birth, metadata }: Born): Child => ({
  born: date_of_birth,
  isBirthExact: readBirthPrecision(metadata) === 'day',
})

/** A patient has few doses; more than this indicates a wrong merge. */
const MOST_DOSES = 500

/** The doses of a patient in all clinics, as far as schedules read them. */
const loadGivenDoses = (db: Kysely<DB>, patientId: string): Promise<GivenDose[]> =>
  db
    .selectFrom('patient_immunizations')
    .select(['id', 'vaccine', 'given_on as day', 'visit_id as visitId'])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .orderBy('given_on')
    .orderBy('id')
    .limit(MOST_DOSES)
    .execute()

const CHILD_PROGRAM = 'child-immunization'

/**
 * What is to be given by the schedule in force: today, and on which day the next. Doses of all clinics count, also
 * those that the user may not read: `hidden` says how many these are. Computed without an enrollment: nothing else of
 * the record decides what is due.
 */
export const immunizationPlan = query('immunizations.plan', {
  access: 'immunizations',
  reads: ['patient_immunizations', 'follow_up_schedules'],
  looksUp: ['patients'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }, { patient }) {
    const today = clinicToday()
    const given = await loadGivenDoses(ctx.db, patientId)
    const seen = await ctx.db
      .selectFrom('patient_immunizations as entry')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('patient_id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(rowsWhere(ctx.actor, 'entry'))
      .executeTakeFirstOrThrow()
    const hidden = given.length - seen.count
    const born = patient.date_of_birth
    if (born === null) return { today, born, now: [], next: null, later: [], hidden }
    const schedules = (await loadSchedules(ctx.db)).filter(
      ({ program }) => program === CHILD_PROGRAM,
    )
    const open = schedules
      .flatMap((schedule) =>
        followUpItems(
          schedule,
          {
            enrolledOn: born,
            endedOn: patient.died_on,
            lmp: null,
            born,
            isBirthExact: toChild(patient).isBirthExact,
            sex: patient.sex,
            reviewDays: null,
            visits: [],
            appointments: [],
            calls: [],
            doses: given,
          },
          today,
        ),
      )
      .filter(({ status }) => status === 'open')
      .map(({ step, due_on }) => ({ step, due_on }))
      .toSorted((a, b) => {
        if (a.due_on < b.due_on) return -1
        if (a.due_on > b.due_on) return 1
        return 0
      })
    const now = open.filter(({ due_on }) => due_on <= today)
    const later = open.filter(({ due_on }) => due_on > today)
    const day = later[0]?.due_on
    const next = day ? { day, steps: later.filter(({ due_on }) => due_on === day) } : null
    return { today, born, now, next, later, hidden }
  },
})
export type PatientImmunizationPlan = Awaited<ReturnType<typeof immunizationPlan>>

export async function clinicNames(db: Kysely<DB>, rows: readonly { clinic_id: string | null }[]) {
  const ids = [...new Set(rows.flatMap(({ clinic_id }) => clinic_id ?? []))]
  if (ids.length === 0) return new Map<string | null, string>()
  const clinics = await db
    .selectFrom('clinics')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute()
  return new Map<string | null, string>(clinics.map(({ id, name }) => [id, name]))
}

/** Records a dose given here, elsewhere or long ago, or corrects one. No dose number is refused. */
export const saveImmunization = mutation('immunizations.save', {
  on: historySave('patient_immunizations'),
  input: SaveImmunization,
  async run(ctx, input, { patient, existing }) {
    const { check_repeated, check_counted, check_medicines, check_unknown, ...dose } = input
    if (existing) requireOwnRow(existing)
    if (check_repeated) await refuseRepeated(ctx, dose)
    const { given_on, clinic_id } = dose
    if (given_on > clinicToday()) throw invalid({ given_on: { key: 'validation.inFuture' } })
    if (isBeforeBirth(patient, given_on))
      throw invalid({ given_on: { key: 'immunizations.beforeBirth' } })
    if (given_on !== existing?.given_on) requireLivingOn(patient, given_on, 'given_on')
    if (clinic_id && clinic_id !== existing?.clinic_id) await requireWorkplace(ctx, clinic_id)
    if (check_medicines || check_unknown) await refuseLive(ctx, input, existing)
    if (check_counted) await refuseNotCounted(ctx, patient, dose)
    const author = !existing && { recorded_by_user_id: ctx.actor.userId }
    return saveRecord(ctx, 'patient_immunizations', { ...dose, ...author })
  },
})

async function refuseRepeated(
  { db }: Context,
  {
    id,
    patient_id,
    vaccine,
    given_on,
  }: Record<'id' | 'patient_id' | 'vaccine' | 'given_on', string>,
) {
  const other = await db
    .selectFrom('patient_immunizations')
    .select('id')
    .where('patient_id', '=', patient_id)
    .where('vaccine', '=', vaccine)
    .where('given_on', '=', given_on)
    .where('id', '!=', id)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (other) throw conflict('immunizations.alreadyRecorded')
}

type SaveInput = z.output<typeof SaveImmunization>

/** What was given earlier is recorded; only a dose of today can still be kept back. */
async function refuseLive(
  { db }: Context,
  { patient_id, vaccine, given_on, check_medicines, check_unknown }: SaveInput,
  existing?: { vaccine: string; given_on: string },
) {
  if (!isLive(vaccine) || given_on !== clinicToday()) return
  if (existing?.vaccine === vaccine && existing.given_on === given_on) return
  const [taken] = await takenByEach(db, [{ patientId: patient_id }], actsOnVaccines)
  const found = check_medicines && weakenedBy(taken!)
  if (found) throw conflict(found.key, { medicine: found.medicine })
  const unknown = check_unknown && notComparedWithVaccines(taken!)
  if (unknown) throw conflict('immunizations.medicineUnknown', { medicine: unknown })
}

/** Refuses a dose that will not count for any or some of its parts, so that a screen can ask. */
async function refuseNotCounted(
  { db }: Context,
  patient: Born & { id: string },
  { id, vaccine, given_on }: Record<'id' | 'vaccine' | 'given_on', string>,
) {
  const others = (await loadGivenDoses(db, patient.id)).filter((dose) => dose.id !== id)
  const dose = { id, vaccine, day: given_on, visitId: null }
  const [verdict] = judgeDoses(toChild(patient), [...others, dose]).get(id) ?? []
  if (verdict) throw conflict(`immunizations.asks_${verdict.why}`, reasonDays(verdict))
}

/** Doses count in the reports of the clinic: only its own users say that it gave one. */
async function requireWorkplace({ db, actor }: Context, clinicId: string) {
  await requireClinic(db, clinicId, 'clinic_id')
  if (!permitsIn(openVisit, actor, clinicId))
    throw invalid({ clinic_id: { key: 'immunizations.otherClinic' } })
}

/** For a dose that was never given to this patient. */
export const deleteImmunization = mutation('immunizations.delete', {
  on: historyRow('patient_immunizations', deleteHistory),
  input: RecordId,
  run(ctx, { id }, { existing, patient }) {
    requireOwnRow(existing)
    const label = `${patientName(patient)}, ${existing.vaccine.toUpperCase()}, ${existing.given_on}`
    return deleteRecord(ctx, 'patient_immunizations', id, label)
  },
})

/** A dose that a form recorded is corrected and deleted in the form, so that both agree. */
function requireOwnRow({ event_id }: { event_id: string | null }) {
  if (event_id !== null) throw new AppError('conflict', { key: 'immunizations.ofForm' })
}

/** By their ids, of a patient whose history the caller may read. */
export async function loadImmunizations(db: Kysely<DB>, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('patient_immunizations')
    .leftJoin('clinics', 'clinics.id', 'patient_immunizations.clinic_id')
    .select(qualified('patient_immunizations', ['id', 'vaccine', 'given_on', 'dose_number', 'lot']))
    .select('clinics.name as clinic')
    .where('patient_immunizations.id', 'in', ids)
    .execute()
  return rows.map((row) => typedBy(immunizationRecord, row))
}
