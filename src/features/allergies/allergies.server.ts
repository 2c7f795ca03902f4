import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { nameOf, OfPatient } from '~/features/patients/patient'
import { isSameSubstance } from '~/features/safety/substances'
import { requireHistoryWrite, requirePatient } from '~/policy/require.server'
import { deleteHistory, editHistory, readForSafety, readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { mayAnywhere } from '~/shared/actor'
import { conflict, invalid, notFound } from '~/shared/errors'
import {
  AllergyId,
  type AllergySeverity,
  type AllergyStatus,
  RecordNone,
  SaveAllergy,
  type SubstanceKind,
} from './allergy'

const live = (db: Kysely<DB>) =>
  db.selectFrom('patient_allergies').where('patient_allergies.is_deleted', '=', false)

/** Somebody with more has been merged with a crowd. */
const MOST = 200

/** Active ones first, the gravest of them at the top. */
export const listAllergies = query('allergies.list', {
  input: OfPatient,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history', 'can_dispense_medications'),
  async run(ctx, { patientId }) {
    await requirePatient(ctx, patientId, readForSafety)
    const rows = await live(ctx.db)
      .leftJoin('users', 'users.id', 'patient_allergies.recorded_by_user_id')
      .select([
        'patient_allergies.id',
        'patient_id',
        'substance',
        'substance_kind',
        'substance_code',
        'reaction',
      ])
      .select([
        'severity',
        'status',
        'notes',
        'patient_allergies.created_at',
        'patient_allergies.last_modified',
      ])
      .select('users.name as recorded_by')
      .where('patient_id', '=', patientId)
      .orderBy(({ fn, val, ref }) =>
        fn('array_position', [val(['active', 'inactive', 'refuted']), ref('status')]),
      )
      .orderBy(sql`array_position(array['severe', 'moderate', 'mild'], severity) nulls last`)
      .orderBy('patient_allergies.id')
      .limit(MOST)
      .execute()
    return rows.map((row) => ({
      ...row,
      substance_kind: row.substance_kind as SubstanceKind,
      severity: row.severity as AllergySeverity | null,
      status: row.status as AllergyStatus,
    }))
  },
})
export type Allergy = Awaited<ReturnType<typeof listAllergies>>[number]

/** Records an allergy, or corrects one; whoever said before that there are none was wrong. */
export const saveAllergy = mutation('allergies.save', {
  input: SaveAllergy,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  async run(ctx, allergy) {
    const { id, patient_id, last_modified } = allergy
    await requireHistoryWrite(ctx, editHistory, patient_id)
    if (last_modified) await requireAllergy(ctx, id, patient_id)
    if (allergy.status === 'active') await refuseSecond(ctx.db, allergy)
    const saved = await saveRecord(
      ctx,
      'patient_allergies',
      { ...allergy, ...(!last_modified && { recorded_by_user_id: ctx.actor.userId }) },
      'allergies.notFound',
    )
    if (allergy.status === 'active') await endStatementOfNone(ctx.db, patient_id)
    return saved
  },
})

/** Somebody asked, and there are none. Refused while an allergy stands. */
export const recordNoAllergies = mutation('allergies.recordNone', {
  input: RecordNone,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  async run(ctx, { id, patientId }) {
    await requireHistoryWrite(ctx, editHistory, patientId)
    const active = await allergiesOf(ctx.db, patientId)
    if (active.some(({ substance_kind }) => substance_kind !== 'none_known'))
      throw conflict('allergies.someKnown')
    const said = active[0]
    if (said) return { id: said.id }
    await saveRecord(
      ctx,
      'patient_allergies',
      {
        id,
        patient_id: patientId,
        substance: 'No known allergies',
        substance_kind: 'none_known',
        substance_code: null,
        status: 'active',
        recorded_by_user_id: ctx.actor.userId,
      },
      'allergies.notFound',
    )
    return { id }
  },
})

/** For an entry that was never true of this patient; what is over or was disproved gets another status. */
export const deleteAllergy = mutation('allergies.delete', {
  input: AllergyId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_delete_records'),
  async run(ctx, { id }) {
    const { patient_id, substance } = await requireAllergy(ctx, id)
    const patient = await requireHistoryWrite(ctx, deleteHistory, patient_id)
    return deleteRecord(
      ctx,
      'patient_allergies',
      id,
      `${nameOf(patient)}, ${substance}`,
      'allergies.notFound',
    )
  },
})

/** Those that hold, of a patient whom the caller has been allowed to prescribe for or dispense to. */
export const allergiesOf = (db: Kysely<DB>, patientId: string) =>
  live(db)
    .leftJoin('users', 'users.id', 'recorded_by_user_id')
    .select([
      'patient_allergies.id',
      'substance',
      'substance_kind',
      'substance_code',
      'reaction',
      'severity',
    ])
    .select(['patient_allergies.created_at', 'users.name as recorded_by'])
    .where('patient_id', '=', patientId)
    .where('status', '=', 'active')
    .orderBy('patient_allergies.id')
    .limit(MOST)
    .execute()

/** The same allergy is recorded once. Locks the patient, so that two saves at the same moment do not miss each other. */
async function refuseSecond(db: Kysely<DB>, allergy: z.output<typeof SaveAllergy>) {
  await db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', allergy.patient_id)
    .forNoKeyUpdate()
    .execute()
  const active = await allergiesOf(db, allergy.patient_id)
  const first = active.find(
    (other) =>
      other.id !== allergy.id &&
      other.substance_kind !== 'none_known' &&
      isSameSubstance(other, allergy),
  )
  if (first)
    throw invalid({
      substance: { key: 'allergies.alreadyRecorded', values: { name: first.substance } },
    })
}

const endStatementOfNone = (db: Kysely<DB>, patientId: string) =>
  db
    .updateTable('patient_allergies')
    .set({ status: 'refuted', updated_at: new Date() })
    .where('patient_id', '=', patientId)
    .where('substance_kind', '=', 'none_known')
    .where('status', '=', 'active')
    .where('is_deleted', '=', false)
    .execute()

async function requireAllergy({ db, actor }: Context, id: string, patientId?: string) {
  const allergy = await live(db)
    .select(['patient_id', 'substance'])
    .where('id', '=', id)
    .where(patientsWhere(readHistory, actor, 'patient_allergies.patient_id'))
    .executeTakeFirst()
  if (!allergy || (patientId && allergy.patient_id !== patientId))
    throw notFound('allergies.notFound')
  return allergy
}
