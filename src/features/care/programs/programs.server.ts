import { cancelToCome } from '~/features/rules/transitions/day.server'
import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import { ageRangeInMonths } from '~/fields/birth'
import { isPregnancyRelevant } from '~/features/care/pregnancies/pregnancy'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { askAboutLife } from '~/features/people/patients/lifetime/lifetime.server'
import { patientBirth, isBeforeBirth, PatientIdInput } from '~/features/people/patients/patient'
import { permitsIn, somewhere } from '~/policy/facts'
import {
  type RequiredPatient,
  historyRow,
  namedPatient,
  namedPatientWrite,
  historySave,
} from '~/policy/on.server'
import { requireClinic, requireHistoryWrite } from '~/policy/require.server'
import { editHistory, openVisit, readHistory, seeAppointments } from '~/policy/rules'
import { GENERAL_REASONS } from '~/records/enrollment'
import { type Context, mutation, NoInput, type On, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { ask, type EarlierDayQuestion } from '~/shared/earlier-day'
import { conflict, forbidden, invalid } from '~/shared/errors'
import { addDays, clinicToday } from '~/shared/zone'
import type { EnrollmentFacts } from './enrolment'
import { enrolmentsWhere } from './enrolments-seen.server'
import { EndEnrollment, EnrollPatient, SaveEnrollment, SetDeath } from './enrollment-input'
import { outcomesOfProgram, PREGNANCY, PROGRAMS, findProgram } from './programs'
import { lockFollowUps, SETTLED_FROM, settleFollowUps } from './stale.server'

/** The programs, with the codes that enrol. */
export const listPrograms = query('programs.list', {
  input: NoInput,
  allow: somewhere(seeAppointments),
  run: () => Promise.resolve([...PROGRAMS]),
})

/** The enrolments of a patient, open ones first. */
export const programsOfPatient = query('programs.ofPatient', {
  access: 'followUp',
  reads: ['program_enrollments'],
  looksUp: ['clinics', 'follow_up_calls', 'follow_up_items', 'users', ...SETTLED_FROM],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run({ db, actor }, { patientId }) {
    await settleFollowUps({ db }, undefined, { patientId })
    return db
      .selectFrom('program_enrollments as e')
      .modifyFront(asPrepared())
      .innerJoin('clinics', 'clinics.id', 'e.clinic_id')
      .leftJoin('users', 'users.id', 'e.recorded_by_user_id')
      .select(['e.id', 'e.patient_id', 'program', 'e.clinic_id', 'enrolled_on', 'ended_on'])
      .select(['end_reason', 'lmp', 'review_days', 'e.last_modified', 'e.created_at'])
      .select(['clinics.name as clinic', 'users.name as recorded_by'])
      .select(sql<boolean>`e.origin_id is not null`.as('is_by_record'))
      .where('e.patient_id', '=', patientId)
      .where('e.is_deleted', '=', false)
      .where(enrolmentsWhere(actor, 'e'))
      .orderBy(sql`ended_on is not null`)
      .orderBy('enrolled_on', 'desc')
      .orderBy('e.id')
      .limit(100)
      .execute()
  },
})
export type ListedEnrollment = Awaited<ReturnType<typeof programsOfPatient>>[number]

/** Enrols a patient by hand; a past day is accepted. */
export const enrollInProgram = mutation('programs.enroll', {
  on: namedPatientWrite(),
  input: EnrollPatient,
  async run(ctx, { lmp = null, review_days = null, confirmed, ...given }, { patient }) {
    await lockFollowUps(ctx.db)
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    await requireCareClinic(ctx, given.clinic_id)
    checkDays(patient, { ...given, lmp })
    askWhetherFor(patient, given, confirmed)
    await refuseOverlap(ctx, { ...given, ended_on: null })
    const saved = await saveRecord(ctx, 'program_enrollments', {
      ...given,
      lmp,
      review_days,
      recorded_by_user_id: ctx.actor.userId,
    })
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    return saved
  },
})

/** Corrects an enrolment: the day, the clinic, the last period, the days between visits, the end. */
export const saveEnrollment = mutation('programs.save', {
  on: historySave('program_enrollments'),
  input: SaveEnrollment,
  async run(ctx, { ended_on, end_reason, ...given }, { patient, existing }) {
    if (!existing) throw invalid({ last_modified: { key: 'validation.required' } })
    await lockFollowUps(ctx.db)
    const { program } = existing
    if (given.clinic_id !== existing.clinic_id) await requireCareClinic(ctx, given.clinic_id)
    checkDays(patient, { ...given, program, ended_on })
    if (end_reason !== existing.end_reason) checkOutcome(program, end_reason)
    const end = ended_on === undefined ? existing.ended_on : ended_on
    const row = { ...given, program, ended_on: end }
    await refuseOverlap(ctx, row)
    const facts = { ...existing.metadata }
    const isMoved =
      given.enrolled_on !== existing.enrolled_on || given.clinic_id !== existing.clinic_id
    if (isMoved) facts.corrected = true
    if (given.lmp !== undefined && given.lmp !== existing.lmp) delete facts.dated
    if (end !== existing.ended_on) delete facts.ended
    const isEndNew =
      end !== existing.ended_on || (end_reason ?? existing.end_reason) !== existing.end_reason
    if (end === null) delete facts.ended_at
    else if (isEndNew) facts.ended_at = new Date().toISOString()
    const saved = await saveRecord(ctx, 'program_enrollments', {
      ...given,
      ended_on: end,
      end_reason: end === null ? null : (end_reason ?? existing.end_reason),
      metadata: JSON.stringify(facts),
    })
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    return saved
  },
})

/** Ends an enrolment; a past day is accepted. `programs.save` without an end opens it again. */
export const endEnrollment = mutation('programs.end', {
  on: historyRow('program_enrollments', editHistory),
  input: EndEnrollment,
  async run(ctx, { id, ended_on, end_reason }, { existing, patient }) {
    await lockFollowUps(ctx.db)
    if (existing.ended_on === ended_on && existing.end_reason === end_reason)
      return { id, last_modified: existing.last_modified }
    if (existing.ended_on) throw conflict('programs.ended')
    checkOutcome(existing.program, end_reason)
    if (ended_on < existing.enrolled_on)
      throw invalid({ ended_on: { key: 'programs.endBeforeStart' } })
    if (ended_on > clinicToday()) throw invalid({ ended_on: { key: 'validation.inFuture' } })
    const saved = await saveRecord(ctx, 'program_enrollments', {
      id,
      last_modified: existing.last_modified,
      ended_on,
      end_reason,
      metadata: JSON.stringify({
        ...existing.metadata,
        ended_at: new Date().toISOString(),
      } satisfies EnrollmentFacts),
    })
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    return saved
  },
})

const patientToChange: On<{ id: string }, { patient: RequiredPatient }> = {
  permits: (actor) => namedPatientWrite().permits(actor, { patientId: '' }),
  rows: async (ctx, { id }) => ({ patient: await requireHistoryWrite(ctx, editHistory, id) }),
}

/** Records the day of a death, which ends all programs; without a day, takes it back. */
export const setDeath = mutation('patients.setDeath', {
  on: patientToChange,
  input: SetDeath,
  async run(ctx, { id, died_on, cancel_appointments, confirmed }, { patient }) {
    await lockFollowUps(ctx.db)
    if (died_on && died_on > clinicToday())
      throw invalid({ died_on: { key: 'validation.inFuture' } })
    if (died_on && isBeforeBirth(patient, died_on))
      throw invalid({ died_on: { key: 'patients.diedBeforeBirth' } })
    await askAboutLife(ctx, { id, before: patient, now: { ...patient, died_on } }, confirmed)
    const { last_modified } = await ctx.db
      .updateTable('patients')
      .set({ died_on, updated_at: new Date(), last_modified_by: ctx.actor.userId })
      .where('id', '=', id)
      .returning('last_modified')
      .executeTakeFirstOrThrow()
    if (died_on && cancel_appointments) await cancelToCome(ctx, id)
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    return { id, last_modified }
  },
})

/** The clinic exists, and the user records care there. */
async function requireCareClinic({ db, actor }: Context, clinicId: string) {
  await requireClinic(db, clinicId, 'clinic_id')
  if (!permitsIn(openVisit, actor, clinicId)) throw forbidden()
}

/** An outcome that only some programs have is one of this program. */
function checkOutcome(program: string, reason: string | null | undefined) {
  const isGeneral = [...GENERAL_REASONS, 'died'].some((known) => known === reason)
  if (!reason || isGeneral || outcomesOfProgram(program).some((known) => known === reason)) return
  throw invalid({ end_reason: { key: 'programs.otherOutcome' } })
}

type Given = {
  program: string
  enrolled_on: string
  lmp?: string | null
  ended_on?: string | null
}

function checkDays(patient: RequiredPatient, { program, enrolled_on, lmp, ended_on }: Given) {
  const now = clinicToday()
  const lasts = findProgram(program)?.lasts ?? 0
  if (enrolled_on > now) throw invalid({ enrolled_on: { key: 'validation.inFuture' } })
  if (ended_on && ended_on > now) throw invalid({ ended_on: { key: 'validation.inFuture' } })
  if (isBeforeBirth(patient, enrolled_on))
    throw invalid({ enrolled_on: { key: 'programs.beforeBirth' } })
  requireLivingOn(patient, enrolled_on, 'enrolled_on')
  if (!lmp) return
  if (program !== PREGNANCY) throw invalid({ lmp: { key: 'programs.onlyPregnancy' } })
  if (lmp > enrolled_on || lmp < addDays(enrolled_on, -lasts))
    throw invalid({ lmp: { key: 'programs.lmpRange' } })
}

/** A program that is, by age or sex, for others: mostly a slip in the list of patients or of programs. */
function askWhetherFor(
  patient: RequiredPatient,
  { program, enrolled_on }: Pick<Given, 'program' | 'enrolled_on'>,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  const birth = patientBirth(patient)
  const until = findProgram(program)?.until_months
  const isTooOld =
    until !== undefined && birth !== null && ageRangeInMonths(birth, enrolled_on)[0] >= until
  if (isTooOld || (program === PREGNANCY && !isPregnancyRelevant(patient.sex, birth, enrolled_on)))
    throw ask('against_record', 'program', { key: 'programs.forOthers' })
}

type Span = {
  id: string
  patient_id: string
  program: string
  enrolled_on: string
  ended_on: string | null
}

/** A patient is in a program once at a time. */
async function refuseOverlap(
  { db }: Context,
  { id, patient_id, program, enrolled_on, ended_on }: Span,
) {
  const other = await db
    .selectFrom('program_enrollments')
    .select('enrolled_on')
    .where('patient_id', '=', patient_id)
    .where('program', '=', program)
    .where('id', '<>', id)
    .where('is_deleted', '=', false)
    .where(sql<boolean>`enrolled_on <= coalesce(${ended_on}::date, 'infinity')
      and coalesce(ended_on, 'infinity') >= ${enrolled_on}::date`)
    .executeTakeFirst()
  if (other) throw invalid({ enrolled_on: { key: 'programs.overlaps' } })
}
