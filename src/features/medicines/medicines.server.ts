import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { nameOf, OfPatient } from '~/features/patients/patient'
import { checkRow } from '~/features/prescriptions/arrivals.server'
import { checkFor } from '~/features/prescriptions/safety-check.server'
import { requireHistoryWrite, requirePatient } from '~/policy/require.server'
import { deleteHistory, editHistory, readForSafety, readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { MedicineId, type MedicineSource, SaveMedicine } from './medicine'

const live = (db: Kysely<DB>) =>
  db.selectFrom('patient_medicines').where('patient_medicines.is_deleted', '=', false)

/** More than any patient takes; a merged record can have more. */
const MOST = 200

/**
 * A patient's medicines from elsewhere, current ones first, with their warnings.
 */
export const listMedicines = query('medicines.list', {
  input: OfPatient,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history', 'can_dispense_medications'),
  async run(ctx, { patientId }) {
    await requirePatient(ctx, patientId, readForSafety)
    const today = dayIn(new Date(), clinicTimeZone())
    const rows = await live(ctx.db)
      .leftJoin('users', 'users.id', 'patient_medicines.recorded_by_user_id')
      .select([
        'patient_medicines.id',
        'patient_id',
        'patient_medicines.name',
        'ingredients',
        'dose',
        'source',
      ])
      .select([
        'since',
        'until',
        'notes',
        'patient_medicines.created_at',
        'patient_medicines.last_modified',
      ])
      .select('users.name as recorded_by')
      .where('patient_id', '=', patientId)
      .orderBy(sql`coalesce(until < ${today}::date, false)`)
      .orderBy('patient_medicines.name')
      .orderBy('patient_medicines.id')
      .limit(MOST)
      .execute()
    const shown = rows.map((row) => ({
      ...row,
      source: row.source as MedicineSource,
      isTaken: row.until === null || row.until >= today,
    }))
    const named = shown.filter(({ isTaken }) => isTaken)
    const check = await checkFor(ctx.db, { patientId, named, isAlsoTaken: true })
    return { rows: shown, ...check }
  },
})
export type ListedMedicines = Awaited<ReturnType<typeof listMedicines>>
export type ListedMedicine = ListedMedicines['rows'][number]

/** Records a medicine, or changes it. It is a fact and not a decision: its warnings are shown and wait to be reviewed. */
export const saveMedicine = mutation('medicines.save', {
  input: SaveMedicine,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  async run(ctx, medicine) {
    const { id, patient_id, last_modified } = medicine
    await requireHistoryWrite(ctx, editHistory, patient_id)
    if (last_modified) await requireMedicine(ctx, id, patient_id)
    const recorded_by_user_id = ctx.actor.userId
    const values = { ...medicine, ...(!last_modified && { recorded_by_user_id }) }
    const saved = await saveRecord(ctx, 'patient_medicines', values, 'medicines.notFound')
    await checkRow(ctx.db, { table: 'patient_medicines', id })
    return saved
  },
})

/** For an entry that was never true of this patient; what is over gets a last day. */
export const deleteMedicine = mutation('medicines.delete', {
  input: MedicineId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_delete_records'),
  async run(ctx, { id }) {
    const { patient_id, name } = await requireMedicine(ctx, id)
    const patient = await requireHistoryWrite(ctx, deleteHistory, patient_id)
    return deleteRecord(
      ctx,
      'patient_medicines',
      id,
      `${nameOf(patient)}, ${name}`,
      'medicines.notFound',
    )
  },
})

async function requireMedicine({ db, actor }: Context, id: string, patientId?: string) {
  const medicine = await live(db)
    .select(['patient_id', 'name'])
    .where('id', '=', id)
    .where(patientsWhere(readHistory, actor, 'patient_medicines.patient_id'))
    .executeTakeFirst()
  if (!medicine || (patientId && medicine.patient_id !== patientId))
    throw notFound('medicines.notFound')
  return medicine
}
