import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { findPatientIds } from '~/server/access-entry'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { byName } from '~/server/scope'
import { isAdmin } from '~/shared/actor'
import type { Language, MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { type Changes, ExportAudit, ListAudit } from './audit'
import {
  actionWords,
  columnWords,
  IDS,
  idsIn,
  isTime,
  plainValue,
  shownChanges,
  tableWords,
  valueWords,
} from './audit-words'
import { exportTrail, inBatches, withinAuditDays } from './trail.server'

/** Who changed what, when and by which way in, newest first. */
export const listAudit = query('audit.list', {
  access: 'trail',
  input: ListAudit,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { page, ...filter }) {
    const { db } = ctx
    const { patientId } = filter
    const entries = matching(db, filter)
    const { rows, pagination } = await loadListPage(withNames(entries), entries, page)
    const names = await loadNamesInChanges(ctx, [...rows.map(({ changes }) => changes), patientId])
    return {
      names,
      rows,
      pagination,
    }
  },
  shows: ({ rows, names }, { ctx }) => findPatientIds(ctx.db, idsIn([rows, names])),
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
    .where(withinAuditDays(filter))
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
  access: 'export',
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
  async shows(_, { ctx: { db }, input }) {
    const { format: _format, language: _language, ...filter } = input
    const { rows } = await sql<{ id: string }>`
      with entries as materialized (${matching(db, filter).select(['audit_log.patient_id', 'changes'])})
      select distinct patient_id as id from entries where patient_id is not null
      union select patients.id from patients join (
        select id[1]::uuid from entries, regexp_matches(changes::text, ${IDS.source}, 'gi') id
      ) named (id) using (id)`.execute(db)
    return rows.map(({ id }) => id)
  },
})

/** A line for each change of a record, newest first; the changed values in words. */
export const auditSheet = (
  ctx: Context,
  { format: _, language, ...filter }: z.output<typeof ExportAudit>,
): ListSheet => {
  const { db } = ctx
  const say = (key: MessageKey) => sentence(language, { key })
  async function* rows() {
    const read = (last: { id: number } | undefined, most: number) =>
      withNames(matching(db, filter).$if(!!last, (q) => q.where('audit_log.id', '<', last!.id)))
        .limit(most)
        .execute()
    for await (const entries of inBatches(read)) {
      const names = await loadNamesInChanges(
        ctx,
        entries.map(({ changes }) => changes),
      )
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
          say(`audit.via_${via}`),
          changesInWords(table_name, changes, names, language),
        ]
      }
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

/** A line for each changed column: `Clinic: Hillside → Riverside`. */
const changesInWords = (
  table: string,
  changes: Changes,
  names: Record<string, string>,
  language: Language,
) => {
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
  const inWords = (column: string, value: Changes[string][0]) => {
    if (isTime(value)) return wallTime(new Date(value), clinicTimeZone()).replace('T', ' ')
    const words = valueWords(table, column, value, language)
    return words ? say(words) : plainValue(value, names, table, say)
  }
  return shownChanges(changes)
    .map(([column, [before, after]]) => {
      const label = columnWords(table, column)
      const was = before === null ? '' : `${inWords(column, before)} → `
      return `${label ? say(label) : column}: ${was}${inWords(column, after)}`
    })
    .join('\n')
}

const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every user that the trail can name, including deleted users. */
export const listAuditUsers = query('audit.users', {
  input: z.object({}).prefault({}),
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }) =>
    db.selectFrom('users').select(['id', 'name']).orderBy(byName('name')).orderBy('id').execute(),
})

/**
 * The names for the ids in changes of any shape, for administrators. What has no name of its own has that of its form
 * or medicine, or its time.
 */
async function loadNamesInChanges(
  { db, actor }: Context,
  changes: readonly unknown[],
): Promise<Record<string, string>> {
  const ids = idsIn(changes)
  if (ids.length === 0) return {}
  const time = (column: string) =>
    sql`to_char(${sql.ref(column)} at time zone ${clinicTimeZone()}, 'YYYY-MM-DD HH24:MI')`
  const drug = sql`concat_ws(' ', nullif(d.generic_name, ''), '(' || nullif(d.brand_name, '') || ')')`
  const { rows } = await sql<{ id: string; name: string }>`${asPrepared(ids.length)}
    with asked as materialized (select unnest(${ids}::uuid[]) as id), named as (
      select t.id, t.name from asked join users t using (id)
      union all select t.id, t.name from asked join clinics t using (id)
      union all select t.id, t.name from asked join clinic_departments t using (id)
      union all select t.id, t.name from asked join event_forms t using (id)
      union all select t.id, t.name from asked join patient_medicines t using (id)
      union all select t.id, t.problem_label from asked join patient_problems t using (id)
      union all select t.id, t.name from asked join app_passwords t using (id)
      union all select t.id, t.batch_number from asked join drug_batches t using (id)
      union all select t.id, t.code from asked join report_definitions t using (id)
      union all select d.id, ${drug} from asked join drug_catalogue d using (id)
      union all select t.id, ${drug} from asked join prescription_items t using (id)
        join drug_catalogue d on d.id = t.drug_id
      union all select t.id, concat_ws(', ', nullif(${drug}, ''), ${time('t.dispensed_at')})
        from asked join dispensing_records t using (id) left join drug_catalogue d on d.id = t.drug_id
      union all select t.id, concat_ws(', ', f.name, ${time('t.created_at')})
        from asked join events t using (id) left join event_forms f on f.id = t.form_id
      union all select t.id, ${time('t.check_in_timestamp')} from asked join visits t using (id)
      union all select t.id, ${time('t.timestamp')} from asked join appointments t using (id)
      union all select t.id, ${time('t.prescribed_at')} from asked join prescriptions t using (id)
      union all select t.id, coalesce(p.name, t.number::text)
        from asked join sync_chains t using (id) left join app_passwords p on p.id = t.app_password_id
      union all select t.id, concat_ws(' ', t.given_name, t.surname) from patients t
        where t.id = any(${ids}::uuid[]) and t.id in (select patients.id from patients
          where patients.id = any(${ids}::uuid[]) and ${patientsWhere(knowPatient, actor)}))
    select id, name from named where name <> ''`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/** The names for the ids among the values; of a patient only if the actor may know the patient. */
export async function loadChangedRecordNames(
  { db, actor }: Context,
  changes: Changes[],
): Promise<Record<string, string>> {
  const values = changes.flatMap((change) => Object.values(change).flat())
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
