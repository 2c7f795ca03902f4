import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { isBeforeBirth, nameOf, OfPatient } from '~/features/people/patients/patient'
import { entriesOf } from '~/policy/entries.server'
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
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { SaveImmunization } from './immunization'

/** The doses of a patient, newest first; `clinic` is the name of the clinic that gave it. */
export const immunizationsOfPatient = query('immunizations.ofPatient', {
  reads: ['patient_immunizations'],
  looksUp: ['clinics', 'patients', 'users'],
  on: namedPatient(readHistory),
  input: OfPatient,
  async run(ctx, { patientId }) {
    const rows = await entriesOf(ctx, immunizationRecord, patientId, {
      where: rowsWhere(ctx.actor, 'entry'),
      order: sql`entry.given_on desc, entry.vaccine`,
    })
    const names = await clinicNames(ctx.db, rows)
    return rows.map(({ is_open: _isOpen, ...row }) => ({
      ...typedBy(immunizationRecord, row),
      clinic: names.get(row.clinic_id) ?? null,
    }))
  },
})
export type Immunization = Awaited<ReturnType<typeof immunizationsOfPatient>>[number]

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
  async run(ctx, { check_repeated, ...dose }, { patient, existing }) {
    if (existing) requireOwnRow(existing)
    if (check_repeated) await refuseRepeated(ctx, dose)
    const { given_on, clinic_id } = dose
    if (given_on > dayIn(new Date(), clinicTimeZone()))
      throw invalid({ given_on: { key: 'validation.inFuture' } })
    if (isBeforeBirth(patient, given_on))
      throw invalid({ given_on: { key: 'immunizations.beforeBirth' } })
    if (clinic_id && clinic_id !== existing?.clinic_id) await requireWorkplace(ctx, clinic_id)
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
    const label = `${nameOf(patient)}, ${existing.vaccine.toUpperCase()}, ${existing.given_on}`
    return deleteRecord(ctx, 'patient_immunizations', id, label)
  },
})

/** A dose that a form recorded is corrected and deleted in the form, so that both agree. */
function requireOwnRow({ event_id }: { event_id: string | null }) {
  if (event_id !== null) throw new AppError('conflict', { key: 'immunizations.ofForm' })
}

/** By their ids, of a patient whose history the caller may read. */
export async function immunizationsOf(db: Kysely<DB>, ids: string[]) {
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
