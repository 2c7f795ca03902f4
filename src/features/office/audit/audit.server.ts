import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import type { Sheet } from '~/server/list-file.server'
import { type Context, mutation, query, type Via } from '~/server/operation'
import { paged } from '~/server/paged'
import { byName } from '~/server/scope'
import { isAdmin } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { type Changes, ExportAudit, ListAudit } from './audit'
import { actionWords, tableWords } from './audit-words'
import { exportTrail, inBatches, withinDays } from './trail.server'

/** Who changed what, when and by which way in, newest first. */
export const listAudit = query('audit.list', {
  input: ListAudit,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { page, ...filter }) {
    const { db } = ctx
    const { patientId } = filter
    const entries = matching(db, filter)
    const { rows, pagination } = await paged(withNames(entries), entries, page)
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

type ChangeFilter = Omit<z.output<typeof ListAudit>, 'page'>

const matching = (db: Kysely<DB>, filter: ChangeFilter) => {
  const { table, recordId, patientId, clinicId, userId, action } = filter
  return db
    .selectFrom('audit_log')
    .$if(!!table, (q) => q.where('table_name', '=', table!))
    .$if(!!recordId, (q) => q.where('record_id', '=', recordId!))
    .$if(!!patientId, (q) => q.where('audit_log.patient_id', '=', patientId!))
    .$if(!!clinicId, (q) => q.where('audit_log.clinic_id', '=', clinicId!))
    .$if(!!userId, (q) => q.where('audit_log.user_id', '=', userId!))
    .$if(!!action, (q) => q.where('action', '=', action!))
    .where(withinDays(filter))
}

/** Newest first. */
const withNames = (entries: ReturnType<typeof matching>) =>
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
    .orderBy('audit_log.id', 'desc')

/** Returns how many changes the file would hold, and writes the export into both trails. */
export const exportAudit = mutation('audit.export', {
  input: ExportAudit,
  allow: ({ actor }) => isAdmin(actor),
  run: (ctx, input) => {
    const { format: _, language: __, ...filter } = input
    return exportTrail(ctx, matching(ctx.db, filter), {
      action: 'audit.export',
      table: 'audit_log',
      input,
    })
  },
  shows: () => [],
})

/** A line for each change of a record, newest first; the changed values as they are stored. */
export const auditSheet = (
  { db }: Context,
  { format: _, language, ...filter }: z.output<typeof ExportAudit>,
): Sheet => {
  const say = (key: MessageKey) => sentence(language, { key })
  async function* rows() {
    const read = (last: { id: number } | undefined, most: number) =>
      withNames(matching(db, filter).$if(!!last, (q) => q.where('audit_log.id', '<', last!.id)))
        .limit(most)
        .execute()
    for await (const entries of inBatches(read))
      for (const { id, at, user, action, table_name, clinic, via, changes, record_id } of entries) {
        const [done, kind] = [actionWords(action), tableWords(table_name)]
        yield [
          String(id),
          wallTime(at, clinicTimeZone()).replace('T', ' '),
          user ?? '',
          done ? say(done) : action,
          kind ? say(kind) : table_name,
          record_id ?? '',
          clinic ?? '',
          say(`audit.via_${via as Via}`),
          JSON.stringify(changes),
        ]
      }
  }
  const headings = ['audit.when', 'audit.who', 'audit.action', 'audit.what'] as const
  const others = ['clinics.one', 'audit.how', 'audit.changes'] as const
  return {
    title: say('audit.title'),
    headings: ['ID', ...headings.map(say), `${say('audit.what')} ID`, ...others.map(say)],
    rows: rows(),
  }
}

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
