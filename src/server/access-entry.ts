import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { LOST_ACCESSES } from '~/shared/lost-accesses'
import type { LoggedQuery } from './question'

export type AccessOutcome = 'shown' | 'refused' | 'not_found' | 'lost'

export type Access = {
  operation: string
  outcome: AccessOutcome
  patientIds: readonly string[]
  clinicId: string | null
}

export type AccessEntry = Access & {
  /** Milliseconds on the process's own clock. */
  at: number
  userId: string | null
  via: string
  appPasswordId: string | null
  hubPhoneId: string | null
  chainId: string | null
  requestId: string
  count: number
}

/** Writes the entries with one statement. */
export const writeEntries = (db: Kysely<DB>, entries: readonly AccessEntry[]) => {
  const now = performance.now()
  const column = <V>(of: (entry: AccessEntry) => V) => entries.map(of)
  return sql`insert into access_log
      (at, user_id, via, app_password_id, hub_phone_id, chain_id, operation, patient_ids, clinic_id, outcome,
        count, request_id)
    select clock_timestamp() - make_interval(secs => e.age), e.user_id, e.via,
      e.app_password_id, e.hub_phone_id, e.chain_id, e.operation, e.patient_ids::uuid[], e.clinic_id, e.outcome,
      e.count, e.request_id
    from unnest(${column(({ at }) => (now - at) / 1000)}::float8[],
      ${column(({ userId }) => userId)}::uuid[], ${column(({ via }) => via)}::text[],
      ${column(({ appPasswordId }) => appPasswordId)}::uuid[],
      ${column(({ hubPhoneId }) => hubPhoneId)}::uuid[],
      ${column(({ chainId }) => chainId)}::uuid[],
      ${column(({ operation }) => operation)}::text[],
      ${column(({ patientIds }) => `{${patientIds.join()}}`)}::text[],
      ${column(({ clinicId }) => clinicId)}::uuid[], ${column(({ outcome }) => outcome)}::text[],
      ${column(({ count }) => count)}::integer[],
      ${column(({ requestId }) => requestId)}::text[])
      as e (age, user_id, via, app_password_id, hub_phone_id, chain_id, operation, patient_ids, clinic_id,
        outcome, count, request_id)`.execute(db)
}

/** Says how many entries could not be kept. */
export const lostEntry = (count: number): AccessEntry => ({
  operation: LOST_ACCESSES,
  outcome: 'lost',
  patientIds: [],
  clinicId: null,
  at: performance.now(),
  userId: null,
  via: 'system',
  appPasswordId: null,
  hubPhoneId: null,
  chainId: null,
  requestId: '',
  count,
})

/** The patients with these ids, and those of the records with these ids. */
export async function findPatientIds(db: Kysely<DB>, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`select patients_named(${ids}::uuid[]) as id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

const changeName = (id: string) => `change ${id}`
/** What a question names, by the names of `patientsByName`. */
export const namesInQuestion = ({ ids, numbers, changes }: LoggedQuery) => [
  ...ids,
  ...numbers,
  ...changes.map(changeName),
]

/** The patients that each id, number or change of these questions names. */
export async function patientsByName(db: Kysely<DB>, asked: readonly LoggedQuery[]) {
  const ids = new Set(asked.flatMap((question) => question.ids))
  const numbers = new Set(asked.flatMap((question) => question.numbers))
  const changes = new Set(asked.flatMap((question) => question.changes))
  const { rows } = await sql<{ name: string; patient_id: string }>`
    ${asPrepared(ids.size + numbers.size + changes.size)}
    select id::text as name, patient_id from records_named(${[...ids]}::uuid[])
    union all select number, patient_id from patients_numbered(${[...numbers]}::text[])
    union all select ${changeName('')} || id, patient_id from audit_log
      where id = any(${[...changes]}::bigint[]) and patient_id is not null`.execute(db)
  const byName = new Map<string, string[]>()
  for (const { name, patient_id } of rows)
    byName.set(name, [...(byName.get(name) ?? []), patient_id])
  return byName
}
