import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { medicineNamesIn } from '~/features/medicines/prescriptions/check/form-medicines.server'
import { idOfName } from '~/features/medicines/prescriptions/check/medicine-names.server'
import { checkFor } from '~/features/medicines/prescriptions/check/safety-check.server'
import {
  keepAllergyReason,
  requireAllergyAnswer,
} from '~/features/medicines/prescriptions/check/unasked.server'
import {
  isMarked,
  settleUnseen,
  loadUnseenWarnings,
} from '~/features/medicines/safety/arrivals.server'
import type { Override } from '~/features/medicines/safety/override'
import {
  keepOverrides,
  loadEventOverrides,
  stillOpen,
  unanswered,
} from '~/features/medicines/safety/overrides.server'
import type { Warning } from '~/features/medicines/safety/rules/warning'
import type { EventFormField } from '~/forms/definition'
import { somewhere } from '~/policy/facts'
import { namedPatient } from '~/policy/on.server'
import { editHistory, readHistory } from '~/policy/rules'
import { type Context, query } from '~/server/operation'
import { invalid } from '~/shared/errors'
import { CheckMedicines } from './event'

/** What speaks against the medicines of a form, while it is being filled in. Saving checks again. */
export const checkMedicines = query('events.checkMedicines', {
  access: 'events',
  on: namedPatient(readHistory),
  allow: somewhere(editHistory),
  input: CheckMedicines,
  async run(ctx, { patientId, eventId, names }) {
    const earlier = await loadEventOverrides(ctx.db, eventId, patientId, ctx.actor)
    return { ...(await checkNames(ctx.db, patientId, eventId, names)), earlier }
  },
})

const checkNames = (db: Kysely<DB>, patientId: string, eventId: string, names: readonly string[]) =>
  checkFor(db, { patientId, eventId, named: names.map((name) => ({ name })), isRecord: true })

type Given = { overrides: readonly Override[]; allergies_reason: string | null }
/** The warnings that were overridden, and why nobody asked about allergies. */
type Checked = { fresh: readonly Warning[]; unasked: string | null }

type Filled = {
  id: string
  patient_id: string
  visit_id: string | null
  fields: readonly EventFormField[]
  form_data: unknown
  /** The answers that are being changed. */
  stored: unknown
}

/**
 * The warnings about the medicines of a form that is about to be saved, and the reasons given for
 * them. Throws `invalid` at the question of the first medicine whose warning has no reason. Null if
 * the save changes no medicine.
 */
export async function requireReasons(
  ctx: Context,
  { id, patient_id, visit_id, fields, form_data, stored }: Filled,
  { overrides, allergies_reason }: Given,
): Promise<Checked | null> {
  const names = medicineNamesIn(form_data, fields)
  if (JSON.stringify(medicineAnswers(form_data)) === JSON.stringify(medicineAnswers(stored)))
    return null
  const { db, actor } = ctx
  const unasked =
    names.length > 0 ? await requireAllergyAnswer(ctx, patient_id, allergies_reason) : null
  const { warnings } = await checkNames(db, patient_id, id, names)
  const fresh = stillOpen(
    warnings,
    await loadEventOverrides(db, id, patient_id, actor),
    'recording',
  )
  const place = { patientId: patient_id, clinicId: await clinicOfVisit(db, visit_id) }
  const open = await unanswered(ctx, place, fresh, overrides)
  if (open.length > 0)
    throw invalid(
      Object.fromEntries(
        open.map((warning) => [
          findMedicineQuestion(warning, fields, form_data),
          { key: 'safety.needReasons' as const },
        ]),
      ),
    )
  return { fresh, unasked }
}

/** What the mark of the database compares (`medicine_of`): a dose that changed is checked again, too. */
const medicineAnswers = (formData: unknown): unknown[] =>
  (Array.isArray(formData) ? (formData as { fieldType?: unknown }[]) : []).filter(
    ({ fieldType }) => fieldType === 'medicine',
  )

/** The question whose answer names the medicine of a warning. */
function findMedicineQuestion(
  { drugId }: Warning,
  fields: readonly EventFormField[],
  formData: unknown,
): string {
  const asked = fields.filter(({ fieldType }) => fieldType === 'medicine')
  const answers = Array.isArray(formData) ? (formData as { fieldId: string }[]) : []
  const found = asked.find((field) =>
    medicineNamesIn(
      answers.filter(({ fieldId }) => fieldId === field.id),
      fields,
    ).some((name) => idOfName(name) === drugId),
  )
  return (found ?? asked[0])?.id ?? 'answers'
}

/** Keeps the reasons with the saved form; the user who saved it has seen its warnings. */
export async function keepReasons(
  ctx: Context,
  { id, patient_id, visit_id }: { id: string; patient_id: string; visit_id: string | null },
  { fresh, unasked }: Checked,
  overrides: readonly Override[],
) {
  const clinicId = await clinicOfVisit(ctx.db, visit_id)
  const where = { patientId: patient_id, clinicId, eventId: id, stage: 'recording' as const }
  await keepOverrides(ctx, where, fresh, overrides)
  await keepAllergyReason(ctx, where, unasked)
  await settleUnseen(ctx, { table: 'events', id })
}

/**
 * What the safety check says now about the medicines of a saved form, and which warnings are still
 * unseen; null without medicines.
 */
export async function checkEventMedicines(
  db: Kysely<DB>,
  { id, patient_id, fields, form_data }: Pick<Filled, 'id' | 'patient_id' | 'fields' | 'form_data'>,
) {
  const names = medicineNamesIn(form_data, fields)
  if (names.length === 0) return null
  const { warnings } = await checkNames(db, patient_id, id, names)
  const row = { table: 'events', id } as const
  return {
    warnings,
    unseen: await loadUnseenWarnings(db, row),
    isUnchecked: await isMarked(db, row),
  }
}

async function clinicOfVisit(db: Kysely<DB>, visitId: string | null): Promise<string | null> {
  const visit = await db
    .selectFrom('visits')
    .select('clinic_id')
    .where('id', '=', visitId)
    .executeTakeFirst()
  return visit?.clinic_id ?? null
}
