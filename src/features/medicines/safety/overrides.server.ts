import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { requirePatient } from '~/policy/require.server'
import { knowPatient, readForSafety } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { inPermittedClinics } from '~/server/scope'
import { patientsOfRows } from '~/server/shown'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { isReasonInWords } from '~/shared/reason'
import { catalogued, LINKS, type MedicineRow } from './arrivals.server'
import { asksSecondPerson, findConfirmers, endConfirmations } from './second/second-person.server'
import { EMERGENCY, ListOverrides, type Override, ReviewOverride, type Stage } from './override'
import { answersWarning, asksReason, isGrave, namesMedicine, type Warning } from './rules/warning'

const live = (db: Kysely<DB>) =>
  db.selectFrom('safety_overrides').where('safety_overrides.is_deleted', '=', false)

/** Administrators of the clinic review all; prescribers close the emergencies. */
const reviewing = ['is_clinic_admin', 'can_prescribe_medications'] as const
export const reviewable = (actor: Actor) => sql<boolean>`(
  ${inPermittedClinics(actor, 'safety_overrides.clinic_id', 'is_clinic_admin')} or (reason_code = ${EMERGENCY}
    and ${inPermittedClinics(actor, 'safety_overrides.clinic_id', 'can_prescribe_medications')}))`

/** Overridden in an emergency, and still without a reason. */
export const openEmergencies = sql<boolean>`(reason_code = ${EMERGENCY} and reviewed_at is null)`

/** The warnings that people of one's clinics went past, newest first, with their reasons. */
export const listOverrides = query('safety.overrides', {
  access: 'reviews',
  reads: ['safety_overrides'],
  looksUp: ['clinics', 'patients', 'users'],
  input: ListOverrides,
  allow: ({ actor }) => mayAnywhere(actor, ...reviewing),
  async run({ db, actor }, { state, clinicId, day, page }) {
    let found = live(db).where(reviewable(actor))
    if (state !== 'all')
      found = found.where('reviewed_at', state === 'reviewed' ? 'is not' : 'is', null)
    if (state === 'emergency') found = found.where(openEmergencies)
    if (clinicId) found = found.where('safety_overrides.clinic_id', '=', clinicId)
    if (day) found = found.where(sql<boolean>`clinic_day(overridden_at) = ${day}::date`)
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients', 'patients.id', 'safety_overrides.patient_id')
        .leftJoin('clinics', 'clinics.id', 'safety_overrides.clinic_id')
        .leftJoin('users as by', 'by.id', 'overridden_by')
        .leftJoin('users as reviewer', 'reviewer.id', 'reviewed_by')
        .leftJoin('users as confirmer', 'confirmer.id', 'confirmed_by')
        .select([
          'safety_overrides.id',
          'stage',
          'kind',
          'warning',
          'reason',
          'reason_code',
          'overridden_at',
          'prescription_id',
        ])
        .select(['event_id', 'safety_overrides.patient_id', 'is_unconfirmed'])
        .select(['reviewed_at', 'review_note', 'safety_overrides.last_modified'])
        .select([
          'clinics.name as clinic',
          'by.name as overridden_by',
          'reviewer.name as reviewed_by',
          'confirmer.name as confirmed_by',
          sql<boolean>`coalesce(overridden_by = ${actor.userId}, false)`.as('is_own'),
          sql<boolean>`coalesce(overridden_by = reviewed_by, false)`.as('is_own_review'),
        ])
        .select(identifiersColumn('patients').as('identifiers'))
        .select([
          'given_name',
          'surname',
          sql<boolean>`${patientsWhere(knowPatient, actor)}`.as('is_known'),
        ])
        .orderBy('overridden_at', 'desc')
        .orderBy('safety_overrides.id'),
      found,
      page,
    )
    return {
      rows: rows.map(
        ({ given_name, surname, is_known, patient_id, warning, stage, reason_code, ...row }) => ({
          ...row,
          identifiers: is_known ? row.identifiers : null,
          stage,
          warning,
          reason_code,
          /** Null for a reviewer who may not know the patient: the decision can be judged without. */
          patient: is_known ? patientName({ given_name, surname }) : null,
          patient_id: is_known ? patient_id : null,
        }),
      ),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type ListedOverride = Awaited<ReturnType<typeof listOverrides>>['rows'][number]

/** Warnings about what a patient takes that no user has seen, such as after a new allergy; newest first. */
export const unseenWarnings = query('safety.unseen', {
  access: 'record',
  reads: ['safety_overrides'],
  looksUp: ['patients'],
  input: PatientIdInput,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId }) {
    await requirePatient(ctx, patientId, readForSafety)
    const rows = await live(ctx.db)
      .modifyFront(asPrepared())
      .select(['id', 'warning', 'prescription_id', 'event_id'])
      .where('patient_id', '=', patientId)
      .where('stage', '=', 'arrived')
      .where('reviewed_at', 'is', null)
      .orderBy('overridden_at', 'desc')
      .orderBy('id')
      .limit(MOST_UNSEEN)
      .execute()
    return rows.map(({ warning, ...row }) => ({ ...row, warning: warning as Warning }))
  },
  shows: (_, { input }) => [input.patientId],
})
export type UnseenWarning = Awaited<ReturnType<typeof unseenWarnings>>[number]
const MOST_UNSEEN = 100

/**
 * Marks an override as reviewed. Reviewing twice keeps the first review. One of an emergency is closed with the reason
 * that was not given then.
 */
export const reviewOverride = mutation('safety.review', {
  input: ReviewOverride,
  allow: ({ actor }) => mayAnywhere(actor, ...reviewing),
  async run({ db, actor }, { id, note }) {
    const there = await live(db)
      .select(['id', 'reviewed_at', 'reason_code'])
      .where('id', '=', id)
      .where(reviewable(actor))
      .executeTakeFirst()
    if (!there) throw notFound('safety.overrideNotFound')
    if (there.reviewed_at) return { id }
    if (there.reason_code === EMERGENCY && !isReasonInWords(note ?? ''))
      throw invalid({ note: { key: 'safety.emergencyNote' } })
    await db
      .updateTable('safety_overrides')
      .set({
        reviewed_by: actor.userId,
        reviewed_at: new Date(),
        review_note: note,
        updated_at: new Date(),
      })
      .where('id', '=', id)
      .execute()
    return { id }
  },
})

/**
 * The warnings that ask for a reason and get none from these. An emergency answers the gravest ones alone, whose
 * reason is asked for later. Throws `invalid` at `overrides.<n>.medicine` where a grave warning is overridden without
 * the name of its medicine, and at `overrides.<n>.second` without the second person that the installation asks for.
 */
export async function unanswered(
  ctx: Context,
  where: Pick<Where, 'patientId' | 'clinicId'>,
  warnings: readonly Warning[],
  overrides: readonly Override[],
) {
  const wrong = overrides.flatMap(({ key, code, medicine }, at) => {
    const warning = warnings.find((one) => one.key === key)
    if (!warning || !isGrave(warning) || code === EMERGENCY) return []
    if (namesMedicine(medicine ?? '', warning)) return []
    const text = { key: 'safety.typeName' as const, values: { name: warning.drug } }
    return [[`overrides.${at}.medicine`, text] as const]
  })
  const { missing } = await findConfirmers(ctx, where, warnings, overrides)
  const faults = { ...missing, ...Object.fromEntries(wrong) }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  const isAnswered = (warning: Warning) =>
    overrides.some(
      ({ key, code }) => key === warning.key && (code !== EMERGENCY || isGrave(warning)),
    )
  return warnings.filter((warning) => asksReason(warning) && !isAnswered(warning))
}

/** The warnings that ask for a reason and were not overridden before in a way that counts at this stage. */
export const stillOpen = (
  warnings: readonly Warning[],
  earlier: readonly EarlierOverride[],
  stage: Stage,
) =>
  warnings.filter(
    (warning) =>
      asksReason(warning) && !earlier.some((override) => answersWarning(override, warning, stage)),
  )

/** Warnings with the marks of what could not be checked, which are shown beside them. */
export const withMarks = (open: readonly Warning[], all: readonly Warning[]) =>
  all.filter((warning) => open.includes(warning) || !asksReason(warning))

type Where = {
  patientId: string
  clinicId: string | null
  stage: Stage
  prescriptionId?: string
  eventId?: string
}

/** Keeps the reasons for the warnings that were really shown; what is not among them is dropped. */
export async function keepOverrides(
  ctx: Context,
  { patientId, clinicId, prescriptionId, eventId, stage }: Where,
  warnings: readonly Warning[],
  reasons: readonly Override[],
) {
  const { db, actor } = ctx
  const rows = warnings.flatMap((warning) => {
    const override = reasons.find(({ key }) => key === warning.key)
    return override
      ? [
          {
            warning,
            reason: override.code === EMERGENCY ? null : override.reason,
            reason_code: override.code ?? 'other',
            isEmergency: override.code === EMERGENCY && isGrave(warning),
          },
        ]
      : []
  })
  if (rows.length === 0) return
  const { confirmed } = await findConfirmers(ctx, { patientId, clinicId }, warnings, reasons)
  const isAsked = rows.some(({ isEmergency }) => isEmergency) && (await asksSecondPerson(db))
  await db
    .insertInto('safety_overrides')
    .values(
      rows.map(({ warning, reason, reason_code, isEmergency }) => ({
        id: newId(),
        patient_id: patientId,
        clinic_id: clinicId,
        prescription_id: prescriptionId ?? null,
        event_id: eventId ?? null,
        drug_id: catalogued(warning),
        stage,
        kind: warning.kind,
        warning: JSON.stringify(warning),
        reason,
        reason_code,
        overridden_by: actor.userId,
        confirmed_by: confirmed.get(warning.key) ?? null,
        is_unconfirmed: isAsked && isEmergency,
      })),
    )
    .execute()
  await endConfirmations(db, reasons)
}

/** What was overridden for a prescription before, oldest first, and what of it by the actor. */
export const loadOverrides = (db: Kysely<DB>, prescriptionId: string, actor: { userId: string }) =>
  given(db, { table: 'prescriptions', id: prescriptionId }, actor)

/** What was overridden for a filled-in form before, oldest first. */
export const loadEventOverrides = (
  db: Kysely<DB>,
  eventId: string,
  patientId: string,
  actor: { userId: string },
) => given(db, { table: 'events', id: eventId }, actor, patientId)

/** Warnings that arrived without being seen are no reasons. */
async function given(
  db: Kysely<DB>,
  { table, id }: MedicineRow,
  actor: { userId: string },
  patientId?: string,
) {
  const rows = await live(db)
    .leftJoin('users', 'users.id', 'overridden_by')
    .leftJoin('users as confirmer', 'confirmer.id', 'confirmed_by')
    .select([
      'confirmer.name as confirmed_by',
      'warning',
      'reason_code',
      'stage',
      'overridden_at',
      'overridden_by',
      'users.name as by',
    ])
    .select(({ fn, val }) => fn.coalesce('reason', val('')).as('reason'))
    .where(LINKS[table], '=', id)
    .where('stage', '<>', 'arrived')
    .$if(patientId !== undefined, (q) => q.where('patient_id', '=', patientId!))
    .orderBy('overridden_at')
    .limit(500)
    .execute()
  return rows.map(({ warning, reason_code, overridden_by, ...row }) => ({
    ...row,
    reason_code,
    isOwn: overridden_by !== null && overridden_by === actor.userId,
    warning,
    key: (warning as Warning).key,
  }))
}
export type EarlierOverride = Awaited<ReturnType<typeof loadOverrides>>[number]
