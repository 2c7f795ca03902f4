import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { settleFollowUps } from '~/features/care/programs/stale.server'
import { runCells } from '~/features/reports/cells/cells.server'
import {
  cellKey,
  forClinics,
  reportDefinition,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { type Period, readPeriod } from '~/features/reports/cells/period'
import { clinicRecord } from '~/records/clinic'
import type { Context } from '~/server/operation'
import { rememberWrite } from '~/server/replica.server'
import { AppError, invalid, type Message } from '~/shared/errors'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { withMedicines } from './medicines.server'
import { mayCount } from './rights'
import type { OfReport } from './runs'

/**
 * A stored definition, or a version of it, with a column for each clinic of the report and a row for each medicine
 * where it asks for them.
 */
export type StoredReport = { id: string; code: string; version: number; body: ReportDefinition }
type Asked = Pick<z.output<typeof OfReport>, 'code' | 'clinic_ids' | 'period'>
/** With how to reach it, for the letterhead. */
type Clinic = Awaited<ReturnType<typeof loadReportClinics>>[number]
/** A report whose input was checked. */
export type Report = {
  stored: StoredReport
  clinics: Clinic[]
  clinicIds: string[]
  period: Period
}

const wrong = (field: string, key: Message['key'], values?: Message['values']) =>
  invalid({ [field]: { key, values } })

/** The rules of an input in one place: each throws one sentence at its field. */
export async function loadReport(ctx: Context, input: Asked): Promise<Report> {
  const clinics = await loadReportClinics(ctx, input.clinic_ids)
  const found = await requireDefinition(ctx.db, input.code)
  const period = parseReportPeriod(found, input.period)
  const body = await withMedicines(ctx.db, forClinics(found.body, clinics), {
    clinicIds: input.clinic_ids,
    period,
  })
  const stored = { ...found, body }
  return { stored, clinics, clinicIds: input.clinic_ids, period }
}

/** A clinic that does not exist and one that the user may not see answer alike. */
export async function loadReportClinics(
  { db, actor }: Context,
  ids: string[],
  field = 'clinic_ids',
) {
  const clinics = await db
    .selectFrom('clinics')
    .select(clinicRecord.selected)
    .where('id', 'in', ids)
    .where('is_deleted', '=', false)
    .orderBy(sql`name collate names`)
    .execute()
  if (clinics.length < ids.length || !mayCount(actor, ids)) {
    const missing: Message = { key: 'clinics.notFound' }
    throw new AppError('not_found', missing, { [field]: missing })
  }
  return clinics
}

async function requireDefinition(db: Kysely<DB>, code: string): Promise<StoredReport> {
  const row = await db
    .selectFrom('report_definitions')
    .select(['id', 'code', 'version', 'body'])
    .where('code', '=', code)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!row) {
    const missing: Message = { key: 'reports.notFound' }
    throw new AppError('not_found', missing, { code: missing })
  }
  return { ...row, body: reportDefinition.parse(row.body) }
}

function parseReportPeriod({ body }: StoredReport, text: string, now = new Date()): Period {
  const zone = clinicTimeZone()
  const period = readPeriod(text, zone)
  if (!period || period.kind !== body.period)
    throw wrong('period', `reports.periodOf_${body.period}`)
  if (period.first > dayIn(now, zone)) throw wrong('period', 'reports.periodInFuture')
  return period
}

/** The first day on which the period can be closed. */
export const closableOn = ({ body }: Pick<StoredReport, 'body'>, { last }: Pick<Period, 'last'>) =>
  addDays(last, body.closable_from ?? 1)

const SETTLE_MS = 1_000

/** Brings programs up to date for a live report; a job settles what takes longer. */
export async function settlePrograms(ctx: Context) {
  await settleFollowUps(ctx, AbortSignal.timeout(SETTLE_MS))
  // a replica must have what was settled before it computes
  await rememberWrite(ctx)
}

/** What the records say now. `zone`: of the clinic, or that of a closed run. */
export async function computed(
  ctx: Context,
  { stored, clinicIds, period }: Pick<Report, 'stored' | 'clinicIds' | 'period'>,
  zone = clinicTimeZone(),
) {
  const manual = await loadManualValues(ctx.db, stored.id, clinicIds, period.text)
  return runCells(ctx.db, {
    definition: stored.body,
    clinicIds,
    period,
    zone,
    manual,
    now: new Date(),
  })
}

/** Manual values, summed over the clinics. */
async function loadManualValues(
  db: Kysely<DB>,
  definitionId: string,
  clinicIds: readonly string[],
  period: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('report_manual_values')
    .select(['section', 'row_id as row', 'column_id as column'])
    .select(({ fn }) => fn.sum<number>('value').as('value'))
    .where('definition_id', '=', definitionId)
    .where('period', '=', period)
    .where('clinic_id', 'in', [...clinicIds])
    .where('is_deleted', '=', false)
    .groupBy(['section', 'row_id', 'column_id'])
    .execute()
  return new Map(rows.map(({ value, ...cell }) => [cellKey(cell), value]))
}

/** Closing and entering values of a report and period take turns. */
export const lockReport = (db: Kysely<DB>, definitionId: string, period: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`report ${definitionId} ${period}`}, 0))`.execute(
    db,
  )
