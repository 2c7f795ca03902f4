import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { rowsWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import type { Decision } from './reconciliation'

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

/** The decisions about a patient's medicines that the actor reads, the newest first. */
export const decisionsOf = async (
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  patientId: string,
) =>
  (
    await selectDecisions(db)
      .where('d.patient_id', '=', patientId)
      .where('d.is_deleted', '=', false)
      .where(rowsWhere(actor, 'd'))
      .orderBy('decided_on', 'desc')
      // of two at the same moment, the one that was saved last, whichever began first
      .orderBy('d.server_created_at', 'desc')
      .orderBy('d.id', 'desc')
      .limit(MOST)
      .execute()
  ).map(({ decision, ...row }) => ({ ...row, decision: decision as Decision }))
export type StoredDecision = Awaited<ReturnType<typeof decisionsOf>>[number]

const selectDecisions = (db: Kysely<DB>) =>
  db
    .selectFrom('medicine_decisions as d')
    .leftJoin('users', 'users.id', 'd.recorded_by_user_id')
    .select(['d.id', 'd.decision', 'decided_on', 'kind', 'd.name', 'd.dose', 'reason', 'listed'])
    .select(['prescription_item_id', 'patient_medicine_id', 'd.drug_id'])
    .select(['replaced_by_id', 'd.visit_id'])
    .select('d.recorded_by_user_id')
    .select(['users.name as decided_by'])

/**
 * A decision is about the row that it names; without a row, about the medicine of the catalogue that was dispensed,
 * else about what has its name.
 */
export const isAbout = (line: Line, decision: StoredDecision) =>
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
export const confirmationsOf = async (ctx: Pick<Context, 'db' | 'actor'>, patientId: string) =>
  confirmationIn(await decisionsOf(ctx, patientId))

/** The same among decisions that were read already, the newest first. */
export const confirmationIn = (decisions: readonly StoredDecision[]) => (line: Line) => {
  const last = decisions.find((one) => isAbout(line, one))
  return last?.decision === 'keep' && last.name === line.name && last.dose === line.instructions
    ? { on: last.decided_on, by: last.decided_by }
    : null
}
