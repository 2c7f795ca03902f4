// The list, the pickers and the files find patients by the same conditions: longer than most files.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import { BASE_COLUMNS } from '~/records/patient'
import { dispenseTo, knowPatient } from '~/policy/rules'
import {
  clinicsSearched,
  isHistoryRead,
  livingWhere,
  patientsWhere,
  rowsWays,
  rowsWhere,
  searchedWhere,
} from '~/policy/sql.server'
import { type Context, query } from '~/server/operation'
import { type Actor, can, mayAnywhere } from '~/shared/actor'
import { countUpTo, pagination } from '~/server/paged'
import { PAGE_SIZE } from '~/shared/record'
import { addDays, startOfDay, clinicToday } from '~/shared/zone'
import {
  guessPatientMatchSql,
  type Matching,
  patientMatchSql,
  readPatientSearch,
} from './matching.server'
import { readBirthPrecision, type Metadata } from '../patient'
import { ListPatients, type PatientFilter, SearchPatients } from './patient-filter'
import { inClinicMatchSql, searched } from './searched.server'
import type { PatientSort } from './search'

const mayLook = ({ actor }: Context) =>
  can(actor, 'read_patient') && mayAnywhere(actor, ...knowPatient.permissions)

/** One page of the patients that the actor may know. */
export const listPatients = query('patients.list', {
  access: 'list',
  mayLag: true,
  reads: ['patient_additional_attributes', 'patients'],
  looksUp: ['clinics'],
  input: ListPatients,
  allow: mayLook,
  async run(ctx, input) {
    const { page, ...filter } = { page: 1, ...input }
    const { ids, total } = await idsOfPage(ctx, filter, page)
    return {
      patients: await loadPatientRows(ctx, ids),
      pagination: pagination(total, page),
      error: null,
    }
  },
  shows: ({ patients }) => patients.map(({ id }) => id),
})
export type ListedPatient = Awaited<ReturnType<typeof listPatients>>['patients'][number]

/** Users who only dispense find the patients whose prescriptions their clinics have. */
const mayPick = (ctx: Context) =>
  mayLook(ctx) ||
  (can(ctx.actor, dispenseTo.capability) && mayAnywhere(ctx.actor, ...dispenseTo.permissions))

/** The best matches, for pickers. No matches without text. */
export const searchPatients = query('patients.search', {
  access: 'search',
  byPost: true,
  mayLag: true,
  input: SearchPatients,
  allow: mayPick,
  async run(ctx, { searchQuery, limit, dispensing = false }) {
    const read = await readPatientSearch(ctx.db, searchQuery)
    if (!read) return { patients: [] }
    const isFound = foundWhere(ctx.actor, dispensing)
    let patients = await picked(ctx, patientMatchSql(read), isFound, limit)
    if (patients.length === 0) {
      const guess = await guessPatientMatchSql(ctx.db, read)
      if (guess) patients = await picked(ctx, guess, isFound, limit)
    }
    return {
      patients: patients.map(({ metadata, ...patient }) => ({
        ...patient,
        isApproximate: readBirthPrecision(metadata) !== 'day',
      })),
    }
  },
  shows: ({ patients }) => patients.map(({ id }) => id),
})
export type PickedPatient = Awaited<ReturnType<typeof searchPatients>>['patients'][number]

const foundWhere = (actor: Actor, dispensing: boolean): Expression<SqlBool> =>
  dispensing
    ? sql<boolean>`(${searchedWhere(actor)} or ${patientsWhere(dispenseTo, actor, 'match.patient_id')})`
    : searchedWhere(actor)

const picked = ({ db }: Context, source: Matching, isFound: Expression<SqlBool>, limit: number) =>
  db
    .selectFrom((qb) =>
      qb
        .selectFrom(source.as('match'))
        .selectAll()
        .where(isFound)
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
      'died_on',
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
/** A further condition, given the column of the patient's id. */
type Only = (patientId: string) => Expression<SqlBool>

/** The ids of all patients of the filter, in the list's order. */
export async function idsOfAll(ctx: Context, filter: Sought, only: Only): Promise<string[]> {
  const sought = await soughtBy(ctx, filter, only)
  if (!sought) return []
  const { rows } = await sql<{
    id: string
  }>`select ${sought.id} as id ${sought.from} order by ${sought.order}`.execute(ctx.db)
  return rows.map(({ id }) => id)
}

export async function countOfMatches(ctx: Context, filter: Sought, only: Only): Promise<number> {
  const sought = await soughtBy(ctx, filter, only)
  return sought ? countMatches(ctx, sought) : 0
}

/** The same patients as the list: the matches, or without any the matches of similar spellings. */
async function soughtBy(ctx: Context, filter: Sought, only: Only) {
  if (!filter.search) return listed(ctx, filter, knownOneByOne, only)
  const read = await readPatientSearch(ctx.db, filter.search)
  if (!read) return null
  const matching = patientMatchSql(read)
  // like the list, decides without `only` whether there are matches
  const { rows } = await sql`select 1 ${matched(ctx, filter, matching).from} limit 1`.execute(
    ctx.db,
  )
  if (rows.length > 0) return matched(ctx, filter, matching, only)
  const guess = await guessPatientMatchSql(ctx.db, read)
  return guess && matched(ctx, filter, guess, only)
}

/** The ids of one page in order, and the total. */
async function idsOfPage(ctx: Context, filter: Sought, page: number) {
  if (!filter.search) return listedPage(ctx, filter, page)
  const read = await readPatientSearch(ctx.db, filter.search)
  if (!read) return { ids: [], total: 0 }
  const found = await matchedPage(ctx, filter, page, patientMatchSql(read))
  if (found.total > 0) return found
  const guess = await guessPatientMatchSql(ctx.db, read)
  return guess ? matchedPage(ctx, filter, page, guess) : found
}

type Query = { id: RawBuilder<unknown>; from: RawBuilder<unknown>; order: RawBuilder<unknown> }

/** Up to this number, sorting is faster than walking an index in the list's order. */
const FEW = 2_000

/** From this row on, reading all patients of the clinics is faster than looking up each passed patient. */
const FAR = 1_000

/**
 * A page without a search. The total, up to the one that the page needs, is counted first, because it decides
 * how the page is read.
 */
async function listedPage(ctx: Context, filter: Sought, page: number) {
  const total = await countOfListed(ctx, filter, page)
  const skip = (page - 1) * PAGE_SIZE
  if (total <= skip) return { ids: [], total }
  const { id, from, order } =
    registered(ctx, filter) ??
    (total <= FEW
      ? gathered(ctx, filter)
      : listed(ctx, filter, skip < FAR ? knownOneByOne : knownByClinics))
  const { rows } = await sql<{ id: string }>`select ${id} as id ${from}
    order by ${order} limit ${PAGE_SIZE} offset ${skip}`.execute(ctx.db)
  return { ids: rows.map((row) => row.id), total }
}

/**
 * Counts known patients: those of some clinics in `clinic_patients`, others in `patient_search`, which has one row with
 * the clinics per patient who is not deleted.
 */
async function countOfListed(ctx: Context, { clinicId, ...filter }: Sought, page: number) {
  const list = { ctx, name: 'patients', filter: { clinicId, ...filter } }
  const ofPerson = personConditions(filter)
  if (!clinicId && can(ctx.actor, 'read_all-patient') && ofPerson.length > 0)
    return countUpTo(list, sql`select ${listed(ctx, filter, knownOneByOne).from}`, page)
  // rows exist only for patients that are not deleted: repeating it lets partial indexes be used
  const person =
    ofPerson.length > 0
      ? sql`join patients on patients.id = match.patient_id and not is_deleted`
      : sql``
  const conditions = [
    sql`true`,
    ...ofPerson,
    ...visitConditions(ctx, filter, clinicId, 'match.patient_id'),
  ]
  return countUpTo(
    list,
    sql`select from ${searched(ctx, clinicId)} match ${person} where ${allConditions(conditions)}`,
    page,
  )
}

/** The same patients as `listed`, found by their clinics first instead of row by row. */
function gathered(ctx: Context, { clinicId, ...filter }: Sought): Query {
  const conditions = [
    sql`not is_deleted`,
    ...personConditions(filter),
    ...visitConditions(ctx, filter, clinicId, 'match.patient_id'),
  ]
  return {
    id: sql`patients.id`,
    from: sql`from ${searched(ctx, clinicId)} match
      join patients on patients.id = match.patient_id where ${allConditions(conditions)}`,
    // an index of `patients` may then have all that is read of it
    order:
      !filter.sort && clinicsSearched(ctx.actor, clinicId)
        ? sql`match.created_at desc, match.patient_id`
        : patientOrder(filter),
  }
}

/** The patients of one clinic in the order in which an index has them; null for other lists. */
function registered({ actor }: Context, { clinicId, ...filter }: Sought): Query | null {
  const clinics = clinicsSearched(actor, clinicId)
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '')
  if (clinics?.length !== 1 || isFiltered) return null
  return {
    id: sql`patient_id`,
    from: sql`from clinic_patients where clinic_id = ${clinics[0]}`,
    order: sql`created_at desc, patient_id`,
  }
}

/** A page with a search: one pass over all matches yields the ranks and the total. */
async function matchedPage(ctx: Context, filter: Sought, page: number, source: Matching) {
  const sought = matched(ctx, filter, source)
  const { rows } = await sql<{
    id: string
    total: number
  }>`select ${sought.id} as id, count(*) over () as total ${sought.from}
    order by ${sought.order} limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}`.execute(ctx.db)
  const isPastEnd = rows.length === 0 && page > 1
  return {
    ids: rows.map(({ id }) => id),
    total: isPastEnd ? await countMatches(ctx, sought) : (rows[0]?.total ?? 0),
  }
}

async function countMatches({ db }: Context, { from }: Query) {
  const { rows } = await sql<{ total: number }>`select count(*) as total ${from}`.execute(db)
  return rows[0]!.total
}

/** A condition on `patients`: the actor knows them, and they have a link to the clinic if there is one. */
type Known = (actor: Actor, clinicId: string | undefined) => Expression<SqlBool>

function listed({ actor }: Context, filter: Sought, known: Known, only?: Only): Query {
  const conditions = [
    sql`not patients.is_deleted`,
    ...personConditions(filter),
    ...visitConditions({ actor }, filter, filter.clinicId, 'patients.id'),
    known(actor, filter.clinicId),
    ...(only ? [only('patients.id')] : []),
  ]
  return {
    id: sql`patients.id`,
    from: sql`from patients where ${allConditions(conditions)}`,
    order: patientOrder(filter),
  }
}

/**
 * `patient_search` has no deleted patients, so `patients` is joined only for filters and sorting.
 */
function matched({ actor }: Context, filter: Sought, source: Matching, only?: Only): Query {
  const { clinicId } = filter
  const ofPerson = personConditions(filter)
  const person =
    ofPerson.length > 0 || filter.sort
      ? sql`join patients on patients.id = match.patient_id`
      : sql``
  const conditions = [
    searchedWhere(actor),
    ...inClinicMatchSql(clinicId),
    ...ofPerson,
    ...visitConditions({ actor }, filter, clinicId, 'match.patient_id'),
    ...(only ? [only('match.patient_id')] : []),
  ]
  return {
    id: sql`match.patient_id`,
    from: sql`from ${source} match ${person} where ${allConditions(conditions)}`,
    order: filter.sort
      ? patientOrder(filter)
      : sql`match.rank desc, match.names collate "C", match.patient_id`,
  }
}

const allConditions = (conditions: Expression<unknown>[]) =>
  sql<SqlBool>`${sql.join(conditions, sql` and `)}`

/** Looks up the clinics of each patient that is passed. */
const knownOneByOne: Known = (actor, clinicId) =>
  allConditions([livingWhere('knowPatient', actor), ...(clinicId ? [isInClinics([clinicId])] : [])])

/**
 * Reads all patients of the clinics at once. As "is true", PostgreSQL walks the index of the order and looks each
 * patient up in a hash of these, or in the index if the hash would not fit into memory.
 */
const knownByClinics: Known = (actor, clinicId) => {
  const clinics = clinicsSearched(actor, clinicId)
  return clinics ? sql`(${isInClinics(clinics)}) is true` : knownOneByOne(actor, clinicId)
}

const isInClinics = (clinics: readonly string[]) =>
  sql<SqlBool>`exists (select from clinic_patients l
    where l.patient_id = patients.id and l.clinic_id = any(${clinics}::uuid[]))`

const startOfDayAfter = (day: string) => startOfDay(addDays(day, 1))

/** The filters that need a column of `patients`. */
function personConditions({ sex, ageFrom, ageTo, registeredFrom, registeredTo }: PatientFilter) {
  const today = clinicToday()
  const conditions: Expression<SqlBool>[] = []
  if (sex) conditions.push(sql`patients.sex = ${sex}`)
  if (ageFrom !== undefined)
    conditions.push(sql`patients.date_of_birth <= ${yearsBefore(today, ageFrom)}::date`)
  if (ageTo !== undefined)
    conditions.push(sql`patients.date_of_birth > ${yearsBefore(today, ageTo + 1)}::date`)
  if (registeredFrom) conditions.push(sql`patients.created_at >= ${startOfDay(registeredFrom)}`)
  if (registeredTo) conditions.push(sql`patients.created_at < ${startOfDayAfter(registeredTo)}`)
  return conditions
}

/**
 * The filters by visits, which need the id of the patient only. A visit counts only if the actor may see it. `match` is
 * counted or gathered, from an index of the visits; each of `patients` is passed in order, and its visits looked up.
 */
function visitConditions(
  { actor }: Pick<Context, 'actor'>,
  { visitedFrom, visitedTo, seen }: PatientFilter,
  clinicId: string | undefined,
  patientId: 'match.patient_id' | 'patients.id',
): Expression<SqlBool>[] {
  if (!visitedFrom && !visitedTo && !seen) return []
  const from = visitedFrom ? sql`and v.check_in_timestamp >= ${startOfDay(visitedFrom)}` : sql``
  const to = visitedTo ? sql`and v.check_in_timestamp < ${startOfDayAfter(visitedTo)}` : sql``
  const there = clinicId ? sql`and v.clinic_id = ${clinicId}` : sql``
  const received = seen ? sql`and not visit_only_waits(v.id, v.closed_at, v.closed_as)` : sql``
  const ways = patientId === 'patients.id' ? [rowsWhere(actor, 'v')] : rowsWays(actor, 'v')
  const visits = ways.map(
    (way) => sql`select v.patient_id from visits v where not v.is_deleted
      and ${way} ${from} ${to} ${there} ${received}`,
  )
  const visited = sql<SqlBool>`${sql.ref(patientId)} in (${sql.join(visits, sql` union all `)})`
  return isHistoryRead(actor, clinicId)
    ? [visited]
    : [visited, livingWhere('readHistory', actor, patientId)]
}

/** The same day `years` earlier; 29 February becomes 28 February, as in PostgreSQL. */
const yearsBefore = (day: string, years: number) =>
  sql`(${day}::date - make_interval(years => ${years}))`

/** The chosen order, otherwise the newest first. */
export function patientOrder({
  sort,
  direction = 'asc',
}: Pick<PatientFilter, 'sort' | 'direction'>) {
  if (!sort) return sql`patients.created_at desc, patients.id`
  const way = direction === 'desc' ? sql`desc` : sql`asc`
  // patients without a date of birth come last in both directions
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

/** The columns of the list for these patients, who are not deleted, in this order: two statements per page. */
export async function loadPatientRows({ db }: Context, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('patients')
    .modifyFront(asPrepared(ids.length))
    .select([
      'id',
      ...BASE_COLUMNS,
      'died_on',
      'language',
      'weeks_at_birth',
      'metadata',
      'photo_url',
      'primary_clinic_id',
      'created_at',
      'last_modified',
    ])
    .select(
      sql<
        { id: string; name: string }[]
      >`(select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.name collate names), '[]')
        from clinic_patients l join clinics c on c.id = l.clinic_id where l.patient_id = patients.id)`.as(
        'clinics',
      ),
    )
    .where(columnInIds('id', ids))
    .execute()
  const stored = await db
    .selectFrom('patient_additional_attributes')
    .modifyFront(asPrepared(ids.length))
    .select([
      'patient_id',
      'attribute_id',
      'number_value',
      'string_value',
      'date_value',
      'boolean_value',
      'metadata',
    ])
    .where(columnInIds('patient_id', ids))
    .where('is_deleted', '=', false)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const answers = Map.groupBy(stored, ({ patient_id }) => patient_id)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (!row) return []
    const attributes = (answers.get(id) ?? []).map(
      ({ patient_id: _patient, metadata, ...answer }) => ({
        ...answer,
        metadata: metadata as Metadata,
      }),
    )
    return [{ ...row, metadata: row.metadata as Metadata, attributes }]
  })
}
