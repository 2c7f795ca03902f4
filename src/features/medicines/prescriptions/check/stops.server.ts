import { type Kysely, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { addDays, clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'

/** Of these patients together; more than this indicates a wrong merge. */
const MOST_OF_EACH = 500

/** A medicine without a row of its own, and when it was given or written. */
type Begun = ({ kind: 'prescribed'; drugId: string } | { kind: 'form' | 'text'; name: string }) & {
  /** On whose day it counts. */
  at: Date
  /** When it was typed or changed last: what is typed after a stop was not stopped by it. */
  typedAt: Date
}

/**
 * When a medicine was stopped that has no row of its own to end (dispensed without a prescription, in a form, or as
 * text of a phone): null while it is taken. Decisions of all clinics count, as the medicines do.
 */
export async function stopsOfEach(db: Kysely<DB>, patientIds: readonly string[]) {
  const ids = [...new Set(patientIds)]
  const rows = await db
    .selectFrom('medicine_decisions')
    .modifyFront(asPrepared(ids.length))
    .select(['patient_id', 'kind', 'drug_id', 'name', 'decided_on', 'server_created_at'])
    .where(columnInIds('patient_id', ids))
    .where('decision', '=', 'stop')
    .where('prescription_item_id', 'is', null)
    .where('patient_medicine_id', 'is', null)
    .where('is_deleted', '=', false)
    .orderBy('server_created_at', 'desc')
    .limit(MOST_OF_EACH * Math.max(ids.length, 1))
    .execute()
  const now = Date.now()
  const stops = Map.groupBy(rows, ({ patient_id, kind, drug_id, name }) =>
    stopKey(patient_id, kind, drug_id ?? name),
  )
  return (patientId: string, begun: Begun): Date | null => {
    const { kind, at, typedAt } = begun
    const medicine = begun.kind === 'prescribed' ? begun.drugId : begun.name
    const day = dayIn(at, clinicTimeZone())
    const stop = stops
      .get(stopKey(patientId, kind, medicine))
      ?.find((one) => day <= one.decided_on && typedAt <= one.server_created_at)
    if (!stop) return null
    // a stop of today counts at once
    const dayAfter = startOfDay(addDays(stop.decided_on, 1))
    return dayAfter.getTime() < now ? dayAfter : new Date(now - 1000)
  }
}
export type StopOf = Awaited<ReturnType<typeof stopsOfEach>>

/** What was dispensed is a medicine of the catalogue; others of its name have another strength, form or route. */
const stopKey = (patientId: string, kind: string, medicine: string) =>
  JSON.stringify([patientId, kind, medicine])

/**
 * SQL for the stop of a medicine from elsewhere, whose alias is `medicine`: a review stopped or replaced it, and its
 * last day is still that of the decision. It is not taken from that moment on, though its last day is not over.
 */
export const stopOfElsewhere = (medicine: string) => sql`from medicine_decisions s
  where s.patient_id = ${sql.ref(`${medicine}.patient_id`)} and s.patient_medicine_id = ${sql.ref(`${medicine}.id`)}
    and s.decision in ('stop', 'change') and s.decided_on = ${sql.ref(`${medicine}.until`)} and not s.is_deleted`

/** SQL: a medicine from elsewhere is taken, until its last day is over or a review stops it. */
export const isTakenElsewhere = (medicine: string) => sql<boolean>`(
  coalesce(${sql.ref(`${medicine}.until`)} >= (select clinic_day(now())), true)
  and not exists (select ${stopOfElsewhere(medicine)}))`
