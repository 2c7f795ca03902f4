import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import { asObject } from '~/shared/object'
import { columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { isSameSubstance, saysNone } from '~/features/medicines/safety/rules/substances'
import { loadPatientEntries } from '~/policy/entries.server'
import { historyRow, historySave, namedPatientWrite, namedPatient } from '~/policy/on.server'
import { deleteHistory, readForSafety } from '~/policy/rules'
import { ALLERGY_STATUSES, allergyRecord, isNoneKnown, type SubstanceKind } from '~/records/allergy'
import { typedBy } from '~/records/record'
import { mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { conflict, invalid } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { RecordNoAllergiesInput, SaveAllergyInput } from './allergy'

/** Active ones first, the most severe of them first. */
export const listAllergies = query('allergies.list', {
  access: 'safety',
  reads: ['patient_allergies'],
  looksUp: ['patients', 'users'],
  on: namedPatient(readForSafety),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const rows = await loadPatientEntries(ctx, allergyRecord, patientId, {
      order: sql`array_position(${[...ALLERGY_STATUSES]}::text[], status),
        array_position(array['severe', 'moderate', 'mild'], severity) nulls last`,
    })
    return rows.map(({ is_open, ...row }) => ({
      ...typedBy(allergyRecord, row),
      // of another clinic's entry the substance and the severity are never hidden; the rest is
      ...(is_open ? {} : { reaction: null, notes: null }),
    }))
  },
})
export type Allergy = Awaited<ReturnType<typeof listAllergies>>[number]

/** Records an allergy, or corrects one; a trigger ends a statement that there are none. */
export const saveAllergy = mutation('allergies.save', {
  on: historySave('patient_allergies'),
  input: SaveAllergyInput,
  async run(ctx, { category, verification, ...allergy }, { existing }) {
    if (allergy.status === 'active' && saysNone(allergy.substance))
      throw invalid({ substance: { key: 'allergies.saysNone' } })
    if (allergy.status === 'active') await refuseDuplicateAllergy(ctx.db, allergy)
    const author = !existing && { recorded_by_user_id: ctx.actor.userId }
    const kept = asObject(existing?.metadata)
    // said of one substance, it is not said of another
    const isOther =
      existing !== undefined &&
      existing.substance !== allergy.substance &&
      kept['verification'] !== undefined
    const said = verification === undefined && isOther ? null : verification
    const metadata = (category !== undefined || said !== undefined) && {
      metadata: JSON.stringify({
        ...kept,
        ...(category !== undefined && { category: category ?? undefined }),
        ...(said !== undefined && { verification: said ?? undefined }),
      }),
    }
    return saveRecord(ctx, 'patient_allergies', { ...allergy, ...author, ...metadata })
  },
})

/**
 * The patient was asked and has no allergy. Refused while there is an active one, except for texts that say the same
 * ("NKDA"), which this answer replaces.
 */
export const recordNoAllergies = mutation('allergies.recordNone', {
  on: namedPatientWrite(),
  input: RecordNoAllergiesInput,
  async run(ctx, { id, patientId }) {
    const active = await loadActiveAllergies(ctx.db, patientId)
    const words = active.filter((one) => !isNoneKnown(one))
    if (!words.every(({ substance }) => saysNone(substance))) throw conflict('allergies.someKnown')
    const repeated = active.find(isNoneKnown)
    if (words.length > 0) await markRefuted(ctx.db, words)
    if (repeated) return { id: repeated.id }
    await saveRecord(ctx, 'patient_allergies', {
      id,
      patient_id: patientId,
      substance: 'No known allergies',
      substance_kind: 'none_known' satisfies SubstanceKind,
      substance_code: null,
      status: 'active',
      recorded_by_user_id: ctx.actor.userId,
    })
    return { id }
  },
})

/** For an entry that was never true of this patient; one that ended or was ruled out gets another status. */
export const deleteAllergy = mutation('allergies.delete', {
  on: historyRow('patient_allergies', deleteHistory),
  input: RecordId,
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(ctx, 'patient_allergies', id, `${patientName(patient)}, ${existing.substance}`),
})

const selectActiveAllergies = (db: Kysely<DB>) =>
  db
    .selectFrom('patient_allergies')
    .leftJoin('users', 'users.id', 'recorded_by_user_id')
    .select(['patient_allergies.id', 'patient_allergies.created_at', 'users.name as recorded_by'])
    .select(['substance', 'substance_kind', 'substance_code', 'reaction', 'severity'])
    .where('patient_allergies.is_deleted', '=', false)
    .where('status', '=', 'active')
    .orderBy('patient_allergies.id')

/** The active ones. The caller has checked access to the patient. */
export const loadActiveAllergies = (db: Kysely<DB>, patientId: string) =>
  selectActiveAllergies(db).where('patient_id', '=', patientId).execute()

/** The active ones of each of these patients, in the same order. */
export async function loadActiveAllergiesByPatient(db: Kysely<DB>, patientIds: readonly string[]) {
  const rows = await selectActiveAllergies(db)
    .select('patient_id')
    .where(columnInIds('patient_id', patientIds))
    .execute()
  return Map.groupBy(rows, ({ patient_id }) => patient_id)
}

/** A text such as "NKDA" that a phone or an import brought: it is no allergy, and nobody recorded an answer. */
export const isNoAllergyText = (allergy: { substance: string; substance_kind: string }) =>
  !isNoneKnown(allergy) && saysNone(allergy.substance)

/** The same allergy is recorded once. Locks the patient, so that two saves at the same moment see each other. */
async function refuseDuplicateAllergy(
  db: Kysely<DB>,
  allergy: Omit<z.output<typeof SaveAllergyInput>, 'category' | 'verification'>,
) {
  const { id, patient_id } = allergy
  await db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', patient_id)
    .forNoKeyUpdate()
    .execute()
  const first = (await loadActiveAllergies(db, patient_id)).find(
    (other) => other.id !== id && !isNoneKnown(other) && isSameSubstance(other, allergy),
  )
  if (first)
    throw invalid({
      substance: { key: 'allergies.alreadyRecorded', values: { name: first.substance } },
    })
}

const markRefuted = (db: Kysely<DB>, entries: readonly { id: string }[]) =>
  db
    .updateTable('patient_allergies')
    .set({ status: 'refuted', updated_at: new Date() })
    .where(
      'id',
      'in',
      entries.map(({ id }) => id),
    )
    .execute()
