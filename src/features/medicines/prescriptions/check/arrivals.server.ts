import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import {
  type CheckedRow,
  keepUnseen,
  type MedicineRow,
  type MedicineTable,
} from '~/features/medicines/safety/arrivals.server'
import { warningsIn } from '~/features/medicines/safety/warnings'
import { isServing } from '~/server/admission.server'
import { bisect } from '~/server/bisect'
import { log } from '~/server/log'
import { inTransaction } from '~/server/operation'
import { formLabels, medicineNames } from './form-medicines.server'
import { loadPrescriptionItems } from '../items.server'
import { countChecked, endOfChecks } from './progress.server'
import { type Checked, structuredDoses, preparedChecks } from './safety-check.server'
import { isTakenElsewhere } from './stops.server'
import { textMedicinesIn } from './text-lines'

/**
 * Rows of one turn, which is one transaction. A push that changes one of them waits until it ends: few enough that
 * a user does not notice, and enough that the statements and the commit are no large part of the work.
 */
const TURN = 300
/** Milliseconds of rules in a row, after which requests of this process have their turn. */
const RULES_AT_ONCE = 10
/** Milliseconds between two looks whether users are served. */
const LOOK = 5
/** Milliseconds until rows that another process checks are looked at again. */
const PAUSE = 500

/**
 * Checks every row with medicines that did not come from a screen: from a phone, a program, an
 * import. Nothing is refused; the warnings are kept until a user has seen them. What is current comes first, of that
 * the newest. Returns how many rows were checked.
 */
export async function checkArrived(db: Kysely<DB>, signal?: AbortSignal): Promise<number> {
  const failed = new Set<string>()
  let checked = 0
  // a phone's few rows are checked before a user could read how far it is
  let isLong = false
  for (;;) {
    if (signal?.aborted) return checked
    const began = performance.now()
    // one turn at a time, so that a large import does not fill the memory
    const rows = (await marked(db, failed.size + TURN)).filter(({ id }) => !failed.has(id))
    if (rows.length === 0) break
    isLong ||= rows.length >= TURN
    const { failures, count } = await checkTurn(db, rows, isLong)
    checked += count
    for (const { item, failure } of failures) {
      failed.add(item.id)
      log.error({ err: failure, ...item }, 'medicines could not be checked')
    }
    await letUsersGoFirst(performance.now() - began, signal)
    if (count + failures.length === 0) await setTimeout(PAUSE)
  }
  await endOfChecks(db)
  return checked
}

const marked = async (db: Kysely<DB>, limit: number): Promise<MedicineRow[]> =>
  (
    await db
      .selectFrom('unchecked_medicines')
      .select(['table_name', 'row_id'])
      .orderBy('is_current', 'desc')
      .orderBy('happened_at', 'desc')
      // a prescription before what was dispensed of it: it keeps the warnings of both
      .orderBy('table_name', 'desc')
      .orderBy('row_id')
      .limit(limit)
      .execute()
  ).map(({ table_name, row_id }) => ({ table: table_name as MedicineTable, id: row_id }))

/**
 * Waits while requests of users are served, for as long as the turn took at most: users of a small machine come first,
 * and the check still gets half of the time in a clinic that is never idle.
 */
async function letUsersGoFirst(most: number, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + most
  const isOver = () => signal?.aborted === true || performance.now() >= until
  await setImmediate()
  while (isServing() && !isOver()) await setTimeout(LOOK)
}

/** No user requested it: the server runs the check in its own name. */
const request = {
  id: 'safety.arrived',
  via: 'system',
  address: '',
  headers: new Headers(),
} as const

/** Returns how many rows were checked, and those that cannot be; they keep none of the others waiting. */
const checkTurn = (db: Kysely<DB>, rows: readonly MedicineRow[], isCounted: boolean) =>
  inTransaction('safety.arrived', { db, actor: null, request }, async ({ db: inner }) => {
    let count = 0
    const checkSome = async (some: readonly MedicineRow[]) => {
      count += await checkRows(inner, some)
    }
    const failures = await bisect(inner, rows, checkSome, requireRowError)
    if (isCounted) await countChecked(inner, count)
    return { failures, count }
  })

/** Rethrows what is not about the row: the transaction is then repeated as a whole. */
function requireRowError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code?.startsWith('40')) throw error
  return error
}

/**
 * Checks marked rows within the caller's transaction, with a fixed number of statements for any number of them. A row
 * that another process checks right now is left to it. Returns how many were checked.
 */
export async function checkRows(db: Kysely<DB>, rows: readonly MedicineRow[]): Promise<number> {
  const free = await lockUncheckedRows(db, rows)
  const read = await readRows(db, free)
  const prepared = await preparedChecks(
    db,
    read.map(({ check }) => check),
  )
  const checked = new Map<string, CheckedRow>()
  let began = performance.now()
  for (const [n, { row }] of read.entries()) {
    checked.set(row.id, { ...row, warnings: warningsIn(prepared[n]!.input) })
    if (performance.now() - began < RULES_AT_ONCE) continue
    await setImmediate()
    began = performance.now()
  }
  // a row deleted meanwhile has nothing to warn of
  const nothing = { patientId: '', clinicId: null, warnings: [] }
  await keepUnseen(
    db,
    free.map((row) => checked.get(row.id) ?? { ...row, ...nothing }),
  )
  return free.length
}

/** Those of the rows that are still marked and no other process checks, in the given order. */
async function lockUncheckedRows(
  db: Kysely<DB>,
  rows: readonly MedicineRow[],
): Promise<MedicineRow[]> {
  const { rows: locked } = await sql<{ table_name: string; row_id: string }>`
    select m.table_name, m.row_id from unchecked_medicines m
    where (m.table_name, m.row_id) in (select * from unnest(
      ${rows.map(({ table }) => table)}::text[], ${rows.map(({ id }) => id)}::uuid[]))
    for update of m skip locked`.execute(db)
  const free = new Set(locked.map(({ table_name, row_id }) => `${table_name} ${row_id}`))
  return rows.filter(({ table, id }) => free.has(`${table} ${id}`))
}

type ReadRow = { row: Omit<CheckedRow, 'warnings'>; check: Checked }

/** What to check of each row that is not deleted, with the clinic whose users review the findings. */
async function readRows(db: Kysely<DB>, rows: readonly MedicineRow[]): Promise<ReadRow[]> {
  const read: ReadRow[][] = []
  for (const [table, some] of Map.groupBy(rows, (row) => row.table))
    read.push(
      await readers[table](
        db,
        some.map(({ id }) => id),
      ),
    )
  return read.flat()
}

/** How the rows of each table are read for their check. */
const readers: Record<
  MedicineTable,
  (db: Kysely<DB>, ids: readonly string[]) => Promise<ReadRow[]>
> = {
  async prescriptions(db, ids) {
    const rows = await db
      .selectFrom('prescriptions as p')
      .innerJoin('patients', 'patients.id', 'p.patient_id')
      .select(['p.id', 'p.patient_id', 'p.items'])
      .select(({ fn }) => fn.coalesce('p.pickup_clinic_id', 'primary_clinic_id').as('clinic_id'))
      .where(columnInIds('p.id', ids))
      .where('p.is_deleted', '=', false)
      .where('p.status', '<>', 'cancelled')
      .execute()
    const listed = await loadPrescriptionItems(
      db,
      rows.map(({ id }) => id),
    )
    return rows.map(({ id, patient_id: patientId, clinic_id: clinicId, items: texts }) => {
      const items = (listed.get(id) ?? []).filter(({ item_status }) => item_status !== 'cancelled')
      return {
        row: { table: 'prescriptions', id, patientId, clinicId },
        check: {
          patientId,
          drugIds: items.map(({ drug_id }) => drug_id),
          doses: structuredDoses(items),
          named: textMedicinesIn(texts),
          prescriptionId: id,
        },
      }
    })
  },
  async events(db, ids) {
    const rows = await db
      .selectFrom('events as e')
      .innerJoin('patients', 'patients.id', 'e.patient_id')
      .leftJoin('visits', 'visits.id', 'e.visit_id')
      .select(['e.id', 'e.patient_id', 'e.form_data', 'e.form_id'])
      .select(({ fn }) => fn.coalesce('visits.clinic_id', 'primary_clinic_id').as('clinic_id'))
      .where(columnInIds('e.id', ids))
      .where('e.is_deleted', '=', false)
      .execute()
    const labels = await formLabels(
      db,
      rows.map(({ form_id }) => form_id),
    )
    return rows.map(({ id, patient_id: patientId, clinic_id: clinicId, form_data, form_id }) => ({
      row: { table: 'events', id, patientId, clinicId },
      check: {
        patientId,
        named: medicineNames(form_data, labels(form_id)).map((name) => ({ name })),
        isRecord: true,
        eventId: id,
      },
    }))
  },
  async dispensing_records(db, ids) {
    const rows = await db
      .selectFrom('dispensing_records as r')
      .leftJoin('prescription_items as i', 'i.id', 'r.prescription_item_id')
      .select(['r.id', 'r.patient_id', 'r.clinic_id', 'r.drug_id', 'i.prescription_id'])
      .where(columnInIds('r.id', ids))
      .where('r.is_deleted', '=', false)
      .execute()
    return rows.map(({ id, patient_id: patientId, clinic_id: clinicId, ...row }) => ({
      row: {
        table: 'dispensing_records',
        id,
        patientId,
        clinicId,
        prescriptionId: row.prescription_id,
      },
      check: {
        patientId,
        drugIds: [row.drug_id],
        dispensingRecordId: id,
        ...(row.prescription_id && { prescriptionId: row.prescription_id }),
      },
    }))
  },
  async patient_medicines(db, ids) {
    const rows = await db
      .selectFrom('patient_medicines as m')
      .innerJoin('patients', 'patients.id', 'm.patient_id')
      .select(['m.id', 'm.patient_id', 'm.name', 'm.ingredients', 'primary_clinic_id'])
      .where(columnInIds('m.id', ids))
      .where('m.is_deleted', '=', false)
      .where(isTakenElsewhere('m'))
      .execute()
    return rows.map(({ id, patient_id: patientId, primary_clinic_id: clinicId, ...row }) => ({
      row: { table: 'patient_medicines', id, patientId, clinicId },
      check: { patientId, named: [row], medicineId: id },
    }))
  },
}
