import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { mayCount } from '~/features/reports/runs/rights'
import type { Context, On } from '~/server/operation'
import { forbidden, notFound } from '~/shared/errors'
import { onSheet } from './data-value-set'
import { mayExport, mayExportSomewhere } from './rights'

export type ClosedRunValues = Awaited<ReturnType<typeof readClosedRun>> & object

/** A closed run with the version of the definition that it was computed by, and its values. */
export async function readClosedRun(db: Kysely<DB>, id: string) {
  const run = await db
    .selectFrom('report_runs')
    .innerJoin('report_definition_versions as versions', (join) =>
      join
        .onRef('versions.definition_id', '=', 'report_runs.definition_id')
        .onRef('versions.version', '=', 'report_runs.version'),
    )
    .select([
      'report_runs.id',
      'report_runs.definition_id',
      'report_runs.version',
      'clinic_ids',
      'period',
      'zone',
      'number',
      'closed_at',
      'body',
    ])
    .where('report_runs.id', '=', id)
    .executeTakeFirst()
  return run && { ...run, definition: run.body }
}

/** The values of a closed run, in no order. */
export async function cellsOfRun(db: Kysely<DB>, runId: string) {
  const cells = await db
    .selectFrom('report_cells')
    .select(['section', 'row_id as row', 'column_id as column'])
    .select(['value', 'numerator', 'denominator'])
    .where('run_id', '=', runId)
    .execute()
  return cells.map(({ value, numerator, denominator, ...place }) => {
    const parts = { numerator: toNumberOrNull(numerator), denominator: toNumberOrNull(denominator) }
    return { ...place, value: onSheet(toNumberOrNull(value), parts), ...parts }
  })
}
const toNumberOrNull = (value: unknown) => (value === null ? null : Number(value))

/** The closed run that the input names: to users who see its counts; `forbidden` to those who may not export them. */
export const exportableRun: On<{ runId: string }, { run: ClosedRunValues }> = {
  permits: (actor) => mayExportSomewhere(actor),
  async rows({ db, actor }: Context, { runId }) {
    const run = await readClosedRun(db, runId)
    if (!run || !mayCount(actor, run.clinic_ids)) throw notFound('reports.notFound')
    if (!mayExport(actor, run.clinic_ids)) throw forbidden()
    return { run }
  },
}
