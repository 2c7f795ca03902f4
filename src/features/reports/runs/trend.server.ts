import { sql } from 'kysely'
import {
  cellKey,
  definitionCells,
  sectionColumns,
  isOfMedicine,
  type ReportDefinition,
  type ReportSection,
} from '~/features/reports/cells/definition'
import { periodsBack, readPeriod } from '~/features/reports/cells/period'
import { type Context, query } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import { onReplica } from '~/server/replica.server'
import { invalid } from '~/shared/errors'
import { clinicTimeZone } from '~/shared/zone'
import { sortCells, isSigned, storedCells, loadClosedVersion } from './closed.server'
import { computed, type Report, loadReport, settlePrograms } from './report.server'
import { mayCountSomewhere } from './rights'
import { TrendReport } from './runs'
import { type ShownCell, shownTo } from './shown.server'

/**
 * The rows of a section over the periods that end with the named one: in the column `total` or, without one, in each
 * column. A closed period shows its newest closed run, as its sheet does; an open one what the records say now.
 * `only: "closed"` computes nothing: the other periods are empty, and named in `open`.
 */
export const trendOfReport = query('reports.trend', {
  access: 'counts',
  input: TrendReport,
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, { section: id, count, only, ...input }) {
    const report = await loadReport(ctx, input)
    const { body } = report.stored
    const section =
      id === undefined ? body.sections[0]! : body.sections.find((each) => each.id === id)
    if (!section) throw invalid({ section: { key: 'reports.sectionUnknown' } })
    const definition = { ...body, sections: [section] }
    const columns = sectionColumns(definition, section)
    const hasTotal = columns.some((column) => column.id === 'total')
    const shownColumns = columns.filter((column) => !hasTotal || column.id === 'total')
    const periods = periodsBack(report.period.text, count)
    const found = await closedCells(ctx, report, definition, periods)
    const open = periods.filter((text) => !found.has(text))
    if (open.length > 0 && only !== 'closed') {
      await settlePrograms(ctx)
      for (const text of open) found.set(text, await computedCells(ctx, report, definition, text))
    }
    return {
      definition: body,
      section: section.id,
      periods,
      /** The periods that are not closed. */
      open,
      rows: section.rows.flatMap((row) =>
        shownColumns.map((column) => ({
          row: row.id,
          column: column.id,
          names: row.names,
          goal: row.goal ?? null,
          unit: row.unit ?? null,
          points: periods.map((text) => {
            const cell = found
              .get(text)
              ?.find((each) => each.row === row.id && each.column === column.id)
            return {
              value: cell?.value ?? null,
              numerator: cell?.numerator ?? null,
              denominator: cell?.denominator ?? null,
              mask: cell?.mask ?? null,
            }
          }),
        })),
      ),
    }
  },
  shows: nobodyByName,
})
export type Trend = Awaited<ReturnType<typeof trendOfReport>>

async function computedCells(
  ctx: Context,
  report: Report,
  definition: ReportDefinition,
  text: string,
): Promise<ShownCell[]> {
  const { stored, clinicIds } = report
  const period = readPeriod(text, clinicTimeZone())!
  const one = { stored: { ...stored, body: definition }, clinicIds, period }
  const { cells } = await onReplica(ctx, (db) => computed({ ...ctx, db }, one))
  return shownTo(ctx.actor, cells, { definition, clinicIds, isExact: false })
}

/**
 * The cells of closed periods, by period; without those whose closed run lacks a cell of today's section. A medicine
 * that came later has no value in them.
 */
async function closedCells(
  { db, actor }: Context,
  report: Report,
  definition: ReportDefinition,
  periods: readonly string[],
) {
  const { stored, clinicIds } = report
  const { rows: runs } = await sql<NewestRun>`
    select distinct on (period) id, period, version, prepared_at, checked_at from report_runs
    where definition_id = ${stored.id} and clinic_ids = ${clinicIds}::uuid[]
      and period = any(${[...periods]})
    order by period, number desc`.execute(db)
  const found = new Map<string, ShownCell[]>()
  const [section] = definition.sections as [ReportSection]
  const { id: sectionId } = section
  const rows = section.rows.filter((row) => !isOfMedicine(row))
  const asked = { ...definition, sections: [{ ...section, rows }] }
  for (const run of runs) {
    const kept = await storedCells(db, run.id, sectionId)
    const keys = new Set(kept.map(cellKey))
    if (kept.length === 0 || definitionCells(asked).some((cell) => !keys.has(cellKey(cell))))
      continue
    // what is masked follows from the definition of the closing
    const { body } = await loadClosedVersion(db, report, run)
    const then = { ...body, sections: body.sections.filter((each) => each.id === sectionId) }
    const shown = { definition: then, clinicIds, isExact: isSigned(run) }
    found.set(run.period, shownTo(actor, sortCells(then, kept), shown))
  }
  return found
}
type NewestRun = {
  id: string
  period: string
  version: number
  prepared_at: Date | null
  checked_at: Date | null
}
