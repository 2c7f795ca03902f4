import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { rowsWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'

/** Of one patient; more than this indicates a wrong merge. */
const MOST = 500

/** One medicine of a list: what it is, and how it is written. */
type Line = {
  kind: string
  itemId: string | null
  medicineId: string | null
  /** Of what was dispensed without a prescription. */
  drugId: string | null
  name: string
  instructions: string | null
}

/** A visit, or a day outside of a visit. */
export type ReviewSession = { visitId: string | null; day: string }

/** The decisions of a session about a patient's medicines that the actor reads, the newest first. */
export const loadDecisions = async (
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  patientId: string,
  { visitId, day }: ReviewSession,
) =>
  await selectDecisions(db)
    .where('d.patient_id', '=', patientId)
    .where('d.is_deleted', '=', false)
    .where(rowsWhere(actor, 'd'))
    .where(
      visitId
        ? sql<boolean>`d.visit_id = ${visitId}`
        : sql<boolean>`d.visit_id is null and d.decided_on = ${day}`,
    )
    .orderBy('decided_on', 'desc')
    // of two at the same moment, the one that was saved last, whichever began first
    .orderBy('d.server_created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(MOST)
    .execute()
export type StoredDecision = Awaited<ReturnType<typeof loadDecisions>>[number]

const selectDecisions = (db: Kysely<DB>) =>
  db
    .selectFrom('medicine_decisions as d')
    .leftJoin('users', 'users.id', 'd.recorded_by_user_id')
    .select(['d.id', 'd.decision', 'decided_on', 'kind', 'd.name', 'd.dose', 'reason', 'listed'])
    .select(['prescription_item_id', 'patient_medicine_id', 'd.drug_id'])
    .select(['replaced_by_id', 'd.visit_id'])
    .select('d.recorded_by_user_id')
    .select(['users.name as decided_by'])

/** The name where a decision is about nothing else. */
const nameAlone = sql<
  string | null
>`case when coalesce(d.prescription_item_id, d.patient_medicine_id, d.drug_id) is null
  then d.name end`

/**
 * A decision is about the row that it names; without a row, about the medicine of the catalogue that was dispensed,
 * else about what has its name.
 */
export const isDecisionAbout = (line: Line, decision: StoredDecision) =>
  decision.kind === line.kind &&
  decision.prescription_item_id === line.itemId &&
  decision.patient_medicine_id === line.medicineId &&
  decision.drug_id === line.drugId &&
  (line.itemId !== null ||
    line.medicineId !== null ||
    line.drugId !== null ||
    decision.name === line.name)

/**
 * Who confirmed a medicine last, and on which day: null if nobody did, or if it is written otherwise since, because
 * that was not confirmed.
 */
export async function loadConfirmations(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  patientId: string,
) {
  const last = await db
    .selectFrom(
      selectDecisions(db)
        // the last one about each medicine
        .distinctOn(['d.kind', 'prescription_item_id', 'patient_medicine_id', 'd.drug_id'])
        .distinctOn(nameAlone)
        .where('d.patient_id', '=', patientId)
        .where('d.is_deleted', '=', false)
        .where(rowsWhere(actor, 'd'))
        .orderBy('d.kind')
        .orderBy('prescription_item_id')
        .orderBy('patient_medicine_id')
        .orderBy('d.drug_id')
        .orderBy(nameAlone)
        .orderBy('decided_on', 'desc')
        .orderBy('d.server_created_at', 'desc')
        .orderBy('d.id', 'desc')
        .as('last'),
    )
    .modifyFront(asPrepared())
    .selectAll()
    .orderBy('decided_on', 'desc')
    .limit(MOST)
    .execute()
  return (line: Line) => {
    const about = last.find((one) => isDecisionAbout(line, one))
    return about?.decision === 'keep' &&
      about.name === line.name &&
      about.dose === line.instructions
      ? { on: about.decided_on, by: about.decided_by }
      : null
  }
}
