import type * as z from 'zod'
import { definitionCells } from '~/features/reports/cells/definition'
import { closedRuns, storedCells, loadClosedVersion } from '~/features/reports/runs/closed.server'
import { computed, loadReport, settlePrograms } from '~/features/reports/runs/report.server'
import { audit } from '~/server/audit'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { translated } from '~/shared/language'
import { dayIn } from '~/shared/zone'
import { onSheet, cellPlace, type SentAs } from './data-value-set'
import { ExportReport, OfReportFile } from './exchange'
import { mayExport, mayExportSomewhere } from './rights'
import { loadValueSet } from './value-set.server'

type Asked = z.output<typeof OfReportFile>

const exportsReports = ({ actor }: Context) => mayExportSomewhere(actor)

/** The values of a closed run (`number`), else of the period as it is now, in the order of the paper. */
async function exactReport(ctx: Context, { number, ...asked }: Asked) {
  const report = await loadReport(ctx, asked)
  if (!mayExport(ctx.actor, report.clinicIds)) throw forbidden()
  const runs = await closedRuns(ctx.db, report)
  // 0 is the number of no run
  const run = number === undefined ? runs[0] : runs.find((each) => each.number === number)
  if (!run && number) throw notFound('reports.notFound')
  const { body } = run ? await loadClosedVersion(ctx.db, report, run) : report.stored
  if (!run) await settlePrograms(ctx)
  const found = run ? await storedCells(ctx.db, run.id) : (await computed(ctx, report)).cells
  const values = new Map(found.map((cell) => [cellPlace(cell), cell]))
  const cells = definitionCells(body).map((place) => {
    const cell = values.get(cellPlace(place))
    const parts = {
      numerator: toNumberOrNull(cell?.numerator),
      denominator: toNumberOrNull(cell?.denominator),
    }
    return { ...place, value: onSheet(toNumberOrNull(cell?.value), parts), ...parts }
  })
  return { report, run, definition: body, cells }
}

const toNumberOrNull = (value: unknown) =>
  value === null || value === undefined ? null : Number(value)

async function auditFile(ctx: Context, asked: Asked, total: number, format: string) {
  const { code, clinic_ids, period, number } = asked
  await audit(ctx, {
    action: 'reports.export',
    table: 'report_runs',
    ...(clinic_ids.length === 1 && { clinicId: clinic_ids[0]! }),
    changes: { export: [null, { code, clinic_ids, period, number, format, total }] },
  })
}

/** Returns how many cells the file would hold, and writes the export into the audit trail. */
export const exportReport = mutation('reports.export', {
  input: ExportReport,
  allow: exportsReports,
  async run(ctx, { format, language: _, ...asked }) {
    const { cells } = await exactReport(ctx, asked)
    await auditFile(ctx, asked, cells.length, format)
    return { total: cells.length }
  },
})

/**
 * Ids of sections, rows and columns, so that a file of today can be compared with one of last year, and the name of the
 * row: a medicine has an id that says nothing.
 */
export async function reportSheet(ctx: Context, { format: _, language, ...asked }: ExportReport) {
  const { definition, cells, report } = await exactReport(ctx, asked)
  const title = `${translated(definition.names, language)} ${report.period.text}`
  const names = new Map(
    definition.sections.flatMap((section) =>
      section.rows.map((row) => [`${section.id}/${row.id}`, translated(row.names, language)]),
    ),
  )
  async function* lines(): ListSheet<string | number>['rows'] {
    for (const { section, row, column, value, numerator, denominator } of cells)
      yield [
        section,
        row,
        column,
        ...[value, numerator, denominator].map((each) => each ?? ''),
        // without the marks that isolate a strength on screens
        (names.get(`${section}/${row}`) ?? '').replaceAll(/[\u2068\u2069]/g, ''),
      ]
  }
  return {
    title,
    headings: ['section', 'row', 'column', 'value', 'numerator', 'denominator', 'name'],
    rows: lines(),
  }
}

/** The values with the codes of the receiving system, of one clinic. */
async function codedReport(ctx: Context, asked: Asked, sentAs: SentAs) {
  const { report, run, definition, cells } = await exactReport(ctx, asked)
  const [clinicId] = report.clinicIds
  if (report.clinicIds.length !== 1 || !clinicId) throw conflict('sendings.oneClinic')
  const found = await loadValueSet(ctx.db, {
    definitionId: report.stored.id,
    definition,
    clinicId,
    period: report.period.text,
    cells,
    sentAs,
    ...(run && { completeDate: dayIn(run.closed_at, run.zone) }),
  })
  await auditFile(ctx, asked, found.set.dataValues.length, sentAs === 'adx' ? 'adx' : 'dhis2')
  return found
}

/** The JSON for DHIS2 as a file, for clinics without a connection, with the cells that have no codes. */
export const exportDhis2 = mutation('reports.exportDhis2', {
  input: OfReportFile,
  allow: exportsReports,
  async run(ctx, asked) {
    const { adx: _, ...found } = await codedReport(ctx, asked, 'json')
    return found
  },
})

/** The same values as an ADX file. */
export const exportAdx = mutation('reports.exportAdx', {
  input: OfReportFile,
  allow: exportsReports,
  async run(ctx, asked) {
    const { adx, unmapped, repeated } = await codedReport(ctx, asked, 'adx')
    return { xml: adx(), unmapped, repeated }
  },
})
