import { type Kysely, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
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
  }>`${asPrepared()} select exists (select from unchecked_medicines) as "isWaiting"`.execute(db)
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
export async function loadUnseenWarnings(
  db: Kysely<DB>,
  { table, id }: MedicineRow,
): Promise<Warning[]> {
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

/** A warning that is kept about a row, or about its prescription. */
type Known = Record<(typeof LINKS)[MedicineTable], string | null> & {
  id: string
  stage: string
  reviewed_at: Date | null
  key: string
}

/**
 * Keeps the warnings about rows that came past every screen, until a user has seen them. What has a reason already is
 * not kept again; what is no longer found and was never seen is taken away. Ends with the marks removed. The rows count
 * in their order: of a prescription and its dispensing records, the first keeps a warning of both.
 */
export async function keepUnseen(db: Kysely<DB>, rows: readonly CheckedRow[]) {
  if (rows.length === 0) return
  const known = await knownAbout(db, rows)
  // a phone or an import cannot ask a second person
  const isUnconfirmed = await asksSecondPerson(db)
  const fresh: ReturnType<typeof unseen>[] = []
  const over: string[] = []
  for (const row of rows) {
    const asking = row.warnings.filter(asksReason)
    const about = known.of(row)
    for (const warning of asking) {
      if (about.some(({ key }) => key === warning.key)) continue
      const one = unseen(row, warning, isUnconfirmed && isGrave(warning))
      fresh.push(one)
      known.add({ ...one, reviewed_at: null, key: warning.key })
    }
    const isOwn = (one: Known) =>
      row.table === 'dispensing_records'
        ? one.dispensing_record_id === row.id
        : one.dispensing_record_id === null
    const keys = new Set(asking.map(({ key }) => key))
    const ended = about.filter(
      (one) =>
        one.stage === 'arrived' && one.reviewed_at === null && isOwn(one) && !keys.has(one.key),
    )
    known.remove(ended)
    for (const { id } of ended) over.push(id)
  }
  if (fresh.length > 0) await db.insertInto('safety_overrides').values(fresh).execute()
  await remove(db, over)
  await clearMarks(db, rows)
}

/** The warnings that are kept about these rows and their prescriptions, found by row. */
async function knownAbout(db: Kysely<DB>, rows: readonly CheckedRow[]) {
  const ids = (table: MedicineTable) => [
    ...new Set(
      rows.flatMap((row) => [
        ...(row.table === table ? [row.id] : []),
        ...(table === 'prescriptions' && row.prescriptionId ? [row.prescriptionId] : []),
      ]),
    ),
  ]
  const found = await db
    .selectFrom('safety_overrides')
    .select(['id', 'stage', 'reviewed_at', ...Object.values(LINKS)])
    .select(sql<string>`warning ->> 'key'`.as('key'))
    .where('is_deleted', '=', false)
    .where(({ or }) => or(MEDICINE_TABLES.map((table) => columnInIds(LINKS[table], ids(table)))))
    .orderBy('id')
    .execute()
  const byRow = new Map<string, Set<Known>>()
  const about = (one: Known) =>
    MEDICINE_TABLES.map((table) => one[LINKS[table]]).filter((id) => id !== null)
  const add = (one: Known) => {
    for (const id of about(one)) byRow.set(id, (byRow.get(id) ?? new Set()).add(one))
  }
  for (const one of found) add(one)
  return {
    of: ({ id, prescriptionId }: CheckedRow): Known[] => [
      ...new Set([...(byRow.get(id) ?? []), ...(byRow.get(prescriptionId ?? '') ?? [])]),
    ],
    add,
    remove: (ended: readonly Known[]) => {
      for (const one of ended) for (const id of about(one)) byRow.get(id)?.delete(one)
    },
  }
}

/** A warning as it is kept until a user has seen it. */
function unseen(row: CheckedRow, warning: Warning, isUnconfirmed: boolean) {
  const linkTo = (table: MedicineTable) => (row.table === table ? row.id : null)
  return {
    id: newId(),
    patient_id: row.patientId,
    clinic_id: row.clinicId,
    drug_id: catalogued(warning),
    stage: 'arrived',
    kind: warning.kind,
    warning: JSON.stringify(warning),
    is_unconfirmed: isUnconfirmed,
    prescription_id: linkTo('prescriptions') ?? row.prescriptionId ?? null,
    event_id: linkTo('events'),
    dispensing_record_id: linkTo('dispensing_records'),
    patient_medicine_id: linkTo('patient_medicines'),
  }
}

/** A medicine that is known by its name alone has no row in the catalogue. */
export const catalogued = ({ drugId }: Warning) => (drugId.startsWith('name:') ? null : drugId)

const clearMarks = (db: Kysely<DB>, rows: readonly MedicineRow[]) =>
  sql`delete from unchecked_medicines where (table_name, row_id) in (select * from unnest(
    ${rows.map(({ table }) => table)}::text[], ${rows.map(({ id }) => id)}::uuid[]))`.execute(db)

async function remove(db: Kysely<DB>, ids: readonly string[]) {
  if (ids.length === 0) return
  await db
    .updateTable('safety_overrides')
    .set({ is_deleted: true, deleted_at: new Date(), updated_at: new Date() })
    .where(columnInIds('id', ids))
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
