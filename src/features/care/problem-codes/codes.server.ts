import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { damagedCells } from '~/fields/damaged-cells'
import { somewhere } from '~/policy/facts'
import { editHistory, readHistory } from '~/policy/rules'
import { CODE_SYSTEMS, type CodeSystem } from '~/records/problem'
import { mutation, query } from '~/server/operation'
import { containing } from '~/server/scope'
import { can } from '~/shared/actor'
import type { Message } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import { CodeRow, ImportCodes, codeLabels, SearchCodes } from './code'

type Listed = DB & { c: DB['problem_codes'] }
type Codes = SelectQueryBuilder<Listed, 'c', object>

/** Problems that are looked at for how often a clinic uses a code, the newest first. */
const NEWEST = 1_000

/** Fewer letters are similar to too many words. */
const LEAST_SIMILAR = 4

/**
 * Finds codes by code or by words of their labels in any language, tolerant of spelling. Exact codes first, then those
 * that the user's clinic has recorded most often of late, then common ones, then similar words. An empty query finds
 * the common ones.
 */
export const searchCodes = query('problems.searchCodes', {
  input: SearchCodes,
  allow: somewhere(readHistory, editHistory),
  async run({ db, actor }, { query: text, system, limit }) {
    const key = sql<string>`code_search_key(${text})`
    const words = text.split(/\s+/).filter(Boolean)
    const used = sql<{ system: string; code: string; uses: number }>`(
      select problem_code_system as system, problem_code as code, count(*) as uses
      from (
        select problem_code_system, problem_code, recorded_clinic_id from patient_problems
        where not is_deleted order by last_modified desc, id desc limit ${NEWEST}) newest
      where recorded_clinic_id = ${actor.clinicId}::uuid group by 1, 2)`
    const ranked = (codes: Codes) =>
      codes
        .leftJoin(used.as('u'), (join) =>
          join.onRef('u.system', '=', 'c.system').onRef('u.code', '=', 'c.code'),
        )
        .select(['c.system', 'c.code', 'c.label_en', 'c.label_ar', 'c.label_es'])
        .$if(!!system, (q) => q.where('c.system', '=', system!))
        .orderBy(sql`lower(c.code) = lower(${text})`, 'desc')
        .orderBy(sql`c.search like '%' || ${key} || '%'`, 'desc')
        .orderBy('u.uses', (order) => order.desc().nullsLast())
        .orderBy('c.is_common', 'desc')
        .orderBy(sql`word_similarity(${key}, c.search)`, 'desc')
        .orderBy('c.code')
        .orderBy('c.system')
        .limit(limit)
        .execute()
    const all = db.selectFrom('problem_codes as c')
    const withEachWord = ({ and, eb }: ExpressionBuilder<Listed, 'c'>) =>
      and(
        words.map((word) =>
          eb('c.search', 'like', sql<string>`code_search_key(${containing(word)})`),
        ),
      )
    const exact = await ranked(
      words.length > 0 ? all.where(withEachWord) : all.where('c.is_common', '=', true),
    )
    const found =
      exact.length > 0 || text.length < LEAST_SIMILAR
        ? exact
        : await ranked(
            db.selectFrom(
              sql<DB['problem_codes']>`similar_problem_codes(${key})`.as('c'),
            ) as unknown as Codes, // Kysely types a function's rows as another query than the table's
          )
    return found.map(asCode)
  },
})

type Stored = { code: string; system: CodeSystem } & Record<
  'label_en' | 'label_ar' | 'label_es',
  string | null
>

const asCode = ({ label_en, label_ar, label_es, code, system }: Stored) => ({
  code,
  system,
  labels: codeLabels({ label_en, label_ar, label_es }),
})

/** What became of a row of a code list. `before`: the labels that a changed code had, and when it was imported. */
export type CodeFate = { code?: Stored; before?: Labels & { imported_at: Date | null } } & (
  | { kind: 'added' | 'changed' | 'same' | 'left' }
  | { kind: 'rejected'; problems: Record<string, Message> }
)
type Labels = Record<'label_en' | 'label_ar' | 'label_es', string | null>
const LABELS = ['label_en', 'label_ar', 'label_es'] as const
const systemAndCode = ({ system, code }: { system: string; code: string }) => `${system} ${code}`

/**
 * Adds codes, and changes the labels of known ones if `updates` says so; a label that a row does not state stays. An
 * invalid row is rejected, and the others are written. The columns are those of `problems.importCodes`.
 */
export async function bringCodes(
  db: Kysely<DB>,
  rows: readonly Readonly<Record<string, unknown>>[],
  { updates, earlier = new Map() }: { updates: boolean; earlier?: Map<string, Stored> },
): Promise<CodeFate[]> {
  const fates = rows.map((row): CodeFate => {
    const damaged = damagedCells(row, (column) => column === 'code')
    if (damaged.length > 0) {
      const problemsOfRow = damaged.map(({ column, text }) => [column, text] as const)
      return { kind: 'rejected', problems: Object.fromEntries(problemsOfRow) }
    }
    const parsed = CodeRow.safeParse(row)
    if (!parsed.success) return { kind: 'rejected', problems: firstErrors(parsed.error) }
    const name = systemAndCode(parsed.data)
    const first = earlier.get(name)
    if (first) {
      const isEqual = LABELS.every((label) => first[label] === parsed.data[label])
      return isEqual
        ? { kind: 'same', code: first }
        : { kind: 'rejected', problems: { code: { key: 'problems.codeTwice' } } }
    }
    earlier.set(name, parsed.data)
    return { kind: 'added', code: parsed.data }
  })
  const accepted = fates.flatMap((fate) => (fate.kind === 'added' && fate.code ? [fate.code] : []))
  if (accepted.length === 0) return fates
  const stored = await db
    .selectFrom('problem_codes')
    .select(['system', 'code', 'imported_at', ...LABELS])
    .where(
      sql<boolean>`(system, code) in (select * from unnest(${accepted.map(({ system }) => system)}::text[],
        ${accepted.map(({ code }) => code)}::text[]))`,
    )
    .forUpdate()
    .execute()
  const known = new Map(stored.map((code) => [systemAndCode(code), code]))
  for (const [at, fate] of fates.entries()) {
    const before = fate.kind === 'added' && fate.code && known.get(systemAndCode(fate.code))
    if (!before || !fate.code) continue
    const { code } = fate
    const isSame = LABELS.every((label) => code[label] === null || code[label] === before[label])
    const { label_en, label_ar, label_es, imported_at } = before
    const kindOfOther = updates ? 'changed' : 'left'
    const kind = isSame ? 'same' : kindOfOther
    fates[at] = { kind, code, before: { label_en, label_ar, label_es, imported_at } }
  }
  const written = fates.flatMap(({ kind, code }) =>
    code && (kind === 'added' || kind === 'changed') ? [code] : [],
  )
  if (written.length > 0)
    await db
      .insertInto('problem_codes')
      .values(written.map((code) => ({ ...code, imported_at: new Date() })))
      .onConflict((conflict) =>
        conflict
          .columns(['system', 'code'])
          // a list in one language keeps the labels of the others
          .doUpdateSet(({ ref, fn }) => ({
            label_en: fn.coalesce(ref('excluded.label_en'), ref('problem_codes.label_en')),
            label_ar: fn.coalesce(ref('excluded.label_ar'), ref('problem_codes.label_ar')),
            label_es: fn.coalesce(ref('excluded.label_es'), ref('problem_codes.label_es')),
            imported_at: ref('excluded.imported_at'),
          })),
      )
      .execute()
  return fates
}

/**
 * Adds a batch of a code list, at most 1,000 rows, or changes the labels of known codes; a repeated
 * batch changes nothing. An invalid row is reported with its line, and the others are imported.
 * Columns: code, system (icd10, icd10cm, icd11, snomed), and at least one of label_en, label_ar,
 * label_es.
 */
export const importCodes = mutation('problems.importCodes', {
  input: ImportCodes,
  allow: ({ actor }) => can(actor, 'manage_system'),
  async run({ db }, { rows, firstLine }) {
    const fates = await bringCodes(db, rows, { updates: true })
    const counted = (kind: CodeFate['kind']) => fates.filter((fate) => fate.kind === kind).length
    return {
      added: counted('added'),
      changed: counted('changed'),
      unchanged: counted('same'),
      rejected: fates.flatMap((fate, index) =>
        fate.kind === 'rejected'
          ? Object.entries(fate.problems).map(([field, text]) => ({
              line: firstLine + index,
              field,
              text,
            }))
          : [],
      ),
    }
  },
})

/** Which of these codes, as a form's answers name them, the code lists know; ICD-10 before the others. */
export async function knownCodes(db: Kysely<DB>, codes: readonly string[]) {
  if (codes.length === 0) return []
  const rows = await db
    .selectFrom('problem_codes')
    .select(['system', 'code', 'label_en', 'label_ar', 'label_es'])
    .distinctOn('code')
    .where('code', 'in', codes)
    .orderBy('code')
    .orderBy(sql`array_position(${[...CODE_SYSTEMS]}::text[], system)`)
    .execute()
  return rows.map(asCode)
}

export type FoundCode = Awaited<ReturnType<typeof searchCodes>>[number]
