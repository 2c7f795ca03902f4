import { sql } from 'kysely'
import { rowsWhere } from '~/policy/sql.server'
import { isCurrent } from '~/records/problem'
import type { Context } from '~/server/operation'
import { ask, type Question } from '~/shared/earlier-day'
import { isCurrentProblem } from './diagnosed.server'

type Coded = {
  patient_id: string
  problem_code_system: string
  problem_code: string
  problem_label: string
  clinical_status: string
  verification_status: string
  laterality?: string | null | undefined
}

/** A problem that is current in the list already: mostly an entry to be changed, not a second one. */
export async function askAboutAnother(
  { db, actor }: Context,
  problem: Coded,
  confirmed: readonly Question[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record') || !isCurrent(problem)) return
  const { patient_id, problem_code_system, problem_code, problem_label, laterality } = problem
  const same = await db
    .selectFrom('patient_problems')
    .select('id')
    .where('patient_id', '=', patient_id)
    .where('is_deleted', '=', false)
    .where(rowsWhere(actor, 'patient_problems'))
    .where('problem_code_system', '=', problem_code_system)
    .where('problem_code', '=', problem_code)
    .where(sql<boolean>`laterality is not distinct from ${laterality ?? null}`)
    .where(sql<boolean>`(problem_code <> '' or lower(problem_label) = lower(${problem_label}))`)
    .where(sql<boolean>`${isCurrentProblem('patient_problems')}`)
    .executeTakeFirst()
  if (same)
    throw ask('against_record', 'problem_label', {
      key: 'problems.recordedAlready',
      values: { name: problem_label },
    })
}
