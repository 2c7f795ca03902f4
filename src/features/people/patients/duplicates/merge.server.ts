// Merging and its undoing beside each other, so that what one moves the other gives back: longer than most files.
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { birthAnswer } from '~/features/people/registration/form-fields'
import { BASE_COLUMNS, MERGEABLE_COLUMNS, patientColumn } from '~/records/patient'
import { deletePatient, editPatient, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { can } from '~/shared/actor'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { type Attribute, loadAttributes } from '../answers.server'
import { askAboutLives } from '../lifetime/lifetime.server'
import { chosenSide, ListMerges, MergeId, MergePair, MergePatients, type Side } from './merge'
import { readBirthPrecision, type Metadata, patientName, withBirthPrecision } from '../patient'

/**
 * Users choose the value of each from one of the two patients, as they do for the answers to the
 * clinic's own fields.
 */
const COLUMNS = [...BASE_COLUMNS, ...MERGEABLE_COLUMNS]

/** Both records field by field, and how many rows of each table would move to the winner. */
export const mergePreview = query('patients.mergePreview', {
  access: 'duplicates',
  input: MergePair,
  allow: ({ actor }) => can(actor, 'update_patient') && can(actor, 'delete_patient'),
  async run(ctx, { winnerId, loserId }) {
    const { winner, loser } = await loadBoth(ctx, winnerId, loserId)
    const [winners, losers] = [
      await loadAttributes(ctx.db, winnerId),
      await loadAttributes(ctx.db, loserId),
    ]
    const ids = [...new Set([...winners, ...losers].map(({ attribute_id }) => attribute_id))]
    const [stays, moves] = [
      await countRowsByTable(ctx.db, winnerId),
      await countRowsByTable(ctx.db, loserId),
    ]
    const entries = { winner: sumCounts(stays), loser: sumCounts(moves) }
    return {
      winner: toMergeSide(winner),
      loser: toMergeSide(loser),
      fields: COLUMNS.map((name) => {
        const [winnerValue, loserValue] = [winner[name], loser[name]]
        const keeps = chosenSide(undefined, winnerValue, loserValue)
        return name === 'date_of_birth'
          ? { name, winner: birthAnswerText(winner), loser: birthAnswerText(loser), keeps }
          : { name, winner: winnerValue, loser: loserValue, keeps }
      }),
      answers: ids.map((id) => {
        const [winnerAnswer, loserAnswer] = [findAnswer(winners, id), findAnswer(losers, id)]
        return {
          id,
          winner: winnerAnswer,
          loser: loserAnswer,
          keeps: chosenSide(undefined, winnerAnswer, loserAnswer),
        }
      }),
      moves,
      /** How many entries each record has. */
      entries,
      /** The record to keep unless the user chooses: the fuller one, of two as full the older one. */
      proposed: isFuller(entries, winner, loser) ? ('winner' as const) : ('loser' as const),
    }
  },
  shows: (_, { input: { winnerId, loserId } }) => [winnerId, loserId],
})
export type MergePreview = Awaited<ReturnType<typeof mergePreview>>

/**
 * Merges two records of one person in one transaction: all rows of the loser move to the winner, in
 * every table that refers to patients. The loser becomes a tombstone that points to the winner.
 */
export const mergePatients = mutation('patients.merge', {
  input: MergePatients,
  allow: ({ actor }) => can(actor, 'update_patient') && can(actor, 'delete_patient'),
  async run(ctx, { id, winnerId, loserId, choices, confirmed }) {
    const repeated = await ctx.db
      .selectFrom('patient_merges')
      .select(['winner_id', 'loser_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (repeated?.winner_id === winnerId && repeated.loser_id === loserId)
      return { mergeId: id, winnerId }
    if (repeated) throw conflict('merge.idTaken')
    const { winner, loser } = await loadBoth(ctx, winnerId, loserId, true)
    await refuseFamily(ctx, winnerId, loserId)
    const changed = winnerChanges(winner, loser, choices)
    const now = { ...winner, ...sideIn(changed, 1) }
    await askAboutLives(
      ctx,
      [winner, loser].map((before) => ({ id: before.id, before, now })),
      confirmed,
    )
    const replaced = await takeAnswers(ctx.db, winnerId, loserId, choices)
    const { rows } = await sql<{
      done: Moved
    }>`select move_patient_rows(${loserId}::uuid, ${winnerId}::uuid) as done`.execute(ctx.db)
    await setColumns(ctx.db, winnerId, changed, 1)
    const { moved, kept, links } = rows[0]!.done
    await ctx.db
      .insertInto('patient_merges')
      .values({
        id,
        winner_id: winnerId,
        loser_id: loserId,
        merged_by: ctx.actor.userId,
        moved: JSON.stringify(moved),
        kept: JSON.stringify(kept),
        links: JSON.stringify(links),
        changed: JSON.stringify(changed),
        replaced: JSON.stringify(replaced),
      })
      .execute()
    await audit(ctx, {
      action: 'patients.merge',
      table: 'patient_merges',
      recordId: id,
      patientId: winnerId,
      changes: { loser_id: [loserId, winnerId] },
    })
    return { mergeId: id, winnerId }
  },
})

/** Two records that are linked as family are of two people, or the link is wrong; a user says which. */
async function refuseFamily({ db }: Context, one: string, other: string) {
  const link = await db
    .selectFrom('related_persons')
    .select('id')
    .where('is_deleted', '=', false)
    // who is their own contact person may have been registered twice
    .where('relationship', '!=', 'contact')
    .where('patient_id', 'in', [one, other])
    .where('related_patient_id', 'in', [one, other])
    .executeTakeFirst()
  if (link) throw conflict('merge.areFamily')
}

/**
 * Undoes a merge: the moved rows return, with what phones have sent for the loser since. Other rows recorded since stay
 * with the winner.
 */
export const unmergePatients = mutation('patients.unmerge', {
  input: MergeId,
  allow: ({ actor }) => can(actor, 'update_patient') && can(actor, 'delete_patient'),
  async run(ctx, { mergeId }) {
    const merge = await ctx.db
      .selectFrom('patient_merges')
      .selectAll()
      .where('id', '=', mergeId)
      .forUpdate()
      .executeTakeFirst()
    if (!merge) throw notFound('merge.notFound')
    await requireBoth(ctx, [merge.winner_id], 'merge.winnerGone')
    if (merge.unmerged_at) return { winnerId: merge.winner_id, loserId: merge.loser_id }
    await setColumns(ctx.db, merge.winner_id, merge.changed, 0)
    await giveBackAnswers(ctx.db, merge.replaced)
    await sql`select return_patient_rows(m) from patient_merges m where id = ${mergeId}`.execute(
      ctx.db,
    )
    await giveEdits(ctx.db, merge.loser_id, merge.edited)
    await ctx.db
      .updateTable('patient_merges')
      .set({ unmerged_by: ctx.actor.userId, unmerged_at: new Date() })
      .where('id', '=', mergeId)
      .execute()
    await audit(ctx, {
      action: 'patients.unmerge',
      table: 'patient_merges',
      recordId: mergeId,
      patientId: merge.winner_id,
      changes: { loser_id: [merge.winner_id, merge.loser_id] },
    })
    return { winnerId: merge.winner_id, loserId: merge.loser_id }
  },
})

/**
 * Merges of patients that the actor may edit, the newest first, each with the values that it did
 * not keep.
 */
export const listMerges = query('patients.merges', {
  access: 'duplicates',
  input: ListMerges,
  allow: ({ actor }) => can(actor, 'update_patient') && can(actor, 'delete_patient'),
  async run({ db, actor }, input) {
    const page = input?.page ?? 1
    const merges = db
      .selectFrom('patient_merges')
      .innerJoin('patients', 'patients.id', 'patient_merges.winner_id')
      .where('unmerged_at', 'is', null)
      .where('patients.is_deleted', '=', false)
      .where(patientsWhere(editPatient, actor))
    const { rows, pagination } = await loadListPage(
      merges
        .innerJoin('patients as losers', 'losers.id', 'patient_merges.loser_id')
        .leftJoin('users', 'users.id', 'patient_merges.merged_by')
        .select([
          'patient_merges.id',
          'winner_id',
          'loser_id',
          'merged_at',
          'kept',
          'changed',
          'replaced',
        ])
        .select(['patients.given_name', 'patients.surname', 'users.name as merged_by'])
        .select(['losers.given_name as loser_given_name', 'losers.surname as loser_surname'])
        .orderBy('merged_at', 'desc')
        .orderBy('patient_merges.id'),
      merges,
      page,
    )
    return {
      rows: rows.map(
        ({
          given_name,
          surname,
          loser_given_name,
          loser_surname,
          kept,
          changed,
          replaced,
          ...merge
        }) => ({
          ...merge,
          winner: patientName({ given_name, surname }),
          loser: patientName({ given_name: loser_given_name, surname: loser_surname }),
          notKept: notKept(kept, changed, replaced),
        }),
      ),
      pagination,
    }
  },
  shows: ({ rows }) => rows.flatMap(({ winner_id, loser_id }) => [winner_id, loser_id]),
})

type Value = string | number | boolean | null
type Changes = Record<string, [before: unknown, after: unknown]>
type Kept = { table: string; id: string; row: Record<string, unknown> }
type Moved = {
  moved: { table: string; column: string; ids: string[] }[]
  kept: Kept[]
  links: object
}
type Answer = {
  number_value: number | null
  string_value: string | null
  date_value: string | null
  boolean_value: boolean | null
}
type Replaced = { id: string; attribute: string; before: Answer; after: Answer }
/** What a merge stores, so that it can be undone. */
export type StoredMerge = {
  changed: Changes
  edited: Record<string, unknown>
  kept: Kept[]
  replaced: Replaced[]
}

const answerValue = (answer: Partial<Answer>): Value =>
  answer.string_value ?? answer.number_value ?? answer.boolean_value ?? answer.date_value ?? null

/** The values that the merge replaced or left out. Undoing the merge restores them. */
function notKept(
  kept: Kept[],
  changed: Changes,
  replaced: Replaced[],
): { name: string; value: Value }[] {
  const taken = new Map(replaced.map(({ attribute, before }) => [attribute, answerValue(before)]))
  return [
    ...Object.entries(changed).flatMap(([name, [before]]) =>
      typeof before === 'string' ? [{ name, value: before }] : [],
    ),
    ...kept
      .filter(({ table }) => table === 'patient_additional_attributes')
      .map(({ row }) => ({
        name: String(row['attribute']),
        value: taken.get(String(row['attribute'])) ?? answerValue(row as Partial<Answer>),
      })),
  ]
}

async function loadBoth(ctx: Context, winnerId: string, loserId: string, forWriting = false) {
  const patients = await requireBoth(ctx, [winnerId, loserId], 'patients.notFound', forWriting)
  const find = (id: string) => patients.find((patient) => patient.id === id)!
  return { winner: find(winnerId), loser: find(loserId) }
}

/** Throws unless all of them exist and the actor may edit and delete each. */
async function requireBoth(
  { db, actor }: Context,
  ids: string[],
  missing: 'patients.notFound' | 'merge.winnerGone',
  forWriting = true,
) {
  const patients = await db
    .selectFrom('patients')
    .select([
      'id',
      ...COLUMNS,
      'image_timestamp',
      'metadata',
      'additional_data',
      'unknown_columns',
      'created_at',
      'last_modified',
    ])
    .select([
      sql<boolean>`${patientsWhere(editPatient, actor)} and ${patientsWhere(deletePatient, actor)}`.as(
        'isMine',
      ),
    ])
    .where('id', 'in', ids)
    .where('is_deleted', '=', false)
    .where(patientsWhere(knowPatient, actor))
    .orderBy('id')
    .$if(forWriting, (q) => q.forUpdate())
    .execute()
  if (patients.length < ids.length) throw notFound(missing)
  if (!patients.every(({ isMine }) => isMine)) throw forbidden()
  return patients
}

/** The date of birth as text: `1990` or `~1990` if the day is unknown. */
const birthAnswerText = ({ date_of_birth, metadata }: Patient) =>
  birthAnswer(date_of_birth, readBirthPrecision(metadata))

const toMergeSide = ({
  id,
  given_name,
  surname,
  date_of_birth,
  metadata,
  created_at,
}: Patient) => ({
  id,
  name: patientName({ given_name, surname }),
  date_of_birth,
  isApproximate: readBirthPrecision(metadata) !== 'day',
  created_at,
})

function findAnswer(attributes: Attribute[], id: string) {
  const found = attributes.find(({ attribute_id }) => attribute_id === id)
  return found ? { ...found, metadata: found.metadata as Metadata } : null
}

type Patient = Awaited<ReturnType<typeof requireBoth>>[number]

/**
 * The changes to the winner's row. A taken date of birth brings its precision, a taken photo its
 * time.
 */
function winnerChanges(
  winner: Patient,
  loser: Patient,
  choices: z.output<typeof MergePatients>['choices'],
): Changes {
  const changes: Changes = {}
  const set = (name: keyof Patient, to: unknown) => {
    if (JSON.stringify(winner[name]) !== JSON.stringify(to)) changes[name] = [winner[name], to]
  }
  const taken = COLUMNS.filter(
    (name) => chosenSide(choices[name], winner[name], loser[name]) === 'loser',
  )
  for (const name of taken) set(name, loser[name])
  if (taken.includes('photo_url')) set('image_timestamp', loser.image_timestamp)
  const metadata = { ...(loser.metadata as object), ...(winner.metadata as object) }
  set(
    'metadata',
    withBirthPrecision(
      metadata,
      readBirthPrecision((taken.includes('date_of_birth') ? loser : winner).metadata),
    ),
  )
  for (const name of ['additional_data', 'unknown_columns'] as const)
    set(name, { ...(loser[name] as object), ...(winner[name] as object) })
  return changes
}

const sideIn = (changes: Changes, side: 0 | 1) =>
  Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change[side]]))

/** Of a column of patients. What a newer version of the phone app has beside them is in no record. */
const columnSqlType = (name: string) =>
  name === 'unknown_columns' ? 'jsonb' : (patientColumn(name).sql ?? 'text')

/** Sets each changed column to one side of the change, if the row still has the other side. */
async function setColumns(db: Kysely<DB>, id: string, changes: Changes, side: 0 | 1) {
  const columns = Object.entries(changes)
  if (columns.length === 0) return
  const assignments = columns.map(([name, change]) => {
    const column = sql.ref(name)
    const valueOn = (of: 0 | 1) => {
      const value = columnSqlType(name) === 'jsonb' ? JSON.stringify(change[of]) : change[of]
      return sql`${value}::${sql.raw(columnSqlType(name))}`
    }
    const other = side === 0 ? 1 : 0
    return sql`${column} = case when ${column} is not distinct from ${valueOn(other)}
      then ${valueOn(side)} else ${column} end`
  })
  // an archived clinic stays the home clinic of its patient, whichever record is kept
  await sql`select set_config('sanad.merging', 'on', true)`.execute(db)
  await sql`update patients set ${sql.join(assignments)}, updated_at = now() where id = ${id}`.execute(
    db,
  )
  await sql`select set_config('sanad.merging', '', true)`.execute(db)
}

/** Sets what phones have sent for the loser since the merge; of a JSON column, the keys that they wrote. */
async function giveEdits(db: Kysely<DB>, id: string, edited: Record<string, unknown>) {
  const columns = Object.entries(edited)
  if (columns.length === 0) return
  const assignments = columns.map(([name, value]) => {
    const column = sql.ref(name)
    return columnSqlType(name) === 'jsonb'
      ? sql`${column} = ${column} || ${JSON.stringify(value)}::jsonb`
      : sql`${column} = ${value}::${sql.raw(columnSqlType(name))}`
  })
  await sql`select set_config('sanad.merging', 'on', true)`.execute(db)
  await sql`update patients set ${sql.join(assignments)}, updated_at = now() where id = ${id}`.execute(
    db,
  )
  await sql`select set_config('sanad.merging', '', true)`.execute(db)
}

const ANSWER = ['number_value', 'string_value', 'date_value', 'boolean_value'] as const

/** If both patients have an answer and the loser's is chosen, the winner's row takes it. */
async function takeAnswers(
  db: Kysely<DB>,
  winnerId: string,
  loserId: string,
  choices: Record<string, string>,
): Promise<Replaced[]> {
  const ids = Object.entries(choices).flatMap(([name, side]) =>
    side === 'loser' && name.startsWith('answers.') ? [name.slice(8)] : [],
  )
  if (ids.length === 0) return []
  const answer = (table: string) => {
    const members = [...ANSWER, 'metadata'].map(
      (column) => sql`${sql.lit(column)}, ${sql.ref(`${table}.${column}`)}`,
    )
    return sql`jsonb_build_object(${sql.join(members)})`
  }
  const { rows } = await sql<Replaced>`
    with pairs as (
      select w.id, w.attribute, ${answer('w')} as before, ${answer('l')} as after,
        l.number_value, l.string_value, l.date_value, l.boolean_value, l.metadata
      from patient_additional_attributes w join patient_additional_attributes l on l.attribute_id = w.attribute_id
      where w.patient_id = ${winnerId} and l.patient_id = ${loserId} and not w.is_deleted and not l.is_deleted
        and w.attribute_id = any(${ids}::text[])
    ), taken as (
      update patient_additional_attributes a set updated_at = now(), metadata = pairs.metadata,
        number_value = pairs.number_value, string_value = pairs.string_value,
        date_value = pairs.date_value, boolean_value = pairs.boolean_value
      from pairs where a.id = pairs.id
    )
    select id, attribute, before, after from pairs`.execute(db)
  return rows
}

async function giveBackAnswers(db: Kysely<DB>, replaced: Replaced[]) {
  if (replaced.length === 0) return
  await sql`update patient_additional_attributes a set updated_at = now(), metadata = b.metadata,
      number_value = b.number_value, string_value = b.string_value,
      date_value = b.date_value, boolean_value = b.boolean_value
    from jsonb_to_recordset(${JSON.stringify(replaced)}::jsonb) r (id uuid, before jsonb, after jsonb),
      jsonb_to_record(r.before) b (number_value numeric, string_value text,
        date_value timestamptz, boolean_value boolean, metadata jsonb),
      jsonb_to_record(r.after) n (number_value numeric, string_value text,
        date_value timestamptz, boolean_value boolean)
    where a.id = r.id and (a.number_value, a.string_value, a.date_value, a.boolean_value)
      is not distinct from (n.number_value, n.string_value, n.date_value, n.boolean_value)`.execute(
    db,
  )
}

const isFuller = (entries: Record<Side, number>, winner: Patient, loser: Patient) =>
  entries.winner === entries.loser
    ? winner.created_at <= loser.created_at
    : entries.winner > entries.loser

const sumCounts = (counts: Awaited<ReturnType<typeof countRowsByTable>>) =>
  counts.reduce((sum, { count }) => sum + count, 0)

/** The number of rows of each table that belong to the patient and are not deleted. */
async function countRowsByTable(db: Kysely<DB>, patientId: string) {
  const { rows: columns } = await sql<{
    table_name: string
    column_name: string
  }>`select * from patient_columns order by table_name`.execute(db)
  const counts = columns.map(
    ({ table_name, column_name }) =>
      sql`select ${table_name}::text as "table", count(*) as count from ${sql.table(table_name)}
        where ${sql.ref(column_name)} = ${patientId} and not is_deleted`,
  )
  const { rows } = await sql<{
    table: string
    count: number
  }>`select "table", sum(count) as count from (${sql.join(counts, sql` union all `)}) counted
    group by "table" having sum(count) > 0 order by "table"`.execute(db)
  return rows
}
