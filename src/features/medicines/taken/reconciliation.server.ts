import { sql } from 'kysely'
import * as z from 'zod'
import { patientName } from '~/features/people/patients/patient'
import { checkRows } from '~/features/medicines/prescriptions/check/arrivals.server'
import {
  prescribedPatient,
  requirePrescriber,
  writePrescription,
} from '~/features/medicines/prescriptions/prescriptions.server'
import { prescribable } from '~/features/medicines/prescriptions/rights.server'
import { stopItem } from '~/features/medicines/prescriptions/stop-item.server'
import { permitsSomewhere } from '~/policy/facts'
import { historyRow, historySave, namedPatient } from '~/policy/on.server'
import { requireHistoryWrite } from '~/policy/require.server'
import { deleteHistory, editHistory, readHistory, undoOwn } from '~/policy/rules'
import { historyWhere, patientsWhere, rowsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { conflict, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { cleanLine } from '~/shared/typed-text'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import {
  loadConfirmations,
  loadDecisions,
  isDecisionAbout,
  type ReviewSession,
  type StoredDecision,
} from './confirmations.server'
import { type TakenMedicine, loadTakenMedicines } from './current.server'
import {
  ChangeMedicine,
  DecideMedicine,
  type Decision,
  type Listed,
  OfReconciliation,
} from './reconciliation'

/**
 * The medicines that the patient takes, each with the decision of this visit, and how many were asked about. A
 * medicine without a decision was not asked about; nothing is said of it.
 */
export const listReconciliation = query('reconciliations.list', {
  access: 'safety',
  reads: [
    'dispensing_records',
    'events',
    'medicine_decisions',
    'patient_medicines',
    'prescription_items',
    'prescriptions',
  ],
  looksUp: ['app_config', 'drug_catalogue', 'event_forms', 'patients', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: OfReconciliation,
  async run(ctx, { patientId, visitId }) {
    const session = await loadReviewSession(ctx, patientId, visitId ?? null)
    const { lines, state, decided, decisionOf } = await asked(ctx, patientId, session)
    const confirmed = await loadConfirmations(ctx, patientId)
    const may = await rightsToEnd(ctx, patientId, lines)
    const mayDelete = permitsSomewhere(deleteHistory, ctx.actor)
    const toShownDecision = (decision: StoredDecision) => ({
      ...decisionContent(decision),
      mayUndo:
        isUndone(decision) && (mayDelete || decision.recorded_by_user_id === ctx.actor.userId),
    })
    return {
      day: session.day,
      state,
      today: clinicToday(),
      /** Those that are taken now, in the order of the current medicines. */
      rows: lines.map((line) => {
        const { itemId: _item, medicineId: _medicine, drugId: _drug, ...shown } = line
        const decision = decisionOf(line)
        return {
          ...shown,
          confirmed: confirmed(line),
          decision: decision && toShownDecision(decision),
          mayStop: may.stop(line),
          mayChange: may.change(line),
        }
      }),
      /** The decision about each medicine, also about those that are taken no more. */
      decided: decided.map(toShownDecision),
      asked: decided.length,
      of: decided.length + toAsk(lines, decided).length,
      /** How many medicines the list had at the last decision; null: there is none. */
      listed: decided[0]?.listed ?? null,
    }
  },
})
export type Reconciliation = Awaited<ReturnType<typeof listReconciliation>>
export type ReconciledMedicine = Reconciliation['rows'][number]

const decisionContent = ({
  id,
  decision,
  decided_on,
  decided_by,
  name,
  dose,
  reason,
}: StoredDecision) => ({
  id,
  decision,
  decided_on,
  decided_by,
  name,
  dose,
  reason,
})

/** The day of a visit counts, whenever it is typed. */
async function loadReviewSession(
  { db, actor }: Context,
  patientId: string,
  visitId: string | null,
): Promise<ReviewSession> {
  const today = clinicToday()
  if (!visitId) return { visitId, day: today }
  const visit = await db
    .selectFrom('visits')
    .select('check_in_timestamp')
    .where('id', '=', visitId)
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(historyWhere(actor, 'visits'))
    .executeTakeFirst()
  if (!visit) throw notFound('visits.notFound')
  return { visitId, day: dayIn(visit.check_in_timestamp, clinicTimeZone()) }
}

/** What is taken and was begun by that day, and the last decision of the session about each medicine. */
async function asked(ctx: Context, patientId: string, session: ReviewSession) {
  const all = await loadDecisions(ctx, patientId, session)
  const { rows, state } = await loadTakenMedicines(ctx, patientId)
  const lines = rows.filter(({ since }) => since === null || since <= session.day)
  const decided = all.filter(
    (one, at) =>
      !all.slice(0, at).some((later) => isSame(later, one)) &&
      !lines.some((line) => isDecisionAbout(line, one) && isOpenAgain(line, one)),
  )
  const findDecision = (line: TakenMedicine) =>
    decided.find((one) => isDecisionAbout(line, one)) ?? null
  return { lines, state, decided, decisionOf: findDecision }
}

/** The medicines without a decision. What was written in place of another one is not asked about too. */
const toAsk = (lines: readonly TakenMedicine[], decided: readonly StoredDecision[]) =>
  lines.filter(
    (line) =>
      !decided.some(
        (one) =>
          isDecisionAbout(line, one) ||
          (one.replaced_by_id !== null && one.replaced_by_id === line.prescriptionId),
      ),
  )

/** A stop or change was taken back: the item counts again, or the medicine from elsewhere has no such last day. */
const isOpenAgain = ({ itemId, until }: TakenMedicine, { decision, decided_on }: StoredDecision) =>
  decision !== 'keep' && (itemId !== null || until === null || until > decided_on)

const isSame = (one: StoredDecision, other: StoredDecision) =>
  isDecisionAbout(
    {
      kind: one.kind,
      itemId: one.prescription_item_id,
      medicineId: one.patient_medicine_id,
      drugId: one.drug_id,
      name: one.name,
      instructions: null,
    },
    other,
  )

/** Its row stays as it is: a confirmation, or the stop of a medicine without a row. */
const isUndone = ({
  decision,
  prescription_item_id,
  patient_medicine_id,
}: Pick<StoredDecision, 'decision' | 'prescription_item_id' | 'patient_medicine_id'>) =>
  decision === 'keep' ||
  (decision === 'stop' && prescription_item_id === null && patient_medicine_id === null)

/**
 * What the actor may stop or change: items of prescriptions that the actor writes, and medicines that the actor edits.
 * A medicine without a row is stopped by the decision alone, and not changed; one that was prescribed or dispensed by a
 * user who may prescribe for the patient.
 */
async function rightsToEnd(
  { db, actor }: Context,
  patientId: string,
  lines: readonly TakenMedicine[],
) {
  const { rows } = await sql<{ id: string | null; is_prescriber: boolean }>`
    with may as (select
      exists (select from patients where id = ${patientId} and ${prescribable(actor)}) as prescribe,
      exists (select from patients where id = ${patientId} and ${patientsWhere(editHistory, actor)}) as edit)
    select i.id, null::boolean as is_prescriber from prescription_items i
      join prescriptions p on p.id = i.prescription_id join may on may.prescribe
    where i.id = any(${lines.map(({ itemId }) => itemId)}::uuid[]) and ${rowsWhere(actor, 'p')}
    union all
    select m.id, null from patient_medicines m join may on may.edit
    where m.id = any(${lines.map(({ medicineId }) => medicineId)}::uuid[]) and ${rowsWhere(actor, 'm')}
    union all
    select null, may.prescribe from may where may.edit`.execute(db)
  const ids = new Set(rows.map(({ id }) => id))
  const decides = rows.find(({ id }) => id === null)
  const change = ({ itemId, medicineId }: TakenMedicine) =>
    [itemId, medicineId].some((id) => id !== null && ids.has(id))
  const stop = (line: TakenMedicine) =>
    hasRow(line)
      ? change(line)
      : decides !== undefined && (line.kind === 'form' || decides.is_prescriber)
  return { change, stop }
}

const hasRow = ({ itemId, medicineId }: TakenMedicine) => itemId !== null || medicineId !== null

/**
 * Keeps a medicine, which confirms it as it is listed, or stops it with a reason: an item of a prescription is
 * cancelled, a medicine from elsewhere ends on the day of the visit.
 */
export const decideMedicine = mutation('reconciliations.decide', {
  on: historySave('medicine_decisions', editHistory, { repeated: true }),
  input: DecideMedicine,
  async run(ctx, { decision, reason, ...input }, { existing }) {
    if (existing) return { id: existing.id }
    return decide(ctx, { ...input, decision, reason: decision === 'stop' ? reason : null })
  },
})

/** Only a medicine with a row can be replaced, and its line has the id of the row. */
const replacedId = z.uuid()

/** Writes a prescription that takes the place of a medicine: that one is stopped once the new one is saved. */
export const changeMedicine = mutation('reconciliations.change', {
  on: prescribedPatient,
  input: ChangeMedicine,
  async run(ctx, { replaces, ...input }, rows) {
    // as any decision about a current medicine
    await requireHistoryWrite(ctx, editHistory, input.patient_id, input.visit_id)
    const saved = await writePrescription(
      ctx,
      input,
      rows,
      replacedId.safeParse(replaces.line).data,
    )
    if (!saved.ok) return saved
    const before = await ctx.db
      .selectFrom('medicine_decisions')
      .select('id')
      .where('id', '=', replaces.id)
      .where('replaced_by_id', '=', input.id)
      .executeTakeFirst()
    if (before) return saved
    await decide(ctx, {
      ...replaces,
      patient_id: input.patient_id,
      visit_id: input.visit_id,
      decision: 'change',
      replaced_by_id: input.id,
    })
    return saved
  },
})

/**
 * For a decision that was recorded by mistake: users undo their own, and users who may delete records those of others.
 * A row that was stopped or changed stays ended, with its reason; a medicine without a row counts as taken again.
 */
export const deleteDecision = mutation('reconciliations.delete', {
  on: historyRow('medicine_decisions', undoOwn),
  input: RecordId,
  async run(ctx, { id }, { existing, patient }) {
    if (existing.recorded_by_user_id !== ctx.actor.userId)
      await requireHistoryWrite(ctx, deleteHistory, existing.patient_id, existing.visit_id)
    if (!isUndone(existing)) throw conflict('reconciliations.onlyKept')
    return deleteRecord(ctx, 'medicine_decisions', id, `${patientName(patient)}, ${existing.name}`)
  },
})

type Deciding = Listed & {
  id: string
  patient_id: string
  visit_id: string | null
  decision: Decision
  reason?: string | null
  replaced_by_id?: string
  /** The later last day that the user has seen, of a medicine that ends earlier by the decision. */
  until?: string | null
}

async function decide(
  ctx: Context,
  { line: lineId, name, dose, until, ...decision }: Deciding,
): Promise<{ id: string }> {
  const { id, patient_id: patientId, visit_id, reason, replaced_by_id } = decision
  const session = await loadReviewSession(ctx, patientId, visit_id)
  // two decisions at the same moment see each other
  await ctx.db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', patientId)
    .forNoKeyUpdate()
    .execute()
  const { lines, decided, decisionOf } = await asked(ctx, patientId, session)
  const line = lines.find((one) => one.id === lineId)
  if (!line || !isWritten(line.name, name) || !isWritten(line.instructions, dose))
    throw conflict('reconciliations.changed')
  if ((decisionOf(line)?.decision ?? 'keep') !== 'keep') throw conflict('reconciliations.changed')
  const { itemId, medicineId, drugId } = line
  if (decision.decision !== 'keep') {
    if (itemId) {
      await stopItem(ctx, { itemId, patientId, reason: reason ?? null, day: session.day })
    } else if (medicineId) {
      // one that is replaced ends with the new prescription, which the user has seen
      await endMedicine(ctx, medicineId, session.day, {
        seen: until,
        isReplaced: decision.decision === 'change',
      })
    }
    // only a medicine with a row is changed
    else if (decision.decision === 'change') throw conflict('reconciliations.cannotEnd')
    else if (line.kind !== 'form') await requirePrescriber(ctx, patientId)
  }
  await saveRecord(ctx, 'medicine_decisions', {
    id,
    patient_id: patientId,
    visit_id,
    decision: decision.decision,
    decided_on: session.day,
    kind: line.kind,
    prescription_item_id: itemId,
    patient_medicine_id: medicineId,
    drug_id: drugId,
    name: line.name,
    dose: line.instructions,
    reason: reason ?? null,
    replaced_by_id: replaced_by_id ?? null,
    // the new prescription is saved already
    listed:
      decided.length +
      toAsk(lines, decided).filter(
        ({ prescriptionId }) => !replaced_by_id || prescriptionId !== replaced_by_id,
      ).length,
    recorded_by_user_id: ctx.actor.userId,
  })
  return { id }
}

/** Both as a text that was typed: one that a phone wrote is kept with its spaces. */
const isWritten = (stored: string | null, shown: string | null) =>
  cleanLine(stored ?? '') === cleanLine(shown ?? '')

/** As saving the medicine with its last day does. A later last day is moved back only by a user who was asked. */
async function endMedicine(
  ctx: Context,
  id: string,
  day: string,
  { seen, isReplaced }: { seen: string | null | undefined; isReplaced: boolean },
) {
  const { existing } = await historyRow('patient_medicines', editHistory).rows(ctx, { id })
  const { last_modified, until } = existing
  if (!isReplaced && until !== null && until > day && until !== seen)
    throw conflict('reconciliations.endsLater', { until, day })
  await saveRecord(ctx, 'patient_medicines', { id, last_modified, until: day })
  await checkRows(ctx.db, [{ table: 'patient_medicines', id }])
}
