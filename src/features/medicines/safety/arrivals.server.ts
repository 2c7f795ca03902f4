import { type Kysely, sql } from 'kysely'
import { kept } from '~/db/kept'
import type { DB } from '~/db/types'
import { askFor } from '~/server/jobs.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { asksReason, isGrave, type Warning } from './rules/warning'
import { asksSecondPerson } from './second/second-person.server'

/** The tables whose rows hold medicines; triggers of the database mark each row that no check has looked at. */
export const MEDICINE_TABLES = [
  'prescriptions',
  'events',
  'dispensing_records',
  'patient_medicines',
] as const
export type MedicineTable = (typeof MEDICINE_TABLES)[number]

/** The column of `safety_overrides` that says which row a warning is about. */
export const LINKS = {
  prescriptions: 'prescription_id',
  events: 'event_id',
  dispensing_records: 'dispensing_record_id',
  patient_medicines: 'patient_medicine_id',
} as const satisfies Record<MedicineTable, string>

export type MedicineRow = { table: MedicineTable; id: string }

/** What a check has looked at, and what it found. */
export type CheckedRow = MedicineRow & {
  patientId: string
  clinicId: string | null
  /** Where a dispensing record belongs to a prescription: the warnings of both are one matter. */
  prescriptionId?: string | null
  warnings: readonly Warning[]
}

/** Takes the mark away from a row that an operation has checked before writing it. */
export const clearMark = (db: Kysely<DB>, { table, id }: MedicineRow) =>
  db
    .deleteFrom('unchecked_medicines')
    .where('table_name', '=', table)
    .where('row_id', '=', id)
    .execute()

/**
 * Requests the background check if any row waits for it. To be called after rows were written that may hold medicines:
 * the triggers know which do, and most pushes of phones hold none.
 */
export async function requestCheck(db: Kysely<DB>) {
  const { rows } = await sql<{
    isWaiting: boolean
  }>`${kept()} select exists (select from unchecked_medicines) as "isWaiting"`.execute(db)
  if (rows[0]?.isWaiting) await askFor(db, 'check_medicines')
}

/** Whether a row waits for its check. */
export async function isMarked(db: Kysely<DB>, { table, id }: MedicineRow): Promise<boolean> {
  const row = await db
    .selectFrom('unchecked_medicines')
    .select('row_id')
    .where('table_name', '=', table)
    .where('row_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

const arrived = (db: Kysely<DB>) =>
  db.selectFrom('safety_overrides').where('stage', '=', 'arrived').where('is_deleted', '=', false)

/** The warnings about a row that are unseen and have no reason. */
export async function unseenOf(db: Kysely<DB>, { table, id }: MedicineRow): Promise<Warning[]> {
  const rows = await arrived(db)
    .select('warning')
    .where(LINKS[table], '=', id)
    .where('reviewed_at', 'is', null)
    .orderBy('overridden_at')
    .orderBy('id')
    .limit(500)
    .execute()
  return rows.map(({ warning }) => warning as Warning)
}

/**
 * Keeps the warnings about a row that came past every screen, until a user has seen them. What has a reason already is
 * not kept again; what is no longer found and was never seen is taken away. Ends with the mark removed.
 */
export async function keepUnseen(db: Kysely<DB>, row: CheckedRow) {
  const asking = row.warnings.filter(asksReason)
  const known = await db
    .selectFrom('safety_overrides')
    .select([
      'id',
      'stage',
      'reviewed_at',
      'dispensing_record_id',
      sql<string>`warning ->> 'key'`.as('key'),
    ])
    .where('is_deleted', '=', false)
    .where(({ eb, or }) =>
      or([
        eb(LINKS[row.table], '=', row.id),
        ...(row.prescriptionId ? [eb('prescription_id', '=', row.prescriptionId)] : []),
      ]),
    )
    .execute()
  const fresh = asking.filter(({ key }) => !known.some((one) => one.key === key))
  if (fresh.length > 0) await insertUnseen(db, row, fresh)
  const isOwn = (one: (typeof known)[number]) =>
    row.table === 'dispensing_records'
      ? one.dispensing_record_id === row.id
      : one.dispensing_record_id === null
  const over = known.filter(
    (one) =>
      one.stage === 'arrived' &&
      one.reviewed_at === null &&
      isOwn(one) &&
      !asking.some(({ key }) => key === one.key),
  )
  await remove(
    db,
    over.map(({ id }) => id),
  )
  await clearMark(db, row)
}

async function insertUnseen(db: Kysely<DB>, row: CheckedRow, warnings: readonly Warning[]) {
  // a phone or an import cannot ask a second person
  const isAsked = warnings.some(isGrave) && (await asksSecondPerson(db))
  await db
    .insertInto('safety_overrides')
    .values(
      warnings.map((warning) => ({
        id: newId(),
        patient_id: row.patientId,
        clinic_id: row.clinicId,
        drug_id: catalogued(warning),
        stage: 'arrived',
        kind: warning.kind,
        warning: JSON.stringify(warning),
        ...(row.prescriptionId && { prescription_id: row.prescriptionId }),
        is_unconfirmed: isAsked && isGrave(warning),
        [LINKS[row.table]]: row.id,
      })),
    )
    .execute()
}

/** A medicine that is known by its name alone has no row in the catalogue. */
export const catalogued = ({ drugId }: Warning) => (drugId.startsWith('name:') ? null : drugId)

async function remove(db: Kysely<DB>, ids: readonly string[]) {
  if (ids.length === 0) return
  await db
    .updateTable('safety_overrides')
    .set({ is_deleted: true, deleted_at: new Date(), updated_at: new Date() })
    .where('id', 'in', ids)
    .execute()
}

/**
 * After a save on a screen: everything about the row was shown to the user, who gave the required reasons.
 * Its warnings count as seen, and the row as checked.
 */
export async function settleUnseen({ db, actor }: Pick<Context, 'db' | 'actor'>, row: MedicineRow) {
  await db
    .updateTable('safety_overrides')
    .set({ reviewed_by: actor.userId, reviewed_at: new Date(), updated_at: new Date() })
    .where('stage', '=', 'arrived')
    .where(LINKS[row.table], '=', row.id)
    .where('reviewed_at', 'is', null)
    .where('is_deleted', '=', false)
    .execute()
  await clearMark(db, row)
}
