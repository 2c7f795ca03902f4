import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Context, query } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import { PAGE_SIZE } from '~/shared/record'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import { guessOf, type Matching, matchingOf } from './matching.server'
import { BASE_COLUMNS, birthPrecisionOf, type Metadata } from './patient'
import { ListPatients, type PatientFilter, type PatientSort, SearchPatients } from './search'
import { historyOpen, known } from './seen.server'

const mayLook = ({ actor }: Context) =>
  can(actor, 'read_patient') && mayAnywhere(actor, 'can_register_patients', 'can_view_history')

/** One page of the patients whom the person may know. */
export const listPatients = query('patients.list', {
  input: ListPatients,
  allow: mayLook,
  async run(ctx, input) {
    const { page, ...filter } = { page: 1, ...input }
    const { ids, total } = await idsOfPage(ctx, filter, page)
    return { patients: await rowsOf(ctx, ids), pagination: { page, pageSize: PAGE_SIZE, total }, error: null }
  },
})
export type ListedPatient = Awaited<ReturnType<typeof listPatients>>['patients'][number]

/** For pickers: the best few. Nothing typed: nobody. */
export const searchPatients = query('patients.search', {
  input: SearchPatients,
  allow: mayLook,
  async run(ctx, { searchQuery, limit }) {
    const matching = await matchingOf(ctx.db, searchQuery)
    if (!matching) return { patients: [] }
    let patients = await picked(ctx, matching, limit)
    if (patients.length === 0) {
      const guess = await guessOf(ctx.db, searchQuery)
      if (guess) patients = await picked(ctx, guess, limit)
    }
    return {
      patients: patients.map(({ metadata, ...patient }) => ({
        ...patient,
        isApproximate: birthPrecisionOf(metadata) !== 'day',
      })),
    }
  },
})
export type PickedPatient = Awaited<ReturnType<typeof searchPatients>>['patients'][number]

const picked = ({ db, actor }: Context, source: Matching, limit: number) =>
  db
    .selectFrom((qb) =>
      qb
        .selectFrom(source.as('match'))
        .selectAll()
        .where(known(actor, 'match.patient_id'))
        .orderBy('rank', 'desc')
        .orderBy(sql`names collate "C"`)
        .orderBy('patient_id')
        .limit(limit)
        .as('best'),
    )
    .innerJoin('patients', 'patients.id', 'best.patient_id')
    .select([
      'patients.id',
      'given_name',
      'surname',
      'sex',
      'date_of_birth',
      'phone',
      'government_id',
      'external_patient_id',
    ])
    .select('metadata')
    .orderBy('best.rank', 'desc')
    .orderBy(sql`best.names collate "C"`)
    .orderBy('patients.id')
    .execute()

type Sought = Omit<PatientFilter, 'page'>

/** The ids of one page in order, and how many there are in all. */
async function idsOfPage(ctx: Context, filter: Sought, page: number) {
  if (!filter.search) return listedPage(ctx, filter, page)
  const matching = await matchingOf(ctx.db, filter.search)
  if (!matching) return { ids: [], total: 0 }
  const found = await matchedPage(ctx, filter, page, matching)
  if (found.total > 0) return found
  const guess = await guessOf(ctx.db, filter.search)
  return guess ? matchedPage(ctx, filter, page, guess) : found
}

/** Without a search: the page walks an index in its order, the total is counted by itself. */
async function listedPage({ db, actor }: Context, filter: Sought, page: number) {
  const where = allOf([sql`not patients.is_deleted`, sql`${known(actor)}`, ...conditionsOf({ actor }, filter)])
  const { rows } = await sql<{ id: string }>`select id from patients where ${where}
    order by ${orderOf(filter)} limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (page === 1 && ids.length < PAGE_SIZE) return { ids, total: ids.length }
  const counted = await sql<{ total: number }>`select count(*) as total from patients where ${where}`.execute(db)
  return { ids, total: counted.rows[0]!.total }
}

/** With one: every match is looked at once, for its rank and for the total. The living alone are in `patient_search`. */
async function matchedPage({ db, actor }: Context, filter: Sought, page: number, source: Matching) {
  const conditions = conditionsOf({ actor }, filter)
  const person = conditions.length > 0 || filter.sort ? sql`join patients on patients.id = match.patient_id` : sql``
  const from = sql`from ${source} match ${person} where ${allOf([sql`${known(actor, 'match.patient_id')}`, ...conditions])}`
  const order = filter.sort ? orderOf(filter) : sql`match.rank desc, match.names collate "C", match.patient_id`
  const { rows } = await sql<{
    id: string
    total: number
  }>`select match.patient_id as id, count(*) over () as total ${from}
    order by ${order} limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (rows[0] || page === 1) return { ids, total: rows[0]?.total ?? 0 }
  const counted = await sql<{ total: number }>`select count(*) as total ${from}`.execute(db)
  return { ids, total: counted.rows[0]!.total }
}

const allOf = (conditions: RawBuilder<unknown>[]) => sql.join(conditions, sql` and `)

/** What the filters ask, as conditions on `patients`. A visit counts only where the person may see that there was one. */
export function conditionsOf(
  { actor }: Pick<Context, 'actor'>,
  filter: Sought,
  now = new Date(),
): RawBuilder<SqlBool>[] {
  const { clinicId, sex, ageFrom, ageTo, registeredFrom, registeredTo, visitedFrom, visitedTo } = filter
  const zone = clinicTimeZone()
  const startOf = (day: string) => momentAt(`${day}T00:00`, zone)
  const endOf = (day: string) => momentAt(`${dayAfter(day)}T00:00`, zone)
  const today = dayIn(now, zone)
  const conditions: RawBuilder<SqlBool>[] = []
  if (clinicId) {
    conditions.push(
      sql`patients.id in (select patient_id from patient_links where until is null and clinic_id = ${clinicId})`,
    )
  }
  if (sex) conditions.push(sql`patients.sex = ${sex}`)
  if (ageFrom !== undefined) conditions.push(sql`patients.date_of_birth <= ${yearsBefore(today, ageFrom)}::date`)
  if (ageTo !== undefined) conditions.push(sql`patients.date_of_birth > ${yearsBefore(today, ageTo + 1)}::date`)
  if (registeredFrom) conditions.push(sql`patients.created_at >= ${startOf(registeredFrom)}`)
  if (registeredTo) conditions.push(sql`patients.created_at < ${endOf(registeredTo)}`)
  if (visitedFrom || visitedTo) {
    const from = visitedFrom ? sql`and v.check_in_timestamp >= ${startOf(visitedFrom)}` : sql``
    const to = visitedTo ? sql`and v.check_in_timestamp < ${endOf(visitedTo)}` : sql``
    const there = clinicId ? sql`and v.clinic_id = ${clinicId}` : sql``
    conditions.push(
      sql`patients.id in (select v.patient_id from visits v where not v.is_deleted ${from} ${to} ${there})`,
    )
    conditions.push(sql`${historyOpen(actor)}`)
  }
  return conditions
}

const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
/** The same day so many years earlier; 29 February becomes 28 February, as PostgreSQL counts. */
const yearsBefore = (day: string, years: number) => sql`(${day}::date - make_interval(years => ${years}))`

/** As the headings say, else the newest first. */
export function orderOf({ sort, direction = 'asc' }: Pick<PatientFilter, 'sort' | 'direction'>) {
  if (!sort) return sql`patients.created_at desc, patients.id`
  const way = direction === 'desc' ? sql`desc` : sql`asc`
  // who has no date of birth stands last either way
  const nulls = sort === 'date_of_birth' && direction === 'desc' ? sql`nulls last` : sql``
  const columns = sortedBy[sort].map((column) => sql`${column} ${way} ${nulls}`)
  return sql`${sql.join(columns)}, patients.id ${way}`
}

const named = (column: string) => sql`${sql.ref(`patients.${column}`)} collate names`
const sortedBy: Record<PatientSort, RawBuilder<unknown>[]> = {
  given_name: [named('given_name'), named('surname')],
  surname: [named('surname'), named('given_name')],
  date_of_birth: [sql`patients.date_of_birth`],
  sex: [sql`patients.sex`, sql`patients.created_at`],
  created_at: [sql`patients.created_at`],
}

/** What a list shows of these patients, in this order: two statements for a page, however long it is. */
export async function rowsOf({ db }: Context, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('patients')
    .select(['id', ...BASE_COLUMNS, 'metadata', 'photo_url', 'primary_clinic_id', 'created_at', 'last_modified'])
    .select(
      sql<
        { id: string; name: string }[]
      >`(select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.name collate names), '[]')
        from clinics c where c.id in (select clinic_id from patient_links l where l.patient_id = patients.id and l.until is null))`.as(
        'clinics',
      ),
    )
    .where('id', 'in', ids)
    .execute()
  const attributes = await db
    .selectFrom('patient_additional_attributes')
    .select(['patient_id', 'attribute_id', 'number_value', 'string_value', 'date_value', 'boolean_value', 'metadata'])
    .where('patient_id', 'in', ids)
    .where('is_deleted', '=', false)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const answers = Map.groupBy(attributes, ({ patient_id }) => patient_id)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (!row) return []
    const his = (answers.get(id) ?? []).map(({ patient_id: _his, metadata, ...answer }) => ({
      ...answer,
      metadata: metadata as Metadata,
    }))
    return [{ ...row, metadata: row.metadata as Metadata, attributes: his }]
  })
}
