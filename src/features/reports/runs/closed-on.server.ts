import { sql } from 'kysely'
import * as z from 'zod'
import { inClinic } from '~/policy/on.server'
import { workAt } from '~/policy/rules'
import { query } from '~/server/operation'
import { startOfDay } from '~/shared/zone'

/** A day has few reports: a week, a month, a quarter and a year of each definition. */
const MOST = 50

const ClosedOn = z.object({
  clinicId: z.uuid('validation.id'),
  day: z.iso.date('validation.date'),
})

type ClosedReport = { name: string; first: string; last: string }

/**
 * The closed reports of a clinic that a day belongs to. What is entered for the day now does not change their numbers:
 * it is listed under their late changes (docs/decisions/0035).
 */
export const closedOn = query('reports.closedOn', {
  input: ClosedOn,
  on: inClinic(workAt),
  async run({ db, actor }, { clinicId, day }) {
    const at = startOfDay(day)
    const { rows } = await sql<ClosedReport>`
      select distinct on (run.starts_at, run.ends_at, definition.id)
        coalesce(definition.body -> 'names' ->> ${actor.language}, definition.body -> 'names' ->> 'en',
          definition.code) as name,
        to_char(run.starts_at at time zone run.zone, 'YYYY-MM-DD') as first,
        to_char((run.ends_at at time zone run.zone) - interval '1 second', 'YYYY-MM-DD') as last
      from report_runs run join report_definitions definition on definition.id = run.definition_id
      where run.starts_at <= ${at}::timestamptz and run.ends_at > ${at}::timestamptz
        and ${clinicId}::uuid = any(run.clinic_ids) and not definition.is_deleted
      order by run.starts_at, run.ends_at, definition.id, run.number desc
      limit ${MOST}`.execute(db)
    return rows
  },
})
