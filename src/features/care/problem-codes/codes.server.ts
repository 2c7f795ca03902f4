import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { damagedCells } from '~/fields/damaged-cells'
import { somewhere } from '~/policy/facts'
import { editHistory, readHistory } from '~/policy/rules'
import { CODE_SYSTEMS, type CodeSystem } from '~/records/problem'
import { mutation, query } from '~/server/operation'
import { containing } from '~/server/scope'
import { can } from '~/shared/actor'
import { addAll } from '~/shared/any-length'
import type { Message } from '~/shared/errors'
import { problems } from '~/shared/problems'
import { CodeRow, ImportCodes, labelsOf, SearchCodes } from './code'

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
            ) as unknown as Codes,
          )
    return found.map(asCode)
  },
})

type Stored = Record<'code' | 'system', string> &
  Record<'label_en' | 'label_ar' | 'label_es', string | null>

const asCode = ({ label_en, label_ar, label_es, code, system }: Stored) => ({
  code,
  system: system as CodeSystem,
  labels: labelsOf({ label_en, label_ar, label_es }),
})

type Rejected = { line: number; field: string; text: Message }

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
    const rejected: Rejected[] = []
    const accepted = new Map<string, Stored>()
    for (const [index, row] of rows.entries()) {
      const line = firstLine + index
      const damaged = damagedCells(row, (column) => column === 'code')
      if (damaged.length > 0) {
        addAll(
          rejected,
          damaged.map(({ column, text }) => ({ line, field: column, text })),
        )
        continue
      }
      const parsed = CodeRow.safeParse(row)
      if (parsed.success) {
        const name = `${parsed.data.system} ${parsed.data.code}`
        if (accepted.has(name))
          rejected.push({ line, field: 'code', text: { key: 'problems.codeTwice' } })
        else accepted.set(name, parsed.data)
      } else {
        for (const [field, text] of Object.entries(problems(parsed.error)))
          rejected.push({ line, field, text })
      }
    }
    if (accepted.size === 0) return { added: 0, changed: 0, unchanged: 0, rejected }
    const written = await db
      .insertInto('problem_codes')
      .values([...accepted.values()].map((code) => ({ ...code, imported_at: new Date() })))
      .onConflict((conflict) =>
        conflict
          .columns(['system', 'code'])
          // a list in one language keeps the labels of the others
          .doUpdateSet(({ ref, fn }) => ({
            label_en: fn.coalesce(ref('excluded.label_en'), ref('problem_codes.label_en')),
            label_ar: fn.coalesce(ref('excluded.label_ar'), ref('problem_codes.label_ar')),
            label_es: fn.coalesce(ref('excluded.label_es'), ref('problem_codes.label_es')),
            imported_at: ref('excluded.imported_at'),
          }))
          .where(
            sql<boolean>`(excluded.label_en is not null and excluded.label_en is distinct from problem_codes.label_en)
              or (excluded.label_ar is not null and excluded.label_ar is distinct from problem_codes.label_ar)
              or (excluded.label_es is not null and excluded.label_es is distinct from problem_codes.label_es)`,
          ),
      )
      // xmax is 0 in a row that this statement inserted
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .execute()
    const added = written.filter(({ isNew }) => isNew).length
    return {
      added,
      changed: written.length - added,
      unchanged: accepted.size - written.length,
      rejected,
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
