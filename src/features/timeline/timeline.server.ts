import { eventsOf } from '~/features/events/events.server'
import { asPrescription, described } from '~/features/prescriptions/listing.server'
import { problemsOf } from '~/features/problems/problems.server'
import { visitsOf } from '~/features/visits/visits.server'
import { vitalsOf } from '~/features/vitals/vitals.server'
import { requirePatient } from '~/policy/require.server'
import { readHistory } from '~/policy/rules'
import { type Context, query } from '~/server/operation'
import { paged } from '~/server/paged'
import { mayAnywhere } from '~/shared/actor'
import { ListTimeline } from './timeline'

/** Everything that happened to a patient, newest first: one query for the page of the view, one for each kind on it. */
export const listTimeline = query('timeline.list', {
  input: ListTimeline,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId, page }) {
    const patient = await requirePatient(ctx, patientId, readHistory)
    const of = ctx.db.selectFrom('patient_timeline').where('patient_id', '=', patientId)
    const { rows: entries, pagination } = await paged(
      of.select(['kind', 'id', 'at']).orderBy('at', 'desc').orderBy('id', 'desc'),
      of,
      page,
    )
    const ids = (kind: string) =>
      entries.flatMap((entry) => (entry.kind === kind && entry.id ? [entry.id] : []))
    const visits = new Map(
      (await visitsOf(ctx.db, ids('visits'))).map((visit) => [visit.id, visit]),
    )
    const vitals = new Map(
      (await vitalsOf(ctx.db, ids('patient_vitals'), patient)).map((vital) => [vital.id, vital]),
    )
    const problems = new Map(
      (await problemsOf(ctx.db, ids('patient_problems'))).map((problem) => [problem.id, problem]),
    )
    const events = new Map(
      (await eventsOf(ctx.db, ids('events'), ctx.actor.language)).map((event) => [event.id, event]),
    )
    const prescriptions = new Map(
      (await prescriptionsOf(ctx, ids('prescriptions'))).map((prescription) => [
        prescription.id,
        prescription,
      ]),
    )
    const rows = entries.map(({ id, at, kind }) => ({
      id: id!,
      at: at!,
      kind: kind as 'visits' | 'patient_vitals' | 'patient_problems' | 'events' | 'prescriptions',
      visit: visits.get(id!),
      vital: vitals.get(id!),
      problem: problems.get(id!),
      event: events.get(id!),
      prescription: prescriptions.get(id!),
    }))
    return { rows, pagination }
  },
})

const prescriptionsOf = async ({ db }: Context, ids: string[]) =>
  ids.length === 0
    ? []
    : (await described(db).where('prescriptions.id', 'in', ids).execute()).map((row) =>
        asPrescription(row),
      )

export type Entry = Awaited<ReturnType<typeof listTimeline>>['rows'][number]
