import type { UpdateObject } from 'kysely'
import { forEachName } from '~/shared/object'
import type { DB } from '~/db/types'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { isBeforeBirth } from '~/features/people/patients/patient'
import { same } from '~/forms/answers'
import { type Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { AppError, invalid } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { type FormVital, impossibleIn } from './form-vitals'
import { computeBmi, CONFIRMABLE, ENTERED, toMetric } from './vital'
import {
  type AsEntered,
  mergeConfirmed,
  findVitalDoubts,
  type VitalMetadata,
  type Whose,
} from './vitals.server'

type Answered = {
  eventId: string
  patient: Whose & { died_on: string | null }
  visitId: string | null
  /** When the visit began, else when the form was recorded: the time of measurement if it is not today. */
  happenedAt: Date
  vitals: readonly FormVital[]
  /** Those of the answers that are being changed. */
  before: readonly FormVital[]
}

/** `confirmed`: the ids of the questions whose values a user was asked about and called right. */
type Plausibility = { check_plausible: boolean; confirmed: readonly string[] }

/**
 * Checks the vital signs of a form that is about to be saved, as their own screen does. Errors go by the id of the
 * question. Null if the save changes none of them: answers of a phone stay as they were stored, without a row.
 */
export async function checkFormVitals(
  ctx: Context,
  { eventId, patient, happenedAt, vitals, before }: Answered,
  { check_plausible, confirmed: confirmedIds }: Plausibility,
) {
  if (same(vitals, before)) return null
  const isChanged = (vital: FormVital) => !before.some((one) => same(one, vital))
  const impossible = impossibleIn(vitals)
  const changed = vitals.filter(isChanged)
  const wrong = changed.filter(({ fieldId }) => impossible[fieldId])
  if (wrong.length > 0)
    throw invalid(Object.fromEntries(wrong.map(({ fieldId }) => [fieldId, impossible[fieldId]!])))
  const existing = await findStoredVital(ctx, eventId)
  const timestamp = existing?.timestamp ?? measuredAt(happenedAt)
  const day = dayIn(timestamp, clinicTimeZone())
  if (isBeforeBirth(patient, day)) throw new AppError('invalid', { key: 'vitals.beforeBirth' })
  if (!existing) requireLivingOn(patient, day, 'patient_id')
  const { values, entered } = toStoredVital(vitals)
  const confirmed = mergeConfirmed(
    values,
    CONFIRMABLE.filter((measure) =>
      vitals.some((one) => one.measure === measure && confirmedIds.includes(one.fieldId)),
    ),
    existing?.metadata,
  )
  if (check_plausible) {
    const measured = { ...values, position: null, timestamp, id: existing?.id ?? eventId }
    const doubts = await findVitalDoubts(ctx.db, measured, patient, confirmed)
    const asked = changed.filter(({ measure }) => doubts[measure])
    if (asked.length > 0)
      throw invalid(
        Object.fromEntries(asked.map(({ fieldId, measure }) => [fieldId, doubts[measure]!])),
      )
  }
  return { existing, timestamp, values, entered, confirmed }
}
type CheckedVitals = NonNullable<Awaited<ReturnType<typeof checkFormVitals>>>

/** Writes the vital signs of a form that was saved: one row for each form, deleted while the form has none. */
export async function writeFormVitals(
  { db, actor }: Context,
  { eventId, patient, visitId }: Pick<Answered, 'eventId' | 'patient' | 'visitId'>,
  { existing, timestamp, values, entered, confirmed }: CheckedVitals,
) {
  if (ENTERED.every((measure) => values[measure] === null)) {
    // the last values stay in the deleted row
    if (existing) await update(db, existing.id, { is_deleted: true })
    return
  }
  const {
    entered: _entered,
    confirmed: _confirmed,
    ...kept
  } = (existing?.metadata ?? {}) as VitalMetadata
  const written = {
    ...values,
    bmi: computeBmi(values.weight_kg, values.height_cm),
    metadata: JSON.stringify({
      ...kept,
      ...(Object.keys(entered).length > 0 && { entered }),
      ...(Object.keys(confirmed).length > 0 && { confirmed }),
    }),
    is_deleted: false,
  }
  if (existing) await update(db, existing.id, written)
  else
    await db
      .insertInto('patient_vitals')
      .values({
        id: newId(),
        patient_id: patient.id,
        visit_id: visitId,
        event_id: eventId,
        form_event_id: eventId,
        timestamp,
        recorded_by_user_id: actor.userId,
        ...written,
      })
      .execute()
}

const update = (db: Context['db'], id: string, values: UpdateObject<DB, 'patient_vitals'>) =>
  db
    .updateTable('patient_vitals')
    .set({ ...values, updated_at: new Date() })
    .where('id', '=', id)
    .execute()

const findStoredVital = ({ db }: Context, eventId: string) =>
  db
    .selectFrom('patient_vitals')
    .select(['id', 'timestamp', 'metadata'])
    .where('form_event_id', '=', eventId)
    .executeTakeFirst()

/** A form of an earlier day says what was measured then. */
function measuredAt(happenedAt: Date): Date {
  const now = new Date()
  const zone = clinicTimeZone()
  return dayIn(happenedAt, zone) === dayIn(now, zone) ? now : happenedAt
}

function toStoredVital(vitals: readonly FormVital[]) {
  const values = forEachName(ENTERED, (): number | null => null)
  const entered: AsEntered = {}
  for (const { measure, value, unit } of vitals) {
    values[measure] = unit ? toMetric(value, unit) : value
    if (unit && values[measure] !== value) entered[measure] = { unit, value }
  }
  return { values, entered }
}
