import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { patientName } from '~/features/people/patients/patient'
import { requirePatient } from '~/policy/require.server'
import { editHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfRows } from '~/server/shown'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { stableId } from '../stable-id'
import { ListMovedIn, type ReviewedRule, SettleMovedIn } from './moved-in'

type Review = {
  patientId: string
  table: string
  rowId: string
  column: string
  rule: string
  word: string
}

/**
 * Puts what a move could not take over with its meaning on the work list, in the transaction that takes it over.
 * Another word at the source opens an entry again.
 */
export async function listForReview(db: Kysely<DB>, reviews: readonly Review[]): Promise<void> {
  if (reviews.length === 0) return
  const given = reviews.map(({ patientId, table, rowId, column, rule, word }) => ({
    id: stableId('moved_in_reviews', table, rowId, column, rule),
    patient_id: patientId,
    table_name: table,
    row_id: rowId,
    column_name: column,
    rule,
    word: word.slice(0, MOST_CHARACTERS),
  }))
  await sql`
    insert into moved_in_reviews (id, patient_id, table_name, row_id, column_name, rule, word)
    select distinct on (given.id) given.id, patients.id, table_name, row_id, column_name, rule, word
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, patient_id uuid, table_name text,
      row_id uuid, column_name text, rule text, word text)
    join patients on patients.id = given.patient_id
    on conflict (id) do update set word = excluded.word, done_at = null, done_by = null, updated_at = now()
      where moved_in_reviews.word <> excluded.word`.execute(db)
}
const MOST_CHARACTERS = 500

const live = (db: Kysely<DB>, actor: Actor) =>
  db
    .selectFrom('moved_in_reviews')
    .innerJoin('patients', 'patients.id', 'moved_in_reviews.patient_id')
    .where('moved_in_reviews.is_deleted', '=', false)
    .where('patients.is_deleted', '=', false)
    .where(patientsWhere(editHistory, actor))

/** What is to be looked at after a move, of patients whose history the user may edit; open entries by age. */
export const listMovedIn = query('movedIn.list', {
  access: 'reviews',
  reads: ['moved_in_reviews'],
  looksUp: ['patients', 'users'],
  input: ListMovedIn,
  allow: ({ actor }) => mayAnywhere(actor, ...editHistory.permissions),
  async run({ db, actor }, { state, page }) {
    let found = live(db, actor)
    if (state !== 'all') found = found.where('done_at', state === 'done' ? 'is not' : 'is', null)
    const { rows, pagination } = await loadListPage(
      found
        .leftJoin('users', 'users.id', 'done_by')
        .select(['moved_in_reviews.id', 'moved_in_reviews.patient_id', 'table_name', 'column_name'])
        .select(['rule', 'word', 'done_at', 'users.name as done_by', 'given_name', 'surname'])
        .select(identifiersColumn('patients').as('identifiers'))
        .orderBy('done_at', (order) => order.desc().nullsFirst())
        .orderBy('moved_in_reviews.created_at')
        .orderBy('moved_in_reviews.id'),
      found,
      page,
    )
    return {
      rows: rows.map(({ given_name, surname, rule, ...row }) => ({
        ...row,
        rule: rule as ReviewedRule,
        patient: patientName({ given_name, surname }),
      })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type MovedInReview = Awaited<ReturnType<typeof listMovedIn>>['rows'][number]

/** Marks an entry as done, or as open again. Of an entry that is already done, the first user and time stay. */
export const settleMovedIn = mutation('movedIn.settle', {
  input: SettleMovedIn,
  allow: ({ actor }) => mayAnywhere(actor, ...editHistory.permissions),
  async run(ctx, { id, done }) {
    const { db, actor } = ctx
    const there = await db
      .selectFrom('moved_in_reviews')
      .select(['patient_id', 'done_at'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (!there) throw notFound('movedIn.notFound')
    await requirePatient(ctx, there.patient_id, editHistory)
    if ((there.done_at !== null) === done) return { id }
    await db
      .updateTable('moved_in_reviews')
      .set({
        done_by: done ? actor.userId : null,
        done_at: done ? new Date() : null,
        updated_at: new Date(),
      })
      .where('id', '=', id)
      .execute()
    return { id }
  },
})

/** SQL: how many entries are open that the user may settle. */
export const openMovedIn = (actor: Actor) => sql<number>`(
  select count(*)::int from moved_in_reviews join patients on patients.id = moved_in_reviews.patient_id
  where done_at is null and not moved_in_reviews.is_deleted and not patients.is_deleted
    and ${patientsWhere(editHistory, actor)})`
