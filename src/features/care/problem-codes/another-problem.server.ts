import { type RawBuilder, sql } from 'kysely'
import { rowsWhere } from '~/policy/sql.server'
import { isCurrent } from '~/records/problem'
import type { Context } from '~/server/operation'
import { ask, type Question } from '~/shared/earlier-day'
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

/** What comes back later is another episode, as malaria or a cold. */
const EPISODE_DAYS = 28

/**
 * A problem that is current in the list already, of these weeks: mostly an entry to be changed, not a second one. Asked
 * where it becomes current.
 */
export async function askAboutAnother(
  { db, actor }: Context,
  problem: Coded,
  confirmed: readonly Question[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record') || !isCurrent(problem)) return
  const { id, patient_id, visit_id, laterality } = problem
  const { problem_code_system, problem_code, problem_label } = problem
  const visited = (visit: RawBuilder<unknown>) =>
    sql`(select check_in_timestamp from visits where visits.id = ${visit})`
  const at = sql`coalesce(${visited(sql`${visit_id ?? null}::uuid`)}, now())`
  const sameAt = sql`coalesce(${visited(sql.ref('patient_problems.visit_id'))}, patient_problems.created_at)`
  const same = await db
    .selectFrom('patient_problems')
    .select('id')
    .where('id', '<>', id)
    .where('patient_id', '=', patient_id)
    .where('is_deleted', '=', false)
    .where(rowsWhere(actor, 'patient_problems'))
    .where('problem_code_system', '=', problem_code_system)
    .where('problem_code', '=', problem_code)
    .where(sql<boolean>`laterality is not distinct from ${laterality ?? null}`)
    .where(sql<boolean>`(problem_code <> '' or lower(problem_label) = lower(${problem_label}))`)
    .where(sql<boolean>`${isCurrentProblem('patient_problems')}`)
    .where(
      sql<boolean>`${sameAt} between ${at} - make_interval(days => ${EPISODE_DAYS})
        and ${at} + make_interval(days => ${EPISODE_DAYS})`,
    )
    .executeTakeFirst()
  if (same)
    throw ask('against_record', 'problem_label', {
      key: 'problems.recordedAlready',
      values: { name: problem_label },
    })
}
