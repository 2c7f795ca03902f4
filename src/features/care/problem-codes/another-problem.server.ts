import { type RawBuilder, sql } from 'kysely'
import { rowsWhere } from '~/policy/sql.server'
import { isCurrent } from '~/records/problem'
import type { Context } from '~/server/operation'
import { ask, type EarlierDayQuestion } from '~/shared/earlier-day'
import { isCurrentProblem } from './diagnosed.server'

type Coded = {
  id: string
  patient_id: string
  visit_id?: string | null | undefined
  problem_code_system: string
  problem_code: string
  problem_label: string
  clinical_status: string
  verification_status: string
  laterality?: string | null | undefined
}

/** What comes back later is another episode, as malaria or a cold; a disease that stays has none. */
const EPISODE_DAYS = 28
/** As many as the list shows. */
const MOST = 500

/**
 * A problem that is current in the list already: mostly an entry to be changed, not a second one. Asked where it
 * becomes current; of a disease that stays (`isLasting`) however long ago it was recorded, unless it is the diagnosis
 * of a visit: visits repeat it. Words without a code are the same as the words of a coded entry, or as what its code is
 * called in any language.
 */
export async function askAboutAnother(
  { db, actor }: Context,
  problem: Coded,
  confirmed: readonly EarlierDayQuestion[] | undefined,
  isLasting: (problem: Pick<Coded, 'problem_code_system' | 'problem_code'>) => boolean,
) {
  if (!confirmed || confirmed.includes('against_record') || !isCurrent(problem)) return
  const { id, patient_id, visit_id, laterality } = problem
  const { problem_code_system, problem_code, problem_label } = problem
  const visited = (visit: RawBuilder<unknown>) =>
    sql`(select check_in_timestamp from visits where visits.id = ${visit})`
  const at = sql`coalesce(${visited(sql`${visit_id ?? null}::uuid`)}, now())`
  const sameAt = sql`coalesce(${visited(sql.ref('patient_problems.visit_id'))}, patient_problems.created_at)`
  const alike = await db
    .selectFrom('patient_problems')
    .select(['problem_code_system', 'problem_code'])
    .select(
      sql<boolean>`${sameAt} between ${at} - make_interval(days => ${EPISODE_DAYS})
        and ${at} + make_interval(days => ${EPISODE_DAYS})`.as('is_near'),
    )
    .where('id', '<>', id)
    .where('patient_id', '=', patient_id)
    .where('is_deleted', '=', false)
    .where(rowsWhere(actor, 'patient_problems'))
    .where(sql<boolean>`case when problem_code <> '' and ${problem_code} <> ''
      then problem_code_system = ${problem_code_system} and problem_code = ${problem_code}
      else ${problemNamesSql(sql.ref('problem_code_system'), sql.ref('problem_code'), sql.ref('problem_label'))}
        && ${problemNamesSql(sql`${problem_code_system}`, sql`${problem_code}`, sql`${problem_label}`)} end`)
    .where(sql<boolean>`laterality is not distinct from ${laterality ?? null}`)
    .where(sql<boolean>`${isCurrentProblem('patient_problems')}`)
    .limit(MOST)
    .execute()
  const isOne = (one: (typeof alike)[number]) =>
    one.is_near || (!visit_id && (isLasting(problem) || isLasting(one)))
  if (alike.some(isOne))
    throw ask('against_record', 'problem_label', {
      key: 'problems.recordedAlready',
      values: { name: problem_label },
    })
}

/** What a problem is called: its own words, and those of its code in each language. */
const problemNamesSql = (
  system: RawBuilder<unknown>,
  code: RawBuilder<unknown>,
  label: RawBuilder<unknown>,
) => sql`array(
  select lower(btrim(name)) from (
    select ${label}::text union all
    select unnest(array[label_en, label_ar, label_es]) from problem_codes
      where problem_codes.system = ${system} and problem_codes.code = ${code}
  ) names (name) where name is not null)`
