import { sql } from 'kysely'
import * as z from 'zod'
import { deletePatient as mayDeletePatient, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { mutation } from '~/server/operation'
import { deleteRecord } from '~/server/record'
import { can } from '~/shared/actor'
import { AppError, forbidden, type Message, notFound } from '~/shared/errors'
import { patientName, PatientId } from '../patient'
import { deleteAsJob } from './large-deletions.server'

/** More patients than one user can review. */
const AT_ONCE = 200

/**
 * Deletes a patient with all dependent records; the trash can restore them. With `job`, nothing is deleted yet: the
 * patient has so many records that a background job deletes them (`patients.deletionProgress`).
 */
export const deletePatientWithRecords = mutation('patients.delete', {
  input: PatientId,
  allow: ({ actor }) => can(actor, 'delete_patient'),
  async run(ctx, { id }) {
    const patient = await ctx.db
      .selectFrom('patients')
      .select([
        'given_name',
        'surname',
        sql<boolean>`${patientsWhere(mayDeletePatient, ctx.actor)}`.as('isMine'),
      ])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(patientsWhere(knowPatient, ctx.actor))
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    if (!patient.isMine) throw forbidden()
    const label = patientName(patient)
    const large = await deleteAsJob(ctx, [{ id, label }])
    if (large) return { deletionId: large.deleted[0]!.deletionId, job: large.job }
    const deleted = await deleteRecord(ctx, 'patients', id, label, 'patients.notFound')
    return { ...deleted, job: null }
  },
})

/**
 * Deletes all or none, with `job` as `patients.delete`. The error has a message for each refused patient, by place in
 * the list.
 */
export const deletePatients = mutation('patients.deleteMany', {
  input: z.object({
    ids: z
      .array(z.uuid('validation.id'), 'validation.wrongType')
      .min(1, 'validation.required')
      .max(AT_ONCE, 'validation.tooMany'),
  }),
  allow: ({ actor }) => can(actor, 'delete_patient'),
  async run(ctx, { ids: asked }) {
    const { db, actor } = ctx
    const ids = [...new Set(asked)]
    const found = await db
      .selectFrom('patients')
      .select([
        'id',
        'given_name',
        'surname',
        sql<boolean>`${patientsWhere(mayDeletePatient, actor)}`.as('isMine'),
      ])
      .where('id', 'in', ids)
      .where('is_deleted', '=', false)
      .where(patientsWhere(knowPatient, actor))
      .execute()
    const byId = new Map(found.map((patient) => [patient.id, patient]))
    const refused = asked.flatMap((id, at): [string, Message][] => {
      const patient = byId.get(id)
      if (!patient) return [[`ids.${at}`, { key: 'patients.notFound' }]]
      return patient.isMine
        ? []
        : [[`ids.${at}`, { key: 'patients.cannotDelete', values: { name: patientName(patient) } }]]
    })
    if (refused.length > 0) {
      const code = refused.length === asked.length ? 'forbidden' : 'conflict'
      throw new AppError(code, { key: 'patients.noneDeleted' }, Object.fromEntries(refused))
    }
    const large = await deleteAsJob(
      ctx,
      found.map((patient) => ({ id: patient.id, label: patientName(patient) })),
    )
    if (large)
      return {
        deleted: large.deleted.map(({ id, deletionId }) => ({ id, deletionId })),
        job: large.job,
      }
    const { rows } = await sql<{ id: string; deletionId: string }>`
      select record_id as id, deletion_id as "deletionId"
      from soft_delete_all('patients', ${found.map(({ id }) => id)}::uuid[], ${found.map(patientName)}::text[],
        ${actor.userId})
      order by record_id`.execute(db)
    return { deleted: rows, job: null }
  },
})
