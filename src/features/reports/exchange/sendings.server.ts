import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import { askFor } from '~/server/jobs.server'
import { mutation, type On, query } from '~/server/operation'
import { conflict, forbidden, invalid, notFound } from '~/shared/errors'
import { withKeptMedicines } from '~/features/reports/runs/medicines.server'
import { mayCount } from '~/features/reports/runs/rights'
import { dayIn } from '~/shared/zone'
import { cellsOfRun, type ClosedRunValues, exportableRun, readClosedRun } from './closed-run.server'
import type { SentAs } from './data-value-set'
import { configuredServer } from './dhis-server.server'
import { OfRun, SendingId, type Dhis2SendingError, SendRun } from './exchange'
import { mayExport, mayExportSomewhere } from './rights'
import { loadValueSet } from './value-set.server'

/** Has it sent soon. */
const askToSend = (db: Kysely<DB>) => askFor(db, 'send_reports')

/**
 * Queues a closed run of one clinic for the configured server; with `isDryRun` the server checks it and stores nothing.
 * A repeated request, or one while the same is queued, queues nothing more.
 */
export const sendReport = mutation('reports.send', {
  input: SendRun,
  on: exportableRun,
  async run(ctx, { id, isDryRun, format }, { run }) {
    const { db, actor } = ctx
    const repeated = await db
      .selectFrom('report_sendings')
      .select(['id', 'run_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (repeated?.run_id === run.id) return { id }
    if (repeated) throw notFound('sendings.notFound')
    if (!(await configuredServer(db))) throw conflict('sendings.error_no_server')
    const { set, adx, unmapped, repeated: twice } = await closedValueSet(db, run, format)
    if (twice.length > 0)
      throw conflict('sendings.sameCodes', { places: twice.slice(0, 5).join(', ') })
    if (set.dataValues.length === 0) throw conflict('sendings.nothingMapped')
    const made = await db
      .insertInto('report_sendings')
      .values({
        id,
        run_id: run.id,
        is_dry_run: isDryRun,
        format,
        payload: format === 'adx' ? adx() : JSON.stringify(set),
        value_count: set.dataValues.length,
        requested_by: actor.userId,
      })
      .onConflict((clash) =>
        clash.columns(['run_id', 'is_dry_run']).where('status', '=', 'queued').doNothing(),
      )
      .returning('id')
      .executeTakeFirst()
    if (!made) throw conflict('sendings.alreadyQueued')
    await audit(ctx, {
      action: 'reports.send',
      table: 'report_runs',
      recordId: run.id,
      clinicId: run.clinic_ids[0],
      changes: {
        sending: [
          null,
          { id, isDryRun, format, values: set.dataValues.length, unmapped: unmapped.length },
        ],
      },
    })
    await askToSend(db)
    return { id }
  },
})

/** What is sent of a closed run. Throws where it cannot be sent at all. */
async function closedValueSet(db: Kysely<DB>, run: ClosedRunValues, sentAs: SentAs) {
  const [clinicId] = run.clinic_ids
  if (run.clinic_ids.length !== 1 || !clinicId) throw conflict('sendings.oneClinic')
  const found = await loadValueSet(db, {
    definitionId: run.definition_id,
    definition: await withKeptMedicines(db, run.definition, { runId: run.id, later: null }),
    clinicId,
    period: run.period,
    cells: await cellsOfRun(db, run.id),
    completeDate: dayIn(run.closed_at, run.zone),
    sentAs,
  })
  if (!found.set.orgUnit) throw invalid({ orgUnit: { key: 'sendings.noOrgUnit' } })
  if (!found.set.dataSet) throw invalid({ dataSet: { key: 'sendings.noDataSet' } })
  return found
}

/** Each sending of a closed run with the server's answer, newest first. */
export const listSendings = query('sendings.list', {
  reads: ['report_sendings', 'report_runs'],
  looksUp: ['users'],
  input: OfRun,
  on: exportableRun,
  async run({ db }, { runId }) {
    const rows = await db
      .selectFrom('report_sendings as sending')
      .leftJoin('users', 'users.id', 'requested_by')
      .select(['sending.id', 'is_dry_run', 'format', 'status', 'value_count', 'attempts', 'due_at'])
      .select(['http_status', 'counts', 'conflicts', 'error', 'requested_at', 'finished_at'])
      .select('users.name as requested_by')
      .where('run_id', '=', runId)
      .orderBy('requested_at', 'desc')
      .orderBy('sending.id')
      .limit(100)
      .execute()
    return rows.map((row) => ({
      ...row,
      error: row.error as Dhis2SendingError | null,
    }))
  },
})
export type ListedSending = Awaited<ReturnType<typeof listSendings>>[number]

const queuedSending: On<{ id: string }, { run: ClosedRunValues }> = {
  permits: (actor) => mayExportSomewhere(actor),
  async rows({ db, actor }, { id }) {
    const sending = await db
      .selectFrom('report_sendings')
      .select('run_id')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    const run = sending && (await readClosedRun(db, sending.run_id))
    if (!run || !mayCount(actor, run.clinic_ids)) throw notFound('sendings.notFound')
    if (!mayExport(actor, run.clinic_ids)) throw forbidden()
    return { run }
  },
}

/** No further attempt. What the server has received already, it keeps: the sending then reads "sent". */
export const cancelSending = mutation('sendings.cancel', {
  input: SendingId,
  on: queuedSending,
  async run(ctx, { id }, { run }) {
    const cancelled = await ctx.db
      .updateTable('report_sendings')
      .set({ status: 'cancelled', finished_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .where('status', '=', 'queued')
      .returning('id')
      .executeTakeFirst()
    if (!cancelled) throw conflict('sendings.notQueued')
    await audit(ctx, {
      action: 'sendings.cancel',
      table: 'report_runs',
      recordId: run.id,
      clinicId: run.clinic_ids[0],
    })
    return { id }
  },
})
