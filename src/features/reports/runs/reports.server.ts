import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import {
  type CellName,
  sectionColumns,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { periodAt, previousPeriod, readPeriod } from '~/features/reports/cells/period'
import { editHistory } from '~/policy/rules'
import { permitsSomewhere } from '~/policy/facts'
import { type Context, mutation, query } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import { onReplica } from '~/server/replica.server'
import { byName, inPermittedClinics } from '~/server/scope'
import { can } from '~/shared/actor'
import { conflict, forbidden, invalid } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import { SEEN_FROM } from '~/records/seen'
import {
  closedRuns,
  sortCells,
  isSigned,
  storedCells,
  storedNotPlaced,
  loadClosedVersion,
} from './closed.server'
import { manualKind } from './measure-kind'
import {
  closableOn,
  loadReportClinics,
  computed,
  lockReport,
  loadReport,
  settlePrograms,
} from './report.server'
import { mayCountSomewhere, mayDrill, mayPrepare } from './rights'
import { ListReports, RunReport, type RunStatus, SaveManual } from './runs'
import { notPlacedTo, shownTo } from './shown.server'

/** The clinics that the user may count. */
const countedClinics = ({ db, actor }: Context) =>
  db
    .selectFrom('clinics')
    .select(['id', 'name'])
    .where('is_deleted', '=', false)
    .$if(!can(actor, 'view_analytics'), (q) =>
      q.where(inPermittedClinics(actor, 'id', 'is_clinic_admin')),
    )
    .orderBy('is_archived')
    .orderBy(byName('name'))
    .limit(1000)
    .execute()

/** The day from which the clinics have records: of their first visit, or on which the first was set up. */
async function findFirstDay(
  db: Kysely<DB>,
  clinicIds: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(least(c.created_at, (
      select min(v.check_in_timestamp) from visits v where v.clinic_id = c.id and not v.is_deleted
    ))) as at
    from clinics c where c.id = any(${clinicIds}::uuid[])`.execute(db)
  return rows[0]?.at ? dayIn(rows[0].at, clinicTimeZone()) : undefined
}

/**
 * Every report, with this period and the one before, and whether that one is closed; for the named
 * clinics, else for the user's own clinic or the first that the user may count.
 */
export const listReports = query('reports.list', {
  reads: ['clinics', 'report_definitions', 'report_runs'],
  looksUp: ['visits'],
  input: ListReports,
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, input) {
    const { db, actor } = ctx
    const clinics = await countedClinics(ctx)
    const own = clinics.find(({ id }) => id === actor.clinicId) ?? clinics[0]
    const clinicIds = input.clinic_ids ?? (own ? [own.id] : [])
    if (input.clinic_ids) await loadReportClinics(ctx, input.clinic_ids)
    const definitions = await db
      .selectFrom('report_definitions')
      .select(['id', 'code', 'body'])
      .where('is_deleted', '=', false)
      .orderBy('code')
      .execute()
    const today = clinicToday()
    const rows = definitions.map(({ id, code, body }) => {
      const definition = body
      const current = periodAt(definition.period, today)
      const previous = readPeriod(previousPeriod(current)!, clinicTimeZone())!
      const closable_on = closableOn({ body: definition }, previous)
      return {
        id,
        code,
        names: definition.names,
        kind: definition.period,
        current,
        previous,
        closable_on,
      }
    })
    const firstDay = await findFirstDay(db, clinicIds)
    const { rows: runs } = await sql<{
      definition_id: string
      period: string
      number: number
      is_signed: boolean
    }>`
      select distinct on (definition_id, period) definition_id, period, number,
        prepared_at is not null and checked_at is not null as is_signed
      from report_runs
      where clinic_ids = ${clinicIds}::uuid[] and period = any(${rows.map(({ previous }) => previous.text)})
      order by definition_id, period, number desc`.execute(db)
    return {
      today,
      clinics,
      clinic_ids: clinicIds,
      rows: rows.map(({ previous, closable_on, ...row }) => {
        const run = runs.find(
          ({ definition_id, period }) => definition_id === row.id && period === previous.text,
        )
        return {
          ...row,
          previous: previous.text,
          closable_on,
          status: runStatus(run),
          is_due: !run && isDue({ closable_on, today, firstDay, last: previous.last }),
          is_signed: run?.is_signed ?? false,
        }
      }),
    }
  },
})
export type ListedReports = Awaited<ReturnType<typeof listReports>>

/** A period can be closed; one that ended before the clinics had any record is not asked for. */
const isDue = (of: {
  closable_on: string
  today: string
  firstDay: string | undefined
  last: string
}) => of.closable_on <= of.today && of.firstDay !== undefined && of.firstDay <= of.last

const runStatus = (run: { number: number } | undefined): RunStatus => {
  if (!run) return 'open'
  if (run.number > 1) return 'amended'
  return 'closed'
}

/**
 * A report of clinics and a period: the newest closed run or, while it is open, what the records say
 * now. Small counts are masked for users who may not read the histories of all the clinics.
 */
export const runReport = query('reports.run', {
  access: 'counts',
  reads: ['report_definitions', 'report_manual_values', 'report_runs'],
  // a live report is not computed again at each change of a record: `computed_at` says how old it is
  looksUp: [
    'clinics',
    'follow_up_calls',
    'follow_up_items',
    'follow_up_schedules',
    'patient_immunizations',
    'patient_pregnancies',
    'patients',
    'program_enrollments',
    'report_bindings',
    'users',
    'visits',
    ...SEEN_FROM,
  ],
  input: RunReport,
  allow: ({ actor }) => mayCountSomewhere(actor),
  async run(ctx, { number, ...input }) {
    const { db, actor } = ctx
    const report = await loadReport(ctx, input)
    const { stored, clinics, clinicIds, period } = report
    const runs = await closedRuns(db, report)
    const run = number === undefined ? runs[0] : runs.find((each) => each.number === number)
    if (number && !run) throw invalid({ number: { key: 'reports.runNotFound' } })
    const version = run ? await loadClosedVersion(db, report, run) : stored
    const definition = version.body
    const kept = run && (await storedCells(db, run.id))
    if (!kept) await settlePrograms(ctx)
    const { cells, notPlaced } = kept
      ? { cells: sortCells(definition, kept), notPlaced: storedNotPlaced(kept) }
      : await onReplica(ctx, (replica) => computed({ ...ctx, db: replica }, report))
    const shown = { definition, clinicIds, isExact: isSigned(run) }
    const closable_on = closableOn(stored, period)
    const today = clinicToday()
    const firstDay = await findFirstDay(ctx.db, clinicIds)
    return {
      id: stored.id,
      code: stored.code,
      version: version.version,
      definition,
      clinics,
      period: { kind: period.kind, text: period.text, first: period.first, last: period.last },
      zone: run?.zone ?? clinicTimeZone(),
      status: runStatus(runs[0]),
      /** The closed run that the cells are of; null: computed now. */
      run: run ?? null,
      runs,
      closable_on,
      is_closable: runs.length === 0 && closable_on <= today,
      /** As in the list of reports. */
      is_due: runs.length === 0 && isDue({ closable_on, today, firstDay, last: period.last }),
      computed_at: run?.closed_at ?? new Date(),
      cells: shownTo(actor, cells, shown),
      not_placed: notPlacedTo(actor, notPlaced, shown),
      may: { drill: mayDrill(actor, clinicIds), prepare: mayPrepare(actor, clinicIds) },
    }
  },
  shows: nobodyByName,
})
export type ShownReport = Awaited<ReturnType<typeof runReport>>

/** Enters or removes (null) a value that no record holds, of one clinic, until the period is closed. */
export const saveManual = mutation('reports.saveManual', {
  input: SaveManual,
  allow: ({ actor }) =>
    mayCountSomewhere(actor) && permitsSomewhere(editHistory.permissions, actor),
  async run(ctx, { code, clinic_id, period: text, value, was, ...cell }) {
    const { db, actor } = ctx
    await loadReportClinics(ctx, [clinic_id], 'clinic_id')
    if (!mayPrepare(actor, [clinic_id])) throw forbidden()
    const { stored, period } = await loadReport(ctx, {
      code,
      clinic_ids: [clinic_id],
      period: text,
    })
    requireCell(stored.body, cell)
    const kind = manualKind(stored.body, cell)
    if (!kind) throw invalid({ row: { key: 'reports.notManual' } })
    if (value !== null && !(kind === 'yesno' ? [0, 1].includes(value) : Number.isInteger(value)))
      throw invalid({ value: { key: kind === 'yesno' ? 'validation.option' : 'vitals.whole' } })
    await lockReport(db, stored.id, period.text)
    await requireOpen(db, { definitionId: stored.id, clinicId: clinic_id, period: period.text })
    const place = {
      definition_id: stored.id,
      clinic_id,
      period: period.text,
      section: cell.section,
      row_id: cell.row,
      column_id: cell.column,
    }
    const existing = await db
      .selectFrom('report_manual_values')
      .select(['id', 'value'])
      .where((eb) => eb.and(place))
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    const now = existing?.value ?? null
    if (now === value) return { value }
    if (was !== undefined && was !== now)
      throw conflict('reports.manualChanged', undefined, {
        value: { key: 'errors.changedTo', values: { value: now ?? '—' } },
      })
    if (!existing) {
      await db
        .insertInto('report_manual_values')
        .values({ id: newId(), ...place, value: value! })
        .execute()
    } else {
      await db
        .updateTable('report_manual_values')
        .set(value === null ? { is_deleted: true } : { value, updated_at: new Date() })
        .where('id', '=', existing.id)
        .execute()
    }
    return { value }
  },
})

/** Any closed run that has the clinic in it holds its values. */
async function requireOpen(
  db: Context['db'],
  { definitionId, clinicId, period }: { definitionId: string; clinicId: string; period: string },
) {
  const run = await db
    .selectFrom('report_runs')
    .select('id')
    .where('definition_id', '=', definitionId)
    .where('period', '=', period)
    .where(sql<boolean>`${clinicId}::uuid = any(clinic_ids)`)
    .executeTakeFirst()
  if (run) throw conflict('reports.valuesClosed')
}

/** Throws one sentence at the part of the name that the definition does not have. */
export function requireCell(definition: ReportDefinition, { section: id, row, column }: CellName) {
  const section = definition.sections.find((each) => each.id === id)
  if (!section) throw invalid({ section: { key: 'reports.sectionUnknown' } })
  if (!section.rows.some((each) => each.id === row))
    throw invalid({ row: { key: 'reports.rowUnknown' } })
  if (!sectionColumns(definition, section).some((each) => each.id === column))
    throw invalid({ column: { key: 'reports.columnUnknown' } })
}
