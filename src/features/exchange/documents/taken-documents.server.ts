import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { keysIn } from '~/shared/object'
import type { DB } from '~/db/types'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { historyRow, namedPatient } from '~/policy/on.server'
import { mayWriteHistory, requireHistoryWrite } from '~/policy/require.server'
import { deleteHistory, readHistory, undoOwn } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { conflict, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { SIGNS } from '~/shared/loinc'
import type { Language } from '~/shared/language'
import { RecordId } from '~/shared/record'
import { sentence } from '~/shared/sentence'
import type { Vaccine } from '~/shared/vaccines'
import type { EntryKind } from './document'
import { valueText } from './read-vital'

/** The tables that a document adds rows to, in the order of the page. */
export const TAKEN_TABLES = {
  allergies: 'patient_allergies',
  problems: 'patient_problems',
  medicines: 'patient_medicines',
  immunizations: 'patient_immunizations',
  vitals: 'patient_vitals',
} as const satisfies Partial<Record<EntryKind, keyof DB>>
type TakenKind = keyof typeof TAKEN_TABLES
type Table = (typeof TAKEN_TABLES)[TakenKind]

/** A row that was added. */
export type Added = { table: Table; id: string }

/** Which text a document has: another file with the same text is the same document. */
const documentDigest = (text: string) => createHash('sha256').update(text).digest('hex')

type Taken = {
  patientId: string
  text: string
  from: string | null
  on: string | null
  file: string
  rows: readonly Added[]
}

/** Keeps which rows the document has added. What one user takes of it in several steps is one document. */
export async function keepTaken({ db, actor }: Context, taken: Taken): Promise<void> {
  if (taken.rows.length === 0) return
  const digest = documentDigest(taken.text)
  const known = await db
    .selectFrom('patient_documents')
    .select('id')
    .where('patient_id', '=', taken.patientId)
    .where('recorded_by_user_id', '=', actor.userId)
    .where(sql<boolean>`metadata ->> 'digest' = ${digest}`)
    // its rows are hidden or shown together
    .where(
      sql<boolean>`recorded_clinic_id is not distinct from clinic_of_sender(patient_id, false)`,
    )
    .where('is_deleted', '=', false)
    // which an undone merge gives back without what is taken now
    .where(sql<boolean>`not is_of_merged('patient_documents', id, patient_id)`)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const id = known?.id ?? newId()
  if (!known)
    await db
      .insertInto('patient_documents')
      .values({
        id,
        patient_id: taken.patientId,
        written_by: taken.from,
        written_on: taken.on,
        file_name: taken.file,
        recorded_by_user_id: actor.userId,
        metadata: JSON.stringify({ digest }),
      })
      .execute()
  await db
    .insertInto('patient_document_rows')
    .values(taken.rows.map((row) => ({ document_id: id, table_name: row.table, row_id: row.id })))
    .execute()
}

/** When the same text was taken over here and undone, and nothing of it has been taken since; null if not so. */
export async function undoneBefore({ db, actor }: Context, patientId: string, text: string) {
  const [last] = await selectDocuments(db)
    .where('d.patient_id', '=', patientId)
    .where(rowsWhere(actor, 'd'))
    .where(sql<boolean>`d.metadata ->> 'digest' = ${documentDigest(text)}`)
    .orderBy('d.id', 'desc')
    .limit(1)
    .execute()
  return last?.is_deleted ? { at: last.undone_at, by: last.undone_by } : null
}

const selectDocuments = (db: Kysely<DB>) =>
  db
    .selectFrom('patient_documents as d')
    .leftJoin('users as taker', 'taker.id', 'd.recorded_by_user_id')
    .leftJoin('deletions as x', (join) =>
      join
        .onRef('x.record_id', '=', 'd.id')
        .on('x.table_name', '=', 'patient_documents')
        .on('x.restored_at', 'is', null),
    )
    .leftJoin('users as undoer', 'undoer.id', 'x.deleted_by')
    .select(['d.id', 'd.written_by', 'd.written_on', 'd.file_name', 'd.created_at', 'd.is_deleted'])
    .select(['d.recorded_by_user_id', 'taker.name as taken_by'])
    .select(['x.deleted_at as undone_at', 'undoer.name as undone_by'])

/** The documents of which lines were taken over, newest first, with how many of those are in the record. */
export const listDocuments = query('documents.ofPatient', {
  access: 'record',
  reads: ['patient_documents', ...Object.values(TAKEN_TABLES)],
  looksUp: ['deletions', 'patients', 'users'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const inRecord = sql.join(
      Object.values(TAKEN_TABLES).map(
        (table) => sql`select count(*) as count
          from patient_document_rows r join ${sql.table(table)} t on t.id = r.row_id
          where r.document_id = d.id and r.table_name = ${table} and t.patient_id = d.patient_id
            and not t.is_deleted`,
      ),
      sql` union all `,
    )
    const rows = await selectDocuments(ctx.db)
      .select(sql<number>`(select sum(count)::int from (${inRecord}) each)`.as('lines'))
      .where('d.patient_id', '=', patientId)
      .where(rowsWhere(ctx.actor, 'd'))
      .orderBy('d.created_at', 'desc')
      .orderBy('d.id', 'desc')
      .limit(MOST)
      .execute()
    const mayUndoOwn = await mayWriteHistory(ctx, undoOwn, patientId)
    const mayUndoAll = await mayWriteHistory(ctx, deleteHistory, patientId)
    return rows.map(({ recorded_by_user_id, is_deleted, undone_at, undone_by, ...row }) => ({
      ...row,
      undone: is_deleted ? { at: undone_at, by: undone_by } : null,
      mayUndo:
        !is_deleted &&
        row.lines > 0 &&
        (mayUndoAll || (mayUndoOwn && recorded_by_user_id === ctx.actor.userId)),
    }))
  },
})
export type TakenDocument = Awaited<ReturnType<typeof listDocuments>>[number]

/** More documents of one patient indicate a program that sends them; the newest are shown. */
const MOST = 100

/** What the undo of a document would delete, and what would stay and why. */
export const addedByDocument = query('documents.added', {
  access: 'record',
  reads: [
    'patient_documents',
    ...Object.values(TAKEN_TABLES),
    'medicine_decisions',
    'prescriptions',
    'program_enrollments',
    'safety_overrides',
  ],
  looksUp: ['patients', 'users'],
  on: historyRow('patient_documents', readHistory),
  input: RecordId,
  run: async (ctx, { id }) => ({ lines: await loadAddedLines(ctx, id) }),
})
export type AddedLine = Awaited<ReturnType<typeof loadAddedLines>>[number]

/**
 * Takes back what a document has added: the rows that nobody has worked on since go to the trash as one deletion, the
 * others stay and are named. Users undo what they took over themselves, and users who may delete records what others
 * took.
 */
export const undoDocument = mutation('documents.undo', {
  on: historyRow('patient_documents', undoOwn),
  input: RecordId,
  async run(ctx, { id }, { existing, patient }) {
    if (existing.recorded_by_user_id !== ctx.actor.userId)
      await requireHistoryWrite(ctx, deleteHistory, existing.patient_id)
    // no taking of the same document meanwhile
    await sql`select from patients where id = ${existing.patient_id} for no key update`.execute(
      ctx.db,
    )
    await lockRows(ctx.db, id)
    const lines = await loadAddedLines(ctx, id)
    const deleted = lines.filter(({ left }) => left === null)
    if (deleted.length === 0) throw conflict('documents.nothingToUndo')
    const label = `${patientName(patient)}, ${existing.written_by ?? existing.file_name}`
    const given = deleted.map((line) => ({ table_name: TAKEN_TABLES[line.kind], row_id: line.id }))
    const { rows } = await sql<{ deletion: string | null }>`select undo_taken_document(
      ${id}, ${JSON.stringify(given)}::jsonb, ${label}, ${ctx.actor.userId}) as deletion`.execute(
      ctx.db,
    )
    const deletionId = rows[0]?.deletion
    if (!deletionId) throw notFound('documents.notFound')
    return { deletionId, undone: deleted.length, left: lines.filter(({ left }) => left !== null) }
  },
})

/** A change that another user is making is seen, not overwritten. */
async function lockRows(db: Kysely<DB>, documentId: string): Promise<void> {
  for (const table of Object.values(TAKEN_TABLES))
    await sql`select from ${sql.table(table)} where id in (
      select row_id from patient_document_rows where document_id = ${documentId} and table_name = ${table})
      order by id for update`.execute(db)
}

/** What was done with a line since it was taken over. */
type Work = {
  reason: 'changed' | 'prescribed' | 'decided' | 'reviewed' | 'enrolled'
  who: string | null
  at: Date | null
}

/** The rows of a document that are in the record, in the order of the page. */
async function loadAddedLines({ db, actor }: Context, documentId: string) {
  const lines: Line[] = []
  for (const kind of keysIn(TAKEN_TABLES)) {
    const table = TAKEN_TABLES[kind]
    const { rows } = await sql<Record<string, unknown> & Nullable<Work> & { id: string }>`
      select t.*, w.reason, w.at, users.name as who
      from patient_documents d join patient_document_rows r on r.document_id = d.id and r.table_name = ${table}
        join ${sql.table(table)} t on t.id = r.row_id and t.patient_id = d.patient_id and not t.is_deleted
        left join lateral work_on_taken(${table}, t.id, t.patient_id) w on true
        left join users on users.id = w.by_user
      where d.id = ${documentId}
      order by t.id`.execute(db)
    for (const { id, reason, who, at, ...row } of rows)
      lines.push({
        kind,
        id,
        ...describeRow(kind, row, actor.language),
        left: reason === null ? null : { reason, who, at },
      })
  }
  return lines
}
type Line = { kind: TakenKind; id: string; words: string; when: string | null; left: Work | null }
type Nullable<T> = { [K in keyof T]: T[K] | null }

/** What a list calls the row, and its day or moment, if it is told by that. */
function describeRow(
  kind: TakenKind,
  row: Record<string, unknown>,
  language: Language,
): { words: string; when: string | null } {
  switch (kind) {
    case 'allergies':
      return { words: String(row['substance']), when: null }
    case 'problems':
      return { words: String(row['problem_label']), when: null }
    case 'medicines':
      return { words: String(row['name']), when: null }
    case 'immunizations':
      return {
        words: sentence(language, { key: `immunizations.vaccines.${row['vaccine'] as Vaccine}` }),
        when: String(row['given_on']),
      }
    case 'vitals':
      return {
        words: keysIn(SIGNS)
          .flatMap((sign) => {
            const value = row[sign]
            return typeof value === 'number'
              ? `${sentence(language, { key: `vitals.${sign}` })} ${valueText(sign, value)}`
              : []
          })
          .join(' · '),
        when: (row['timestamp'] as Date).toISOString(),
      }
  }
}
