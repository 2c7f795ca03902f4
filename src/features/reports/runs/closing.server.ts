import { settleFollowUps } from '~/features/care/programs/stale.server'
import { hashRowIds, loadAllCellRows } from '~/features/reports/cells/cells.server'
import { cellKey } from '~/features/reports/cells/definition'
import { readPeriod } from '~/features/reports/cells/period'
import { audit } from '~/server/audit'
import { type Context, mutation, query } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import { conflict, forbidden, invalid, notFound } from '~/shared/errors'
import { clinicTimeZone, clinicToday } from '~/shared/zone'
import { closedRuns, isSigned, NOT_PLACED, storedCells, loadClosedVersion } from './closed.server'
import {
  closableOn,
  computed,
  lockReport,
  type Report,
  loadReport,
  settlePrograms,
} from './report.server'
import { mayCount, mayCountSomewhere, mayDrill, mayPrepare } from './rights'
import { AmendReport, CloseReport, OfReport, SignReport } from './runs'
import { shownTo } from './shown.server'

/** Row ids of a cell are kept up to this number. */
const MOST_ROW_IDS = 5_000

/**
 * Keeps what the records say now as the report of the period: values, version, time zone, and the rows of each cell.
 * Possible once, from the day that the definition says.
 */
export const closeReport = mutation('reports.close', {
  input: CloseReport,
  before: (ctx) => settleFollowUps(ctx),
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, { id, ...input }) {
    const report = await loadReport(ctx, input)
    await lockReport(ctx.db, report.stored.id, report.period.text)
    const [newest] = await closedRuns(ctx.db, report)
    if (newest?.id === id) return { id, number: newest.number }
    if (newest)
      throw conflict('reports.alreadyClosed', undefined, {
        period: { key: 'reports.alreadyClosed' },
      })
    const day = closableOn(report.stored, report.period)
    if (day > clinicToday())
      throw invalid({ period: { key: 'reports.notClosableYet', values: { day } } })
    return keep(ctx, report, { id, number: 1, reason: null })
  },
})

/** A further closed run of a closed period, with its reason. The earlier runs stay. */
export const amendReport = mutation('reports.amend', {
  input: AmendReport,
  before: (ctx) => settleFollowUps(ctx),
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, { id, reason, ...input }) {
    const report = await loadReport(ctx, input)
    await lockReport(ctx.db, report.stored.id, report.period.text)
    const [newest] = await closedRuns(ctx.db, report)
    if (newest?.id === id && newest.reason !== reason) throw conflict('reports.amendedAlready')
    if (newest?.id === id) return { id, number: newest.number }
    if (!newest) throw invalid({ period: { key: 'reports.notClosed' } })
    return keep(ctx, report, { id, number: newest.number + 1, reason })
  },
})

type Kept = { id: string; number: number; reason: string | null }

async function keep(ctx: Context, report: Report, { id, number, reason }: Kept) {
  const { db, actor } = ctx
  const { stored, clinicIds, period } = report
  const zone = clinicTimeZone()
  const { cells, notPlaced, rows: found } = await withRows(ctx, report, zone)
  await db
    .insertInto('report_runs')
    .values({
      id,
      definition_id: stored.id,
      version: stored.version,
      clinic_ids: clinicIds,
      period: period.text,
      starts_at: period.from,
      ends_at: period.to,
      zone,
      number,
      reason,
      closed_by: actor.userId,
    })
    .execute()
  const rows = []
  for (const cell of cells) {
    const ids = found.get(cellKey(cell)) ?? []
    rows.push({
      section: cell.section,
      row_id: cell.row,
      column_id: cell.column,
      value: cell.value,
      numerator: cell.numerator,
      denominator: cell.denominator,
      row_count: ids.length,
      rows_hash: hashRowIds(ids),
      row_ids: ids.length > MOST_ROW_IDS ? null : ids,
    })
  }
  for (const [section, value] of Object.entries(notPlaced))
    rows.push({
      section,
      ...NOT_PLACED,
      value,
      numerator: null,
      denominator: null,
      row_count: value,
      rows_hash: null,
      row_ids: null,
    })
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto('report_cells')
      .values(rows.slice(at, at + 500).map((row) => ({ run_id: id, ...row })))
      .execute()
  await audit(ctx, {
    action: number === 1 ? 'reports.close' : 'reports.amend',
    table: 'report_runs',
    recordId: id,
    clinicId: clinicIds.length === 1 ? clinicIds[0] : undefined,
    changes: {
      report: [null, stored.code],
      period: [null, period.text],
      version: [null, stored.version],
      number: [null, number],
      ...(reason && { reason: [null, reason] }),
    },
  })
  return { id, number }
}

/** Signs a closed run: by who prepared it, then by another person who checked it. A signature stays. */
export const signReport = mutation('reports.sign', {
  input: SignReport,
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, { id, as }) {
    const { db, actor } = ctx
    const run = await db
      .selectFrom('report_runs')
      .select(['id', 'clinic_ids', 'prepared_by', 'checked_by'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!run || !mayCount(actor, run.clinic_ids)) throw notFound('reports.runNotFound')
    if (as === 'prepared' && !mayPrepare(actor, run.clinic_ids)) throw forbidden()
    const [mine, other] =
      as === 'prepared' ? [run.prepared_by, run.checked_by] : [run.checked_by, run.prepared_by]
    if (mine === actor.userId) return { id }
    if (mine) throw conflict('reports.alreadySigned')
    if (as === 'checked' && !other) throw invalid({ as: { key: 'reports.notPrepared' } })
    if (other === actor.userId) throw invalid({ as: { key: 'reports.checkedByAnother' } })
    const now = new Date()
    await db
      .updateTable('report_runs')
      .set(
        as === 'prepared'
          ? { prepared_by: actor.userId, prepared_at: now }
          : { checked_by: actor.userId, checked_at: now },
      )
      .where('id', '=', id)
      .execute()
    await audit(ctx, {
      action: 'reports.sign',
      table: 'report_runs',
      recordId: id,
      clinicId: run.clinic_ids.length === 1 ? run.clinic_ids[0] : undefined,
      changes: { signature: [null, as] },
    })
    return { id }
  },
})

/** The closed runs of a report, newest first, with their signatures. */
export const historyOfReport = query('reports.history', {
  reads: ['report_definitions', 'report_runs'],
  looksUp: ['clinics', 'users'],
  input: OfReport,
  allow: ({ actor }) => mayCountSomewhere(actor),
  run: async (ctx, input) => closedRuns(ctx.db, await loadReport(ctx, input)),
})

/**
 * The cells whose rows have changed since the newest closing: the value that is kept, the value of today by the same
 * version and time zone, and how many rows were added and removed (null if the ids of so many rows are not kept).
 */
export const lateRows = query('reports.late', {
  access: 'counts',
  input: OfReport,
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, input) {
    const { db, actor } = ctx
    const report = await loadReport(ctx, input)
    const [run] = await closedRuns(db, report)
    if (!run) throw invalid({ period: { key: 'reports.notClosed' } })
    const stored = await loadClosedVersion(db, report, run, report)
    const asThen = { ...report, stored, period: readPeriod(input.period, run.zone)! }
    const kept = new Map((await storedCells(db, run.id)).map((cell) => [cellKey(cell), cell]))
    const idsKept = await storedIds(db, run.id)
    await settlePrograms(ctx)
    const today = await withRows(ctx, asThen, run.zone)
    const definition = stored.body
    const { clinicIds } = report
    const before = shownTo(actor, [...kept.values()], {
      definition,
      clinicIds,
      isExact: isSigned(run),
    })
    const after = shownTo(actor, today.cells, { definition, clinicIds, isExact: false })
    const changed = []
    for (const cell of today.cells) {
      const key = cellKey(cell)
      const then = kept.get(key)
      const ids = today.rows.get(key) ?? []
      const [value, hash] = then ? [then.value, then.hash] : [null, hashRowIds([])]
      // a medicine that came since is late with what it has, not with its empty cells
      const isSame = then ? value === cell.value : !cell.value
      if (isSame && hash?.equals(hashRowIds(ids))) continue
      const old = idsKept.get(key)
      const [isOld, isNew] = [new Set(old), new Set(ids)]
      const [one, two] = [
        before.find((each) => cellKey(each) === key) ?? NOT_KEPT,
        after.find((each) => cellKey(each) === key)!,
      ]
      const isShown = !one.mask && !two.mask
      changed.push({
        section: cell.section,
        row: cell.row,
        column: cell.column,
        stored: one.value,
        stored_mask: one.mask,
        today: two.value,
        today_mask: two.mask,
        difference: isShown ? (two.value ?? 0) - (one.value ?? 0) : null,
        added: isShown && old ? ids.filter((id) => !isOld.has(id)).length : null,
        removed: isShown && old ? old.filter((id) => !isNew.has(id)).length : null,
      })
    }
    return { run, definition, cells: changed, may: { drill: mayDrill(actor, clinicIds) } }
  },
  shows: nobodyByName,
})
export type LateRowsResult = Awaited<ReturnType<typeof lateRows>>

/** Of a cell that the closed run does not have. */
const NOT_KEPT = { value: null, mask: null }

const TRIES = 3

/**
 * The cells and the ids of their rows, by `section/row/column`. They are two reads: both are repeated if a record
 * was written between them.
 */
async function withRows(ctx: Context, report: Report, zone: string) {
  for (let attempt = 1; ; attempt += 1) {
    const found = await computed(ctx, report, zone)
    const all = await loadAllCellRows(ctx.db, toReportRun(report, zone))
    const rows = new Map(all.map((cell) => [cellKey(cell), cell.ids]))
    const isOfOneMoment = found.cells.every((cell) => cell.rows === rows.get(cellKey(cell))?.length)
    if (isOfOneMoment || attempt === TRIES) return { ...found, rows }
  }
}

/** What the engine reads a cell's rows by. */
export const toReportRun = ({ stored, clinicIds, period }: Report, zone: string) => ({
  definition: stored.body,
  clinicIds,
  period,
  zone,
  manual: new Map<string, number>(),
  now: new Date(),
})

/** The kept row ids of the cells of a run, by `section/row/column`; absent where there were too many. */
async function storedIds(db: Context['db'], runId: string) {
  const rows = await db
    .selectFrom('report_cells')
    .select(['section', 'row_id as row', 'column_id as column', 'row_ids'])
    .where('run_id', '=', runId)
    .where('row_ids', 'is not', null)
    .execute()
  return new Map(rows.map((cell) => [cellKey(cell), cell.row_ids ?? []]))
}
