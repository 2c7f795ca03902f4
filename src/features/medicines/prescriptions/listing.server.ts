import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import {
  patientMatchSql,
  readPatientSearch,
} from '~/features/people/patients/search/matching.server'
import { patientName } from '~/features/people/patients/patient'
import { contactColumns } from '~/records/clinic'
import type { PrescriptionStatus } from '~/records/prescription-status'
import { type Context, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { containing, sentBy } from '~/server/scope'
import { patientsOfRows } from '~/server/shown'
import { mayAnywhere } from '~/shared/actor'
import { PAGE_SIZE } from '~/shared/record'
import { addDays, clinicTimeZone, dayIn, momentAt, clinicToday } from '~/shared/zone'
import { loadPrescriptionItems } from './items.server'
import { parsePrescriptionNumber, prescriptionNumber } from './number'
import { ListPrescriptions, type PrescriptionFilter } from './prescription-listing'
import type { PrescriptionSort } from './prescription-search'
import { prescriptionSeen, waysToSee } from './rights.server'

const maySee = ({ actor }: Context) =>
  mayAnywhere(actor, 'can_view_history', 'can_dispense_medications')

/** A page of the prescriptions that the user may see, newest first, with names instead of ids. */
export const listPrescriptions = query('prescriptions.list', {
  access: 'prescriptions',
  mayLag: true,
  reads: ['prescription_items', 'prescriptions'],
  looksUp: ['clinics', 'drug_catalogue', 'patients', 'users'],
  input: ListPrescriptions,
  allow: maySee,
  run: loadPage,
  shows: patientsOfRows,
})

/** The same page with the medicines of each prescription. */
export const listPrescriptionDetails = query('prescriptions.details', {
  access: 'prescriptions',
  reads: ['prescription_items', 'prescriptions'],
  looksUp: ['clinics', 'drug_catalogue', 'patients', 'users'],
  input: ListPrescriptions,
  allow: maySee,
  async run(ctx, filter) {
    const { rows, pagination } = await loadPage(ctx, filter)
    const items = await loadPrescriptionItems(
      ctx.db,
      rows.map(({ id }) => id),
    )
    return { rows: rows.map((row) => ({ ...row, items: items.get(row.id) ?? [] })), pagination }
  },
  shows: patientsOfRows,
})
export type ListedPrescription = Awaited<ReturnType<typeof listPrescriptions>>['rows'][number]
export type DetailedPrescription = Awaited<
  ReturnType<typeof listPrescriptionDetails>
>['rows'][number]

/**
 * Something of the prescription was dispensed, and not all of it reversed. `offset` keeps PostgreSQL from reading the
 * items of all prescriptions for one page.
 */
export const isDispensed = sql<boolean>`exists (select from prescription_items i
  where i.prescription_id = prescriptions.id and i.quantity_dispensed > 0 offset 0)`

/** Prescriptions that are not deleted, with the names of patient, users, clinic and medicines. */
export const selectPrescriptions = (db: Kysely<DB>) =>
  db
    .selectFrom('prescriptions')
    .innerJoin('patients', 'patients.id', 'prescriptions.patient_id')
    .leftJoin('users as provider', 'provider.id', 'prescriptions.provider_id')
    .leftJoin('users as filler', 'filler.id', 'prescriptions.filled_by')
    .leftJoin('clinics', 'clinics.id', 'prescriptions.pickup_clinic_id')
    .leftJoin('users as typist', 'typist.id', 'prescriptions.entered_by_user_id')
    .where('prescriptions.is_deleted', '=', false)
    .select([
      'prescriptions.id',
      'prescriptions.patient_id',
      'provider_id',
      'pickup_clinic_id',
      'visit_id',
      'priority',
    ])
    .select([
      'status',
      'unusual_from',
      'status_reason',
      'prescribed_at',
      'expiration_date',
      'filled_at',
      'prescriptions.notes',
      'prescriptions.entered_on',
      'typist.name as entered_by',
    ])
    .select(['prescriptions.created_at', 'prescriptions.last_modified', 'given_name', 'surname'])
    .select(['provider.name as provider', 'filler.name as filled_by', 'clinics.name as clinic'])
    .select(identifiersColumn('patients').as('identifiers'))
    .select(['provider.role as provider_role', ...contactColumns('clinics')])
    .select([isDispensed.as('is_dispensed'), sentBy('prescriptions', 'provider_id')])
    .select(
      sql<
        string[]
      >`(select coalesce(array_agg(d.generic_name order by i.position, i.created_at, i.id), '{}')
        from prescription_items i join drug_catalogue d on d.id = i.drug_id
        where i.prescription_id = prescriptions.id and not i.is_deleted)`.as('medications'),
    )

type Selection = Omit<PrescriptionFilter, 'page'>
type Row = Awaited<ReturnType<ReturnType<typeof selectPrescriptions>['execute']>>[number]
/** A row of `selectPrescriptions` as lists and pages show it. */
export function asPrescription(
  { given_name, surname, expiration_date, ...row }: Row,
  today = clinicToday(),
) {
  const lastDay = expiration_date && dayIn(expiration_date, clinicTimeZone())
  return {
    ...row,
    number: prescriptionNumber(row.id),
    status: row.status as PrescriptionStatus,
    unusual_from: row.unusual_from as PrescriptionStatus | null,
    patient: patientName({ given_name, surname }),
    /** The last day on which it can be dispensed. */
    expiration_date: lastDay,
    is_expired: lastDay !== null && lastDay < today,
  }
}

async function loadPage(ctx: Context, filter: PrescriptionFilter) {
  // names and medicines are read for the rows of the page alone, however far it is
  const { rows: ids, pagination } =
    filter.sort || filter.search ? await sortedPage(ctx, filter) : await recentPage(ctx, filter)
  return { rows: await loadPrescriptionRows(ctx, ids), pagination }
}

const living = ({ db }: Context) =>
  db.selectFrom('prescriptions').where('prescriptions.is_deleted', '=', false)

/** The newest first: each part of what the user may see, from an index that has it in this order. */
async function recentPage(ctx: Context, { page, ...filter }: PrescriptionFilter) {
  const matching = await matchingConditions(ctx.db, filter)
  const parts = waysToSee(ctx.actor).map((way) =>
    living(ctx)
      .where(allConditions([way, ...matching]))
      .select(['prescriptions.id', 'prescribed_at']),
  )
  const inOrder = parts.map(
    (part) =>
      sql`(${part
        .orderBy('prescribed_at', 'desc')
        .orderBy('prescriptions.id')
        .limit(page * PAGE_SIZE)})`,
  )
  const from = (some: RawBuilder<unknown>[]) =>
    ctx.db.selectFrom(
      sql<{ id: string; prescribed_at: Date }>`(${sql.join(some, sql` union all `)})`.as('listed'),
    )
  return loadListPage(
    from(inOrder).select('listed.id').orderBy('listed.prescribed_at', 'desc').orderBy('listed.id'),
    from(parts.map((part) => sql`(${part})`)),
    page,
    { list: { ctx, name: 'prescriptions', filter }, ofPatient: filter.patientId !== undefined },
  )
}

async function sortedPage(ctx: Context, filter: PrescriptionFilter) {
  const { page, sort, direction } = filter
  const listed = living(ctx).where(await filterCondition(ctx, filter))
  return loadListPage(
    listed
      .select('prescriptions.id')
      .$if(sort === 'patient', (q) =>
        q.innerJoin('patients', 'patients.id', 'prescriptions.patient_id'),
      )
      .$if(sort === 'provider', (q) =>
        q.leftJoin('users as provider', 'provider.id', 'prescriptions.provider_id'),
      )
      .orderBy(prescriptionOrder(sort, direction))
      .orderBy('prescriptions.id'),
    listed,
    page,
  )
}

/** These prescriptions with their names and medicines, in this order. */
async function loadPrescriptionRows({ db, actor }: Context, found: readonly { id: string }[]) {
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const rows = await selectPrescriptions(db)
    .modifyFront(asPrepared(ids.length))
    .where(columnInIds('prescriptions.id', ids))
    .where(sql<boolean>`${prescriptionSeen(actor)}`)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? []).map((row) => asPrescription(row))
}

/** A `where` for the prescriptions that match the filter and that the user may see. */
export const filterCondition = async ({ db, actor }: Context, filter: Selection) =>
  allConditions([prescriptionSeen(actor), ...(await matchingConditions(db, filter))])

const allConditions = (conditions: Expression<SqlBool>[]) =>
  sql<boolean>`${sql.join(conditions, sql` and `)}`

async function matchingConditions(
  db: Kysely<DB>,
  filter: Selection,
): Promise<RawBuilder<SqlBool>[]> {
  const { status, priority, clinicId, providerId, patientId, visitId, from, to, search } = filter
  const conditions: RawBuilder<SqlBool>[] = []
  const equal = (column: string, value: string | undefined) => {
    if (value) conditions.push(sql<boolean>`${sql.ref(`prescriptions.${column}`)} = ${value}`)
  }
  equal('status', status)
  equal('priority', priority)
  equal('pickup_clinic_id', clinicId)
  equal('provider_id', providerId)
  equal('patient_id', patientId)
  equal('visit_id', visitId)
  if (from)
    conditions.push(
      sql<boolean>`prescriptions.prescribed_at >= ${momentAt(`${from}T00:00`, clinicTimeZone())}`,
    )
  if (to) {
    conditions.push(
      sql<boolean>`prescriptions.prescribed_at < ${momentAt(`${addDays(to, 1)}T00:00`, clinicTimeZone())}`,
    )
  }
  if (search) conditions.push(await searchCondition(db, search))
  return conditions
}

/** A `where` for the prescriptions of patients, with medicines or with a number like `search`. */
export async function searchCondition(
  db: Kysely<DB>,
  search: string,
): Promise<RawBuilder<SqlBool>> {
  const read = await readPatientSearch(db, search)
  const idEnd = parsePrescriptionNumber(search)
  const byNumber = idEnd ? sql`right(prescriptions.id::text, 10) = ${idEnd}` : sql`false`
  const byDrug = sql`exists (select from prescription_items i join drug_catalogue d on d.id = i.drug_id
    where i.prescription_id = prescriptions.id and not i.is_deleted
      and drug_names(d.generic_name, d.brand_name, d.ingredients)
        like '%' || trim(search_text(${containing(search).slice(1, -1)})) || '%')`
  if (!read) return sql<boolean>`${byNumber}`
  return sql<boolean>`(prescriptions.patient_id in (select patient_id from ${patientMatchSql(read)} people) or ${byDrug}
      or ${byNumber})`
}

const names = (alias: string, ...columns: string[]) =>
  sql.join(columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} collate names`))

/** The most urgent last: first if descending. */
const urgency = sql`array_position(array['low', 'normal', 'high', 'emergency'], prescriptions.priority)`
const sortedBy: Record<PrescriptionSort, RawBuilder<unknown>> = {
  prescribed_at: sql`prescriptions.prescribed_at`,
  patient: sql`(${names('patients', 'surname')}, ${names('patients', 'given_name')})`,
  provider: names('provider', 'name'),
  priority: urgency,
  status: sql`prescriptions.status`,
}
export const prescriptionOrder = (sort?: PrescriptionSort, direction: 'asc' | 'desc' = 'asc') =>
  sort
    ? sql`${sortedBy[sort]} ${direction === 'desc' ? sql`desc nulls last` : sql`asc nulls last`}`
    : sql`prescriptions.prescribed_at desc`
