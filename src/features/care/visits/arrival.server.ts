import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { deleteRecord } from '~/server/record'
import { conflict } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'

type Arrival = { patient_id: string; clinic_id: string; provider_id: string | null }

/**
 * The visit of a patient who has just been checked in: today's open one in this clinic, or a new
 * one. Users who check patients in need no right to write in their records. Returns its
 * id.
 */
export async function visitOfArrival(
  { db }: Context,
  { patient_id, clinic_id, provider_id }: Arrival,
) {
  const zone = clinicTimeZone()
  const patient = await db
    .selectFrom('patients')
    .select('died_on')
    .where('id', '=', patient_id)
    .executeTakeFirst()
  if (patient?.died_on && dayIn(new Date(), zone) > patient.died_on)
    throw conflict('patients.hasDied')
  const open = await db
    .selectFrom('visits')
    .select('id')
    .where('patient_id', '=', patient_id)
    .where('clinic_id', '=', clinic_id)
    .where('is_deleted', '=', false)
    .where('closed_at', 'is', null)
    .where('check_in_timestamp', '>=', momentAt(`${dayIn(new Date(), zone)}T00:00`, zone)!)
    .orderBy('check_in_timestamp', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (open) return open.id
  const { id } = await db
    .insertInto('visits')
    .values(({ selectFrom }) => ({
      id: newId(),
      patient_id,
      clinic_id,
      provider_id,
      provider_name: selectFrom('users').select('name').where('id', '=', provider_id),
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The caller is the provider of the visit from now on; with `onlyIfNone`, only if it has none. */
export const setProvider = (
  { db, actor }: Context,
  visitId: string,
  { onlyIfNone }: { onlyIfNone: boolean },
) =>
  db
    .updateTable('visits')
    .set({ provider_id: actor.userId, provider_name: actor.name, updated_at: new Date() })
    .where('id', '=', visitId)
    .where('is_deleted', '=', false)
    .where('provider_id', 'is distinct from', actor.userId)
    .$if(onlyIfNone, (q) =>
      q.where('provider_id', 'is', null).where(sql<boolean>`coalesce(provider_name, '') = ''`),
    )
    .execute()

/** The person has left, or has not after all. */
export const setLeft = (db: Kysely<DB>, visitId: string, at: Date | null) =>
  db
    .updateTable('visits')
    .set({ closed_at: at, updated_at: new Date() })
    .where('id', '=', visitId)
    .where('is_deleted', '=', false)
    .where('closed_at', at ? 'is' : 'is not', null)
    .execute()

/** A check-in was a mistake: its visit goes to the trash, unless something has been recorded in it. */
export async function takeBackArrival(ctx: Context, visitId: string, label: string) {
  const { rows } = await sql<{
    is_empty: boolean
  }>`select visit_is_empty(id) as is_empty from visits
    where id = ${visitId} and not is_deleted`.execute(ctx.db)
  if (rows[0]?.is_empty) await deleteRecord(ctx, 'visits', visitId, label, 'visits.notFound')
}
