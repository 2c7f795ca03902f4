import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { inTransaction } from '~/server/operation'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { SEEN_FROM } from '~/records/seen'
import { settleEnrollments } from './enrolment-rows.server'
import { settleItems } from './item-rows.server'

/** Marks of one transaction: few enough that a user who waits for it does not notice. */
const BATCH = 500
/** The lock of pg_advisory_xact_lock under which patients are settled, one batch at a time. */
const SETTLING = 7_262_127

/**
 * What settling reads, besides enrolments and follow-up: the `looksUp` of queries that settle. The job tells
 * their screens when something came of it.
 */
export const SETTLED_FROM = [
  ...SEEN_FROM,
  'follow_up_schedules',
  'patient_immunizations',
  'patient_pregnancies',
  'patients',
  'report_bindings',
  'visits',
] as const

const request = {
  id: 'followups.settle',
  via: 'system',
  address: '',
  headers: new Headers(),
} as const

/**
 * Waits until no other transaction settles, and keeps the others waiting until this one ends. A write
 * that changes enrolments or calls takes it first, before any row.
 */
export const lockFollowUps = (db: Kysely<DB>) =>
  sql`select pg_advisory_xact_lock(${SETTLING})`.execute(db)

/**
 * Writes the enrolments and the follow-up of the patients whose records changed since they were
 * settled (`follow_up_stale`), in the server's name. Called before they are listed or counted, and by a
 * job.
 */
export async function settleFollowUps(
  { db }: { db: Kysely<DB> },
  signal?: AbortSignal,
  { patientId, batches = Number.POSITIVE_INFINITY }: Settling = {},
) {
  for (let batch = 0; batch < batches; batch += 1) {
    if (signal?.aborted) return
    const { rows } =
      await sql`${asPrepared()}select from follow_up_stale where ${only(patientId)} limit 1`.execute(
        db,
      )
    if (rows.length === 0) return
    const signed = db.isTransaction ? await signature(db) : undefined
    await inTransaction('followups.settle', { db, actor: null, request }, ({ db: inner }) =>
      settleBatch(inner, patientId),
    )
    if (signed) await sign(db, signed)
  }
}

type Settling = {
  patientId?: string
  /** After an import, a request settles this many batches and leaves the rest to the job. */
  batches?: number
}
/** What a list settles before it is read. */
export const LISTED_BATCHES = 4

const only = (patientId?: string) => (patientId ? sql`patient_id = ${patientId}` : sql`true`)

const SIGNED = ['sanad.action', 'sanad.user_id', 'sanad.via', 'sanad.request_id'] as const

/** How the transaction of a write signs the audit trail. */
async function signature(db: Kysely<DB>): Promise<(string | null)[]> {
  const columns = SIGNED.map((name) => sql`current_setting(${name}, true)`)
  const { rows } = await sql<{
    signed: (string | null)[]
  }>`select array[${sql.join(columns)}] as signed`.execute(db)
  return rows[0]!.signed
}

const sign = (db: Kysely<DB>, signed: readonly (string | null)[]) =>
  sql`select ${sql.join(
    SIGNED.map((name, at) => sql`set_config(${name}, ${signed[at] ?? ''}, true)`),
  )}`.execute(db)

async function settleBatch(db: Kysely<DB>, patientId?: string) {
  await lockFollowUps(db)
  const { rows } = await sql<{ patient_id: string }>`
    with oldest as (
      select patient_id from follow_up_stale where ${only(patientId)} order by id limit ${BATCH})
    delete from follow_up_stale where patient_id in (select patient_id from oldest)
    returning patient_id`.execute(db)
  const ids = [...new Set(rows.map(({ patient_id }) => patient_id))]
  if (ids.length === 0) return
  const zone = clinicTimeZone()
  // what is written here makes nothing stale
  await sql`select set_config('sanad.settling', 'on', true)`.execute(db)
  const now = { zone, today: dayIn(new Date(), zone) }
  await settleEnrollments(db, ids, now)
  await settleItems(db, ids, now)
  await sql`select set_config('sanad.settling', '', true)`.execute(db)
}

/** Marks every patient of a program: days have passed, or a schedule has changed. */
export async function markFollowUps(db: Kysely<DB>) {
  await sql`insert into follow_up_stale (patient_id)
    select distinct patient_id from program_enrollments where not is_deleted`.execute(db)
}
