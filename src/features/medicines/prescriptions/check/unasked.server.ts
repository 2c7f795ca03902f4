import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { loadActiveAllergies, isNoAllergyText } from '~/features/care/allergies/allergies.server'
import { toAllergyState } from '~/features/care/allergies/allergy'
import { EMERGENCY, type Stage } from '~/features/medicines/safety/override'
import { type NotAsked, NOT_ASKED } from '~/features/medicines/safety/rules/warning'
import type { Context, Via } from '~/server/operation'
import { invalid } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'

/** Channels that bring what was recorded somewhere else: nothing of them is refused. */
const FROM_ELSEWHERE: readonly Via[] = ['phone', 'fhir', 'system', 'command']

/**
 * Whether nobody asked this patient about allergies, and nobody said today why not. The answer is asked
 * for before a medicine is prescribed, dispensed or recorded.
 */
export async function asksAboutAllergies(db: Kysely<DB>, patientId: string): Promise<boolean> {
  const active = (await loadActiveAllergies(db, patientId)).filter(
    (allergy) => !isNoAllergyText(allergy),
  )
  if (toAllergyState(active).state !== 'not_asked') return false
  const zone = clinicTimeZone()
  const given = await db
    .selectFrom('safety_overrides')
    .select('id')
    .where('patient_id', '=', patientId)
    .where('kind', '=', NOT_ASKED)
    .where('is_deleted', '=', false)
    .where('overridden_at', '>=', momentAt(`${dayIn(new Date(), zone)}T00:00`, zone)!)
    .limit(1)
    .executeTakeFirst()
  return given === undefined
}

/**
 * Throws `invalid` at `allergies_reason` if the patient was never asked and no reason is given. Returns the
 * reason to keep with the record, null if none was needed.
 */
export async function requireAllergyAnswer(
  { db, request }: Context,
  patientId: string,
  reason: string | null,
): Promise<string | null> {
  if (FROM_ELSEWHERE.includes(request.via)) return null
  if (!(await asksAboutAllergies(db, patientId))) return null
  if (reason === null) throw invalid({ allergies_reason: { key: 'allergies.askFirst' } })
  return reason
}

type Where = {
  patientId: string
  clinicId: string | null
  stage: Stage
  prescriptionId?: string
  eventId?: string
}

/**
 * Keeps why allergies were not asked about; it is in the list of overridden warnings. In an emergency it is in the list
 * of emergencies until the reason is given.
 */
export async function keepAllergyReason(
  { db, actor }: Context,
  { patientId, clinicId, stage, prescriptionId, eventId }: Where,
  reason: string | null,
) {
  if (reason === null) return
  const warning: NotAsked = { key: NOT_ASKED, kind: NOT_ASKED, drugId: '', drug: '' }
  await db
    .insertInto('safety_overrides')
    .values({
      id: newId(),
      patient_id: patientId,
      clinic_id: clinicId,
      prescription_id: prescriptionId ?? null,
      event_id: eventId ?? null,
      stage,
      kind: NOT_ASKED,
      warning: JSON.stringify(warning),
      reason: reason === EMERGENCY ? null : reason,
      reason_code: reason === EMERGENCY ? EMERGENCY : 'other',
      overridden_by: actor.userId,
    })
    .execute()
}
