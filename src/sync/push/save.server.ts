import { sql } from 'kysely'
import { reportDispensed, returnStock } from '~/features/inventory/movements.server'
import { clinicsWhere } from '~/shared/actor'
import type { Incoming, Refusal } from './incoming'
import { type Existing, merge } from './merge'
import type { PushState } from './push-state'
import { type Facts, factsFor, whyNotSave } from './rights.server'
import { type PushedName } from '../schema/tables'
import { idsHere, insertRows, readExisting, updateRows, type Write, writeAll } from './write.server'

type Planned = Write & { incoming: Incoming; before: Existing | null }

/** Applies the rows of one table that may be applied; the rest goes into the conflicts and refusals of the push. */
export async function saveRows(state: PushState, table: PushedName, rows: readonly Incoming[]) {
  const { db, actor } = state.ctx
  const folded =
    table === 'patient_additional_attributes' ? await foldDuplicates(state, rows) : [...rows]
  const ids = folded.map(({ id }) => id)
  // rows that were made on a phone are rarely here already: not worth to read them whole
  const isNew = folded.every(({ state }) => state === 'new')
  const existing = await readExisting(
    db,
    table,
    isNew ? await idsHere(db, table, ids) : ids,
    state.base,
  )
  const named = [
    ...folded.map(withId),
    ...[...existing].map(([id, { values }]) => ({ ...values, id })),
  ]
  const facts = await factsFor(state.ctx, named, table)

  const inserts: Planned[] = []
  const updates: Planned[] = []
  for (const incoming of folded) {
    const { id } = incoming
    const before = existing.get(id) ?? null
    unlinkDeleted(incoming, facts)
    if (!before) {
      const why = whyNotSave(actor, table, withId(incoming), null, facts)
      if (why) state.refused.push(refusalOf(incoming, why))
      else inserts.push({ id, values: incoming.values, incoming, before })
      continue
    }
    const { write, conflicts } = merge(
      incoming,
      before,
      state.base.delivered.row(table, incoming.sentAs ?? id),
    )
    if (Object.keys(write).length === 0 && conflicts.length === 0) continue
    const meant = Object.fromEntries(conflicts.map(({ column, phone }) => [column, phone]))
    const after = { ...before.values, ...meant, ...write, id }
    // of a deleted row nothing is written: what was meant is only kept
    const why = before.isDeleted
      ? null
      : whyNotSave(actor, table, after, { ...before.values, id }, facts)
    if (why) {
      state.refused.push(refusalOf(incoming, why))
      continue
    }
    state.conflicts.push(
      ...conflicts.map((conflict) => ({ ...conflict, incoming, isDeleted: before.isDeleted })),
    )
    if (Object.keys(write).length > 0) updates.push({ id, values: write, incoming, before })
  }
  await apply(state, table, inserts, (some) =>
    insertRows(
      db,
      table,
      some.map(({ incoming }) => incoming),
    ),
  )
  await apply(state, table, updates, (some) => updateRows(db, table, some))
}

async function apply(
  state: PushState,
  table: PushedName,
  planned: readonly Planned[],
  /** Returns the ids of what the phone does not have as it was written, where that is known. */
  write: (rows: readonly Planned[]) => Promise<Set<string> | void>,
) {
  const failures = await writeAll(state.ctx.db, planned, async (some) => {
    const different = await write(some)
    await follow(state, table, some)
    if (different)
      for (const { id, incoming } of some) if (!different.has(id)) state.exact.add(incoming)
  })
  for (const { row, reason, detail } of failures)
    state.refused.push(refusalOf(row.incoming, { reason, detail }))
  const failed = new Set(failures.map(({ row }) => row.id))
  for (const { id, before } of planned)
    if (!before && !failed.has(id)) state.made.push({ table, id })
}

/** What else has to happen when such rows are written. */
async function follow(state: PushState, table: PushedName, written: readonly Planned[]) {
  if (table === 'patients') await linkRegistered(state, written)
  if (table === 'dispensing_records') await postDispensed(state, written)
}

/** A patient registered on a device without a clinic belongs to the clinics of the author. */
async function linkRegistered({ ctx: { db, actor } }: PushState, written: readonly Planned[]) {
  const ids = written
    .filter(({ before, values }) => !before && !values['primary_clinic_id'])
    .map(({ id }) => id)
  const clinics = clinicsWhere(actor, 'can_register_patients')
  if (ids.length === 0 || clinics === 'all') return
  await sql`insert into patient_links (patient_id, clinic_id, source)
    select patient, clinic, 'registered' from unnest(${ids}::uuid[]) patient, unnest(${clinics}::uuid[]) clinic
    on conflict do nothing`.execute(db)
}

/** A dispensing is a fact, and the stock follows it. An edited record is reversed and posted again. */
async function postDispensed({ ctx: { db, actor } }: PushState, written: readonly Planned[]) {
  const moving = ['quantity_dispensed', 'drug_id', 'batch_id', 'clinic_id']
  for (const { id, values, before } of written) {
    if (before && !moving.some((column) => column in values)) continue
    const record = { ...before?.values, ...values }
    const at = new Date(Number(record['dispensed_at'] ?? Date.now()))
    if (before)
      await returnStock(db, {
        referenceId: id,
        now: at,
        reason: 'sync.editedRecord',
        isReported: true,
      })
    await reportDispensed(db, {
      clinicId: String(record['clinic_id']),
      drugId: String(record['drug_id']),
      batchId: (record['batch_id'] as string | null) || null,
      quantity: Number(record['quantity_dispensed']),
      referenceId: id,
      by: (record['dispensed_by'] as string | null) || actor.userId,
      at,
    })
  }
}

/**
 * Two phones answer one question about a patient under two ids: the older row takes the younger's values, which makes
 * another answer a conflict, and the younger is sent back as deleted.
 */
async function foldDuplicates(state: PushState, rows: readonly Incoming[]): Promise<Incoming[]> {
  const pairs = rows.map(({ id, values }) => ({
    id,
    patient: values['patient_id'],
    attribute: values['attribute_id'],
  }))
  const { rows: twins } = await sql<{ id: string; older: string }>`
    select r.id, a.id as older from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as r (id uuid, patient text, attribute text)
      join patient_additional_attributes a on a.patient_id = nullif(r.patient, '')::uuid and a.attribute_id = nullif(r.attribute, '')::uuid
    where not a.is_deleted and a.id <> r.id
      and not exists (select from patient_additional_attributes self where self.id = r.id)`.execute(
    state.ctx.db,
  )
  const older = new Map(twins.map((twin) => [twin.id, twin.older]))
  const firsts = new Map<string, string>()
  return rows.map((row) => {
    const key = `${row.values['patient_id']} ${row.values['attribute_id']}`
    const first = older.get(row.id) ?? firsts.get(key)
    if (!first || first === row.id) {
      firsts.set(key, row.id)
      return row
    }
    state.replaced.push({ table: row.table, id: row.id })
    return {
      ...row,
      id: first,
      sentAs: row.id,
      state: row.state === 'edited' ? row.state : ('copy' as const),
    }
  })
}

/** A deleted visit takes its events and vital signs along, but of other records only the link (decided.md). */
function unlinkDeleted(incoming: Incoming, facts: Facts) {
  const { table, values } = incoming
  if (!['patient_problems', 'prescriptions', 'appointments'].includes(table)) return
  for (const column of ['visit_id', 'current_visit_id', 'fulfilled_visit_id']) {
    const visit = values[column] ? facts.visits.get(String(values[column])) : undefined
    if (!visit?.is_deleted) continue
    values[column] = column === 'current_visit_id' ? '' : null
    incoming.isAltered = true
  }
}

const withId = ({ id, values }: Incoming) => ({ ...values, id })

export const refusalOf = (row: Incoming, why: Pick<Refusal, 'reason' | 'detail'>): Refusal => ({
  table: row.table,
  id: row.id,
  operation: 'save',
  raw: row.raw,
  patientId:
    row.table === 'patients' ? row.id : ((row.values['patient_id'] as string | undefined) ?? null),
  clinicId:
    ((row.values['clinic_id'] ??
      row.values['primary_clinic_id'] ??
      row.values['pickup_clinic_id']) as string) || null,
  ...why,
})
