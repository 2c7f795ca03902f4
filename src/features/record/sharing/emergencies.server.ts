import { sql } from 'kysely'
import { countLookup, slowLookups } from '~/features/people/patients/lookups.server'
import { likelyPatients } from '~/features/people/patients/duplicates/duplicates.server'
import {
  readBirthPrecision,
  patientName,
  withBirthPrecision,
} from '~/features/people/patients/patient'
import { seenUser } from '~/features/office/users/reach.server'
import { somewhere } from '~/policy/facts'
import { administerClinic, knowPatient, needsEmergencyGrant } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfRows } from '~/server/shown'
import { can, isAdmin } from '~/shared/actor'
import { AppError, conflict, invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import {
  AllowEmergency,
  EMERGENCY_HOURS,
  ListEmergencies,
  LookUpPatient,
  OpenEmergency,
} from './opening'
import { reviewed } from './openings.server'

/**
 * Emergency access: the provider reads the whole record of any patient for four hours, in the browser and without
 * writing. It changes nothing on phones, and stays in the review until another administrator has reviewed it.
 */
export const openEmergency = mutation('emergencies.start', {
  input: OpenEmergency,
  allow: mayHaveEmergency,
  before: slowLookups,
  async run(ctx, { id, patientId, reason }) {
    const { db, actor } = ctx
    const patient = await db
      .selectFrom('patients')
      .select('id')
      .where('id', '=', patientId)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    await countLookup(ctx)
    const made = await db
      .insertInto('emergency_accesses')
      .values({
        id,
        patient_id: patientId,
        user_id: actor.userId,
        clinic_id: actor.clinicId,
        reason,
        until: sql<Date>`clock_timestamp() + make_interval(hours => ${EMERGENCY_HOURS})`,
      })
      .onConflict((same) => same.doNothing())
      .returning(['id', 'until'])
      .executeTakeFirst()
    return made ?? { id, until: null }
  },
})

/**
 * Finds the patient of an emergency in every clinic, for any provider: name, date of birth, sex and primary clinic of
 * likely matches. It counts as a look-up, and the trail names each patient outside the actor's clinics who was shown.
 */
export const lookUpPatient = mutation('emergencies.lookUp', {
  access: 'emergencySearch',
  input: LookUpPatient,
  allow: mayHaveEmergency,
  before: slowLookups,
  async run(ctx, input) {
    const { db, actor } = ctx
    const likely = await likelyPatients(db, input, { anyBirth: true })
    if (!likely) throw invalid({ given_name: { key: 'sharing.lookUpMore' } })
    await countLookup(ctx)
    const ids = likely.map(({ id }) => id)
    const rows = await db
      .selectFrom('patients as p')
      .leftJoin('clinics as c', 'c.id', 'p.primary_clinic_id')
      .select(['p.id', 'p.given_name', 'p.surname', 'p.date_of_birth', 'p.sex', 'p.metadata'])
      .select('c.name as clinic')
      .select(sql<boolean>`${patientsWhere(knowPatient, actor, 'p.id')}`.as('isKnown'))
      .where('p.id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute()
    const shown = ids.flatMap((id) => rows.filter((row) => row.id === id))
    for (const { id, isKnown } of shown)
      if (!isKnown)
        await audit(ctx, {
          action: 'emergencies.lookUp',
          table: 'patients',
          recordId: id,
          patientId: id,
        })
    return {
      patients: shown.map(({ metadata, ...row }) => ({
        ...row,
        // the precision of the date of birth and nothing else
        metadata: withBirthPrecision(null, readBirthPrecision(metadata)),
      })),
    }
  },
  shows: ({ patients }) => patients.map(({ id }) => id),
})

/** Providers with a permission of care in some clinic, and users with an administrator's grant for a day. */
async function mayHaveEmergency({ db, actor }: Context) {
  if (!(actor.role === 'provider' || isAdmin(actor)) || !can(actor, 'read_patient')) return false
  if (!needsEmergencyGrant(actor)) return true
  const granted = await db
    .selectFrom('emergency_grants')
    .select('until')
    .where('user_id', '=', actor.userId)
    .where('until', '>', sql<Date>`clock_timestamp()`)
    .where(sql<boolean>`has_happened(created_at)`)
    .executeTakeFirst()
  if (!granted) throw new AppError('forbidden', { key: 'sharing.emergencyNeedsPermission' })
  return true
}

/** Allows emergency access for a day to a provider who has no clinical permission in any clinic. */
export const allowEmergency = mutation('emergencies.allow', {
  input: AllowEmergency,
  on: seenUser(isAdmin),
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { userId }, { person }) {
    if (!needsEmergencyGrant(person)) throw conflict('sharing.emergencyGrantNotNeeded')
    const until = sql<Date>`clock_timestamp() + interval '1 day'`
    const given = { granted_by: ctx.actor.userId, until, created_at: sql<Date>`clock_timestamp()` }
    const granted = await ctx.db
      .insertInto('emergency_grants')
      .values({ user_id: userId, ...given })
      .onConflict((same) => same.column('user_id').doUpdateSet(given))
      .returning('until')
      .executeTakeFirstOrThrow()
    await audit(ctx, { action: 'emergencies.allow', table: 'users', recordId: userId })
    return granted
  },
})

/** Emergency access to patients of the actor's clinics. Access that waits for a review is listed oldest first. */
export const listEmergencies = query('emergencies.list', {
  access: 'reviews',
  reads: ['emergency_accesses'],
  looksUp: ['clinics', 'patients', 'users'],
  input: ListEmergencies,
  allow: somewhere(administerClinic),
  async run({ db, actor }, { state, page }) {
    const isWaiting = state === 'waiting'
    const found = db
      .selectFrom('emergency_accesses as e')
      .where('e.is_deleted', '=', false)
      .where('e.reviewed_at', isWaiting ? 'is' : 'is not', null)
      .where(reviewed(actor, 'e'))
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients', 'patients.id', 'e.patient_id')
        .innerJoin('users', 'users.id', 'e.user_id')
        .leftJoin('clinics', 'clinics.id', 'e.clinic_id')
        .leftJoin('users as reviewer', 'reviewer.id', 'e.reviewed_by')
        .select(['e.id', 'e.patient_id', 'e.user_id', 'e.reason', 'e.until', 'e.reviewed_at'])
        .select([
          'e.server_created_at as opened_at',
          'users.name as user',
          'clinics.name as clinic',
        ])
        .select(['reviewer.name as reviewed_by', 'given_name', 'surname'])
        .select(sql<boolean>`${patientsWhere(knowPatient, actor)}`.as('is_known'))
        .orderBy('e.created_at', isWaiting ? 'asc' : 'desc')
        .orderBy('e.id'),
      found,
      page,
    )
    return {
      rows: rows.map(({ given_name, surname, is_known, patient_id, user_id, ...row }) => ({
        ...row,
        isOwn: user_id === actor.userId,
        patient: is_known ? patientName({ given_name, surname }) : null,
        patient_id: is_known ? patient_id : null,
      })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type ListedEmergency = Awaited<ReturnType<typeof listEmergencies>>['rows'][number]

/** Takes an emergency access out of the review. The user who had it cannot do that. */
export const reviewEmergency = mutation('emergencies.review', {
  input: RecordId,
  allow: somewhere(administerClinic),
  async run({ db, actor }, { id }) {
    const row = await db
      .selectFrom('emergency_accesses as e')
      .select(['e.user_id', 'e.reviewed_at'])
      .where('e.id', '=', id)
      .where('e.is_deleted', '=', false)
      .where(reviewed(actor, 'e'))
      .executeTakeFirst()
    if (!row) throw notFound('sharing.emergencyNotFound')
    if (row.user_id === actor.userId) throw conflict('sharing.ownEmergency')
    if (!row.reviewed_at)
      await db
        .updateTable('emergency_accesses')
        .set({ reviewed_by: actor.userId, reviewed_at: new Date(), updated_at: new Date() })
        .where('id', '=', id)
        .execute()
    return { id }
  },
})
