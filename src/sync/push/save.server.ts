import { sql } from 'kysely'
import { fileOfPhoto } from '~/features/people/patients/photos/photo'
import { type Actor, clinicsWhere } from '~/shared/actor'
import type { PushedName } from '../schema/tables'
import { supersedeConflicts } from './conflicts.server'
import { noteAppointment } from './day.server'
import { planInsert, planUpdate } from './decide'
import { answersInTurn, keepFolded, mergeDuplicateAnswers } from './duplicate-answers.server'
import { readExisting } from './existing.server'
import { type Incoming, toRowRefusal } from './incoming'
import type { Existing } from './merge'
import { keepArrivals, writeMergedEdits } from './merged-patients.server'
import type { PushState } from './push-state'
import { type RightsFacts, factsFor } from './rights.server'
import { postDispensed } from './stock.server'
import { insertRows, type PlannedWrite, updateRows, writeAll } from './write.server'

/**
 * Saves the rows of one table: reads the stored rows and the facts that the access rules need,
 * plans what to write, and writes all inserts in one statement and all updates in another.
 * Conflicts and refused rows are added to the state. `newIds`: rows that are known not to be stored;
 * they are not read.
 */
export async function saveRows(
  state: PushState,
  table: PushedName,
  rows: readonly Incoming[],
  newIds: ReadonlySet<string> = new Set(),
) {
  if (table !== 'patient_additional_attributes') return saveInTurn(state, table, rows, newIds)
  const answers = await mergeDuplicateAnswers(state, rows)
  const [first = [], ...later] = answersInTurn(answers)
  await saveInTurn(state, table, first, newIds)
  for (const some of later) await saveInTurn(state, table, some)
  await keepFolded(state, answers)
}

/** Saves rows that are all compared with what is stored now. */
async function saveInTurn(
  state: PushState,
  table: PushedName,
  incoming: readonly Incoming[],
  newIds: ReadonlySet<string> = new Set(),
) {
  const { db } = state.ctx
  const ids = incoming.map(({ id }) => id).filter((id) => !newIds.has(id))
  const existing = await readExisting(db, table, ids, state.base)
  const facts = await loadFacts(state, table, incoming, existing)
  const { inserts, updates } = planWrites(state, table, incoming, existing, facts)
  await write(state, table, inserts, (some) =>
    insertRows(
      db,
      table,
      some.map((planned) => planned.incoming),
      state.senderId,
    ),
  )
  const update = (some: readonly PlannedWrite[]) => updateRows(db, table, some, state.senderId)
  await write(state, table, updates, async (some) => {
    const ofMerged = table === 'patients' ? some.filter(({ incoming: row }) => row.sentFor) : []
    const others = some.filter((each) => !ofMerged.includes(each))
    if (others.length > 0) await update(others)
    await writeMergedEdits(state, ofMerged, (edit) => update([edit]))
  })
}

/** About the records that the rows refer to, and about those that the stored rows refer to now. */
function loadFacts(
  state: PushState,
  table: PushedName,
  incoming: readonly Incoming[],
  existing: ReadonlyMap<string, Existing>,
) {
  const stored = [...existing].map(([id, { values }]) => ({ ...values, id }))
  return factsFor(state.ctx, [...incoming.map(valuesWithId), ...stored], table)
}

function planWrites(
  state: PushState,
  table: PushedName,
  rows: readonly Incoming[],
  existing: ReadonlyMap<string, Existing>,
  facts: RightsFacts,
) {
  const inserts: PlannedWrite[] = []
  const updates: PlannedWrite[] = []
  for (const incoming of rows) {
    const before = existing.get(incoming.id)
    if (!before?.isDeleted) unlinkDeletedVisits(incoming, facts)
    if (table === 'patients') {
      keepPhoto(incoming, before)
      keepHiddenClinic(incoming, before, state.ctx.actor)
    }
    if (table === 'prescription_items') deriveStatus(incoming, before)
    const planned = before
      ? planUpdate(state, table, incoming, before, facts)
      : planInsert(state, table, incoming, facts)
    if (planned) (before ? updates : inserts).push(planned)
  }
  return { inserts, updates }
}

/** `statement` returns the ids of rows that the device has differently, where that is known. */
async function write(
  state: PushState,
  table: PushedName,
  planned: readonly PlannedWrite[],
  statement: (rows: readonly PlannedWrite[]) => Promise<Set<string> | void>,
) {
  const failures = await writeAll(state, planned, async (some) => {
    const different = await statement(some)
    if (table === 'patients') await linkRegistered(state, some)
    await keepArrivals(state, table, some)
    if (table === 'dispensing_records') await postDispensed(state, some)
    if (different)
      for (const { id, incoming } of some) if (!different.has(id)) state.verbatim.add(incoming)
  })
  for (const { row, ...reason } of failures) {
    row.incoming.unwritten = Object.keys(row.values)
    state.refused.push(toRowRefusal(row.incoming, 'save', reason))
  }
  const failed = new Set(failures.map(({ row }) => row.id))
  await supersedeConflicts(
    state,
    table,
    planned.filter(({ id, before }) => before !== null && !failed.has(id)),
  )
  for (const { id, before } of planned) {
    if (failed.has(id)) continue
    if (!before) state.inserted.push({ table, id })
    if (table === 'appointments') noteAppointment(state, id, before)
  }
}

/**
 * A patient registered on a device without a clinic is linked to the clinics where the author
 * registers patients.
 */
async function linkRegistered({ ctx: { db, actor } }: PushState, written: readonly PlannedWrite[]) {
  const ids = written
    .filter(({ before, values }) => !before && !values['primary_clinic_id'])
    .map(({ id }) => id)
  const clinics = clinicsWhere(actor, 'can_register_patients')
  if (ids.length === 0 || clinics === 'all') return
  await sql`insert into patient_links (patient_id, clinic_id, source)
    select patient, clinic, 'registered'
    from unnest(${ids}::uuid[]) patient, unnest(${clinics}::uuid[]) clinic
    on conflict do nothing`.execute(db)
}

/**
 * Deleting a visit deletes its events and vital signs; other records stay and lose the link to it.
 */
export function unlinkDeletedVisits(incoming: Incoming, facts: RightsFacts) {
  const { table, values } = incoming
  if (!['patient_problems', 'prescriptions', 'appointments'].includes(table)) return
  for (const column of ['visit_id', 'current_visit_id', 'fulfilled_visit_id']) {
    const visit = values[column] ? facts.visits.get(String(values[column])) : undefined
    if (!visit?.is_deleted) continue
    values[column] = column === 'current_visit_id' ? '' : null
    incoming.isAltered = true
  }
}

/**
 * A phone can clear the photo that was saved on a screen, and never name its file: that of another
 * patient would be shown, and deleted with the next photo.
 */
function keepPhoto(incoming: Incoming, before: Existing | undefined) {
  const sent = incoming.values['photo_url'] as string | null | undefined
  const stored = (before?.values['photo_url'] ?? null) as string | null
  if (!sent || sent === stored || !(fileOfPhoto(sent) || fileOfPhoto(stored))) return
  incoming.values['photo_url'] = stored
  incoming.isAltered = true
}

/** Where its form does not ask for the primary clinic, the app writes the clinic of its user in each edit. */
function keepHiddenClinic(incoming: Incoming, before: Existing | undefined, { clinicId }: Actor) {
  const stored = before?.values['primary_clinic_id']
  const sent = incoming.values['primary_clinic_id']
  const isHidden = before?.emptiedByApp.has('primary_clinic_id')
  if (!isHidden || !stored || !sent || sent !== clinicId || sent === stored) return
  if (incoming.typed?.includes('primary_clinic_id')) return
  incoming.values['primary_clinic_id'] = stored
  incoming.isAltered = true
}

/** An item is completed by its dispensing records. */
function deriveStatus(incoming: Incoming, before: Existing | undefined) {
  const stored = before?.values['item_status']
  if (incoming.values['item_status'] !== 'completed' || stored === 'completed') return
  incoming.values['item_status'] = stored ?? 'active'
  incoming.isAltered = true
}

const valuesWithId = ({ id, values }: Incoming) => ({ ...values, id })
