import { sql } from 'kysely'
import { type Context, query } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import { forbidden, notFound } from '~/shared/errors'
import type { Permission } from '~/shared/permissions'
import { PatientId } from './patient'
import { deletable } from './patient-deletions.server'
import { caredForWhere, historyOpen, known, mayWriteFor, requirePatient } from './seen.server'

/**
 * May write a record of a patient's history, in the visit's clinic or, without a visit, in one that cares for him.
 * Throws `not_found` when his history is not open to the actor or he has no such visit, `forbidden` when it is not the
 * actor's to write.
 */
export async function requireHistoryWrite(
  ctx: Context,
  permission: Permission,
  patientId: string,
  visitId?: string | null,
) {
  const patient = await requirePatient(ctx, patientId, historyOpen)
  if (!(await mayWriteFor(ctx, permission, patientId, visitId))) {
    throw visitId && !(await hasVisit(ctx, patientId, visitId)) ? notFound('visits.notFound') : forbidden()
  }
  return patient
}

async function hasVisit({ db }: Context, patientId: string, visitId: string) {
  const visit = await db
    .selectFrom('visits')
    .select('id')
    .where('id', '=', visitId)
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  return visit !== undefined
}

/** What the actor may do with the history of a patient whom he may know, for a screen to offer nothing else. */
export const patientRights = query('patients.rights', {
  input: PatientId,
  allow: ({ actor }) => can(actor, 'read_patient') && mayAnywhere(actor, 'can_register_patients', 'can_view_history'),
  async run({ db, actor }, { id }) {
    const rights = await db
      .selectFrom('patients')
      .select([
        sql<boolean>`${historyOpen(actor)}`.as('see'),
        sql<boolean>`${caredForWhere(actor, 'can_edit_records')}`.as('write'),
        sql<boolean>`${caredForWhere(actor, 'can_delete_records')}`.as('remove'),
        sql<boolean>`${deletable(actor)}`.as('removePatient'),
      ])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(known(actor))
      .executeTakeFirst()
    if (!rights) throw notFound('patients.notFound')
    const { see, write, remove, removePatient } = rights
    return { see, write: see && write, remove: see && remove, removePatient }
  },
})
export type HistoryRights = Awaited<ReturnType<typeof patientRights>>
