import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { codeLabels } from '~/features/care/problem-codes/code'
import { rowsWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import { invalid } from '~/shared/errors'

/** The problem is one of this patient, and the actor reads it. */
export async function requireProblem({ db, actor }: Context, patientId: string, problemId: string) {
  const there = await db
    .selectFrom('patient_problems')
    .select('id')
    .where('id', '=', problemId)
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(rowsWhere(actor, 'patient_problems'))
    .executeTakeFirst()
  if (!there) throw invalid({ problem_id: { key: 'prescriptions.problemNotFound' } })
}

/**
 * The words of a problem for every reader of a prescription that is for it, also after it was deleted: what was
 * prescribed for it stays as it was written.
 */
export async function problemNamed(db: Kysely<DB>, id: string) {
  const { label_en, label_ar, label_es, ...problem } = await db
    .selectFrom('patient_problems')
    .leftJoin('problem_codes', (join) =>
      join
        .onRef('problem_codes.system', '=', 'patient_problems.problem_code_system')
        .onRef('problem_codes.code', '=', 'patient_problems.problem_code'),
    )
    .select(['patient_problems.id', 'problem_label', 'patient_problems.is_deleted'])
    .select(['label_en', 'label_ar', 'label_es'])
    .where('patient_problems.id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...problem, labels: codeLabels({ label_en, label_ar, label_es }) }
}
