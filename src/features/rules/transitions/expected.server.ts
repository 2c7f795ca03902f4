import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { ask, type EarlierDayQuestion } from '~/shared/earlier-day'
import type { MessageKey } from '~/shared/language'
import { startOfDay, clinicToday } from '~/shared/zone'

/** Hours that a patient may wait past midnight. */
const EVENING_MS = 12 * 3_600_000

type Place = { clinicId: string; departmentId?: string }
type Asking = {
  confirmed: readonly EarlierDayQuestion[] | undefined
  field: string
  key: MessageKey
  name: string
}

/**
 * Asks before a clinic or a department is taken out of use while patients are there (with a number of today, in a
 * department also of the last hours), have a visit that is open, or are booked from today on. They keep all of it. A
 * program is not asked.
 */
export async function askAboutExpected(
  db: Kysely<DB>,
  place: Place,
  { confirmed, field, key, name }: Asking,
) {
  if (!confirmed || confirmed.includes('still_expected')) return
  const { here, to_come, open } = await expectedAt(db, place)
  if (here + to_come + open > 0)
    throw ask('still_expected', field, { key, values: { name, here, toCome: to_come, open } })
}

async function expectedAt(db: Kysely<DB>, { clinicId, departmentId }: Place) {
  const day = clinicToday()
  // after midnight nothing else counts who waits in a department since the evening; in a clinic, their open visits do.
  // Whom the queue forgot yesterday is not there any more.
  const evening = new Date(Date.now() - EVENING_MS)
  const isHere = sql`status = 'checked_in' and exists (
    select from queue_tokens where queue_tokens.appointment_id = a.id
      and (queue_tokens.day = ${day} or ${departmentId !== undefined} and queue_tokens.checked_in_at > ${evening}))`
  const isThere = departmentId
    ? sql`exists (select from appointment_departments step where step.appointment_id = a.id
        and step.department_id = ${departmentId}
        and step.status in ('pending', 'checked_in', 'in_progress'))`
    : sql`true`
  const { rows } = await sql<{ here: number; to_come: number; open: number }>`
    select count(*) filter (where ${isHere})::int as here,
      count(*) filter (where status <> 'checked_in')::int as to_come,
      ${
        departmentId
          ? sql`0`
          : sql`(select count(*)::int from visits
              where clinic_id = ${clinicId} and not is_deleted and closed_at is null)`
      } as open
    from appointments a
    where clinic_id = ${clinicId} and not is_deleted and ${isThere}
      and (status = 'checked_in'
        or (status in ('pending', 'confirmed') and timestamp >= ${startOfDay(day)}))`.execute(db)
  return rows[0]!
}
