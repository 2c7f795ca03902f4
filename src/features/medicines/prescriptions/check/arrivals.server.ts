import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { DB } from '~/db/types'
import {
  type CheckedRow,
  keepUnseen,
  type MedicineRow,
  type MedicineTable,
} from '~/features/medicines/safety/arrivals.server'
import { bisect } from '~/server/bisect'
import { log } from '~/server/log'
import { inTransaction } from '~/server/operation'
import { clinicTimeZone } from '~/shared/zone'
import { medicineNamesIn } from './form-medicines.server'
import { itemsOf } from '../items.server'
import { checkFor, dosesOf } from './safety-check.server'
import { textMedicinesIn } from './text-lines'

/**
 * Rows of one transaction. A push that changes one of them waits until it ends: few enough that
 * a user does not notice, and enough that commits are no large part of the work.
 */
const BATCH = 20

/**
 * Checks every row with medicines that did not come from a screen: from a phone, a program, an
 * import. Nothing is refused; the warnings are kept until a user has seen them. Returns how many
 * rows were checked.
 */
export async function checkArrived(db: Kysely<DB>, signal?: AbortSignal): Promise<number> {
  const failed = new Set<string>()
  let checked = 0
  for (;;) {
    if (signal?.aborted) return checked
    const began = performance.now()
    // One batch at a time, so that a large import does not fill the memory
    const rows = (await marked(db, failed.size + BATCH)).filter(({ id }) => !failed.has(id))
    if (rows.length === 0) return checked
    const failures = await checkBatch(db, rows)
    checked += rows.length - failures.length
    for (const { item, failure } of failures) {
      failed.add(item.id)
      log.error({ err: failure, ...item }, 'medicines could not be checked')
    }
    // a large import is checked at half speed: the users of a small machine come first
    if (rows.length >= BATCH) await setTimeout(performance.now() - began)
  }
}

const marked = async (db: Kysely<DB>, limit: number): Promise<MedicineRow[]> =>
  (
    await db
      .selectFrom('unchecked_medicines')
      .select(['table_name', 'row_id'])
      .orderBy('marked_at')
      .orderBy('row_id')
      .limit(limit)
      .execute()
  ).map(({ table_name, row_id }) => ({ table: table_name as MedicineTable, id: row_id }))

/** No user requested it: the server runs the check in its own name. */
const request = {
  id: 'safety.arrived',
  via: 'system',
  address: '',
  headers: new Headers(),
} as const

/** Returns the rows that cannot be checked; they keep none of the others waiting. */
const checkBatch = (db: Kysely<DB>, rows: readonly MedicineRow[]) =>
  inTransaction('safety.arrived', { db, actor: null, request }, ({ db: inner }) =>
    bisect(
      inner,
      rows,
      async (some) => {
        // one connection answers one query at a time
        for (const row of some) await checkRow(inner, row)
      },
      reasonOf,
    ),
  )

/** Rethrows what is not about the row: the transaction is then repeated as a whole. */
function reasonOf(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code?.startsWith('40')) throw error
  return error
}

/**
 * Checks one marked row within the caller's transaction. A row that another process checks right
 * now is left to it.
 */
export async function checkRow(db: Kysely<DB>, row: MedicineRow) {
  const { rows } =
    await sql`select from unchecked_medicines where table_name = ${row.table} and row_id = ${row.id}
    for update skip locked`.execute(db)
  if (rows.length === 0) return
  const found = await readers[row.table](db, row.id)
  // a row deleted meanwhile has nothing to warn of
  await keepUnseen(db, { ...row, patientId: '', clinicId: null, warnings: [], ...found })
}

type Found = Omit<CheckedRow, 'table' | 'id'>

/** How each table's rows are checked, with the clinic whose users review the findings. */
const readers: Record<MedicineTable, (db: Kysely<DB>, id: string) => Promise<Found | undefined>> = {
  async prescriptions(db, id) {
    const row = await db
      .selectFrom('prescriptions as p')
      .innerJoin('patients', 'patients.id', 'p.patient_id')
      .select(['p.patient_id', 'p.items'])
      .select(({ fn }) => fn.coalesce('p.pickup_clinic_id', 'primary_clinic_id').as('clinic_id'))
      .where('p.id', '=', id)
      .where('p.is_deleted', '=', false)
      .where('p.status', '<>', 'cancelled')
      .executeTakeFirst()
    if (!row) return undefined
    const items = ((await itemsOf(db, [id])).get(id) ?? []).filter(
      ({ item_status }) => item_status !== 'cancelled',
    )
    const { warnings } = await checkFor(db, {
      patientId: row.patient_id,
      drugIds: items.map(({ drug_id }) => drug_id),
      doses: dosesOf(items),
      named: textMedicinesIn(row.items),
      prescriptionId: id,
    })
    return { patientId: row.patient_id, clinicId: row.clinic_id, warnings }
  },
  async events(db, id) {
    const row = await db
      .selectFrom('events as e')
      .innerJoin('patients', 'patients.id', 'e.patient_id')
      .leftJoin('visits', 'visits.id', 'e.visit_id')
      .leftJoin('event_forms as f', 'f.id', 'e.form_id')
      .select(['e.patient_id', 'e.form_data', 'f.form_fields'])
      .select(({ fn }) => fn.coalesce('visits.clinic_id', 'primary_clinic_id').as('clinic_id'))
      .where('e.id', '=', id)
      .where('e.is_deleted', '=', false)
      .executeTakeFirst()
    if (!row) return undefined
    const named = medicineNamesIn(row.form_data, row.form_fields).map((name) => ({ name }))
    const { warnings } = await checkFor(db, {
      patientId: row.patient_id,
      named,
      isRecord: true,
      eventId: id,
    })
    return { patientId: row.patient_id, clinicId: row.clinic_id, warnings }
  },
  async dispensing_records(db, id) {
    const row = await db
      .selectFrom('dispensing_records as r')
      .leftJoin('prescription_items as i', 'i.id', 'r.prescription_item_id')
      .select(['r.patient_id', 'r.clinic_id', 'r.drug_id', 'i.prescription_id'])
      .where('r.id', '=', id)
      .where('r.is_deleted', '=', false)
      .executeTakeFirst()
    if (!row) return undefined
    const { patient_id: patientId, clinic_id: clinicId, prescription_id: prescriptionId } = row
    const { warnings } = await checkFor(db, {
      patientId,
      drugIds: [row.drug_id],
      dispensingRecordId: id,
      ...(prescriptionId && { prescriptionId }),
    })
    return { patientId, clinicId, prescriptionId, warnings }
  },
  async patient_medicines(db, id) {
    const row = await db
      .selectFrom('patient_medicines as m')
      .innerJoin('patients', 'patients.id', 'm.patient_id')
      .select(['m.patient_id', 'm.name', 'm.ingredients', 'primary_clinic_id'])
      .where('m.id', '=', id)
      .where('m.is_deleted', '=', false)
      .where(
        sql<boolean>`(m.until is null or m.until >= (now() at time zone ${clinicTimeZone()})::date)`,
      )
      .executeTakeFirst()
    if (!row) return undefined
    const { warnings } = await checkFor(db, {
      patientId: row.patient_id,
      named: [row],
      medicineId: id,
    })
    return { patientId: row.patient_id, clinicId: row.primary_clinic_id, warnings }
  },
}
