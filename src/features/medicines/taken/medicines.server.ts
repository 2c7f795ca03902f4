import { sql } from 'kysely'
import type * as z from 'zod'
import { requireAliveOn } from '~/features/people/patients/lifetime/lifetime'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { checkRows } from '~/features/medicines/prescriptions/check/arrivals.server'
import { isTakenElsewhere } from '~/features/medicines/prescriptions/check/stops.server'
import { checkFor } from '~/features/medicines/prescriptions/check/safety-check.server'
import { loadPatientEntries } from '~/policy/entries.server'
import { historyRow, historySave, namedPatient } from '~/policy/on.server'
import { deleteHistory, readForSafety } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { medicineRecord } from '~/records/medicine'
import { typedBy } from '~/records/record'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { askIfTwice, type EarlierDayQuestion } from '~/shared/earlier-day'
import { RecordId } from '~/shared/record'
import { clinicToday } from '~/shared/zone'
import { SaveMedicine } from './medicine'

/** A patient's medicines from elsewhere, current ones first, with their warnings. */
export const listMedicines = query('medicines.list', {
  access: 'safety',
  reads: [
    'dispensing_records',
    'events',
    'medicine_decisions',
    'patient_medicines',
    'prescription_items',
    'prescriptions',
    'safety_rules_off',
    'patient_allergies',
    'patient_pregnancies',
    'program_enrollments',
    'patient_problems',
  ],
  looksUp: [
    'app_config',
    'drug_catalogue',
    'event_forms',
    'patient_vitals',
    'patients',
    'report_bindings',
    'users',
    'visits',
  ],
  on: namedPatient(readForSafety),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const isTaken = isTakenElsewhere('entry')
    const stored = await loadPatientEntries(ctx, medicineRecord, patientId, {
      // what the patient takes now is never hidden
      where: sql`(${isTaken} or ${rowsWhere(ctx.actor, 'entry')})`,
      order: sql`not ${isTaken}, entry.name`,
    })
    const taken = await ctx.db
      .selectFrom('patient_medicines as m')
      .select('id')
      .where('patient_id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(isTakenElsewhere('m'))
      .execute()
    const takenIds = new Set(taken.map(({ id }) => id))
    const rows = stored.map((row) => ({
      ...typedBy(medicineRecord, row),
      isTaken: takenIds.has(row.id),
    }))
    const named = rows.filter(({ isTaken: isTakenNow }) => isTakenNow)
    return { rows, ...(await checkFor(ctx.db, { patientId, named, isAlsoTaken: true })) }
  },
})
export type ListedMedicines = Awaited<ReturnType<typeof listMedicines>>
export type ListedMedicine = ListedMedicines['rows'][number]

/**
 * Records a medicine, or changes it. It is a fact and not a decision: its warnings are shown and
 * wait to be reviewed.
 */
export const saveMedicine = mutation('medicines.save', {
  on: historySave('patient_medicines'),
  input: SaveMedicine,
  async run(ctx, { confirmed, ...medicine }, { patient, existing }) {
    const { since } = medicine
    if (!existing) await askAboutAnother(ctx, medicine, confirmed)
    if (since && since !== existing?.since) requireAliveOn(patient, since, 'since')
    const author = !existing && { recorded_by_user_id: ctx.actor.userId }
    const saved = await saveRecord(ctx, 'patient_medicines', { ...medicine, ...author })
    await checkRows(ctx.db, [{ table: 'patient_medicines', id: medicine.id }])
    return saved
  },
})

/** The same name is in the list and still taken: mostly an entry to be changed. One that is over is history. */
async function askAboutAnother(
  { db, actor }: Context,
  { id, patient_id, name, until }: z.output<typeof SaveMedicine>,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  if (until && until < clinicToday()) return
  const taken = await db
    .selectFrom('patient_medicines')
    .select('id')
    .where('id', '<>', id)
    .where('patient_id', '=', patient_id)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .where(rowsWhere(actor, 'patient_medicines'))
    .where('is_deleted', '=', false)
    .where(isTakenElsewhere('patient_medicines'))
    .executeTakeFirst()
  if (taken) throw askIfTwice('name', name)
}

/** For an entry that was never true of this patient; one that ended gets a last day. */
export const deleteMedicine = mutation('medicines.delete', {
  on: historyRow('patient_medicines', deleteHistory),
  input: RecordId,
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(ctx, 'patient_medicines', id, `${patientName(patient)}, ${existing.name}`),
})
