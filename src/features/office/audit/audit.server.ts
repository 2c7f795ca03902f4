import { sql } from 'kysely'
import * as z from 'zod'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, query, type Via } from '~/server/operation'
import { paged } from '~/server/paged'
import { byName } from '~/server/scope'
import { isAdmin } from '~/shared/actor'
import { addDays, clinicTimeZone, momentAt } from '~/shared/zone'
import { type Changes, ListAudit } from './audit'

/** A total beyond this is not worth a full count of a table that only grows. */
const COUNT_UP_TO = 10_000

/** Who changed what, when and by which way in, newest first. `pagination.total` stops at 10,000. */
export const listAudit = query('audit.list', {
  input: ListAudit,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { page, table, recordId, patientId, clinicId, userId, action, from, to }) {
    const { db } = ctx
    const startOf = (day: string) => momentAt(`${day}T00:00`, clinicTimeZone())!
    const entries = db
      .selectFrom('audit_log')
      .$if(!!table, (q) => q.where('table_name', '=', table!))
      .$if(!!recordId, (q) => q.where('record_id', '=', recordId!))
      .$if(!!patientId, (q) => q.where('audit_log.patient_id', '=', patientId!))
      .$if(!!clinicId, (q) => q.where('audit_log.clinic_id', '=', clinicId!))
      .$if(!!userId, (q) => q.where('audit_log.user_id', '=', userId!))
      .$if(!!action, (q) => q.where('action', '=', action!))
      .$if(!!from, (q) => q.where('at', '>=', startOf(from!)))
      .$if(!!to, (q) => q.where('at', '<', startOf(addDays(to!, 1))))
    const { rows, pagination } = await paged(
      entries
        .leftJoin('users', 'users.id', 'audit_log.user_id')
        .leftJoin('clinics', 'clinics.id', 'audit_log.clinic_id')
        .select([
          'audit_log.id',
          'at',
          'action',
          'via',
          'request_id',
          'table_name',
          'record_id',
          'audit_log.patient_id',
          'changes',
        ])
        .select(['users.name as user', 'clinics.name as clinic'])
        .orderBy('audit_log.id', 'desc'),
      db.selectFrom(entries.select('audit_log.id').limit(COUNT_UP_TO).as('counted')),
      page,
    )
    const names = await namesIn(
      ctx,
      rows.map((row) => row.changes as Changes),
      patientId,
    )
    return {
      names,
      rows: rows.map((row) => ({ ...row, via: row.via as Via, changes: row.changes as Changes })),
      pagination,
    }
  },
  shows: ({ rows }) =>
    rows.flatMap(({ patient_id, changes }) => [patient_id, ...patientsIn(changes)]),
})

/** The patients that changed values name. */
const patientsIn = (changes: Changes) =>
  ['patient_id', 'winner_id', 'loser_id']
    .flatMap((column) => changes[column] ?? [])
    .filter((value) => typeof value === 'string')

const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every user that the trail can name, including deleted users. */
export const listAuditUsers = query('audit.users', {
  input: z.object({}).prefault({}),
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }) =>
    db.selectFrom('users').select(['id', 'name']).orderBy(byName('name')).orderBy('id').execute(),
})

/** The names for the ids among the values; of a patient only if the actor may know the patient. */
export async function namesIn(
  { db, actor }: Context,
  changes: Changes[],
  ...more: readonly (string | undefined)[]
): Promise<Record<string, string>> {
  const values = [...changes.flatMap((change) => Object.values(change).flat()), ...more]
  const ids = [
    ...new Set(values.filter((value) => typeof value === 'string' && looksLikeId.test(value))),
  ]
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from users where id = any(${ids}::uuid[])
    union all select id, name from clinics where id = any(${ids}::uuid[])
    union all select id, name from clinic_departments where id = any(${ids}::uuid[])
    union all select id, concat_ws(' ', given_name, surname) from patients where id = any(${ids}::uuid[])
      and ${patientsWhere(knowPatient, actor)}`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}
