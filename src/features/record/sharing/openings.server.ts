import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { loadCurrentMedicines } from '~/features/medicines/taken/current.server'
import { somewhere } from '~/policy/facts'
import { namedPatient } from '~/policy/on.server'
import {
  administerClinic,
  CARE,
  clinicsMeetingRule,
  knowPatient,
  readHistory,
  readOthersRows,
} from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfRows } from '~/server/shown'
import { type Actor, isAdmin, mayIn } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { ListOpenings, OpenHistory } from './opening'

/** SQL for the end of an opening: 90 days after the clinic's last visit with the patient, or after it began. */
const openingEndSql = (
  patient: Expression<unknown>,
  clinic: Expression<unknown>,
  begin: Expression<unknown>,
) =>
  sql<Date>`greatest(${begin}, (select max(v.check_in_timestamp) from visits v
    where v.patient_id = ${patient} and v.clinic_id = ${clinic} and not v.is_deleted))
    + interval '90 days'`

/** The end of the opening with this alias, a visit since included; null without an opening. */
const currentEnd = (o: string) =>
  sql<Date | null>`case when ${sql.ref(`${o}.until`)} is not null then ${openingEndSql(
    sql.ref(`${o}.patient_id`),
    sql.ref(`${o}.clinic_id`),
    sql`${sql.ref(`${o}.until`)} - interval '90 days'`,
  )} end`

/**
 * Opens to a clinic what other clinics recorded of a patient, with the reason: once for each patient and clinic, until
 * 90 days after the clinic's last visit. Other clinics that cared for the patient can review it.
 */
export const openHistory = mutation('openings.start', {
  on: namedPatient(readHistory),
  input: OpenHistory,
  allow: ({ actor }, { clinicId }) => mayIn(actor, 'can_view_history', clinicId),
  async run(ctx, { id, patientId, clinicId, reason, reason_text }) {
    const { db, actor } = ctx
    const linked = await db
      .selectFrom('patient_links')
      .select('clinic_id')
      .where('patient_id', '=', patientId)
      .where('clinic_id', '=', clinicId)
      .where('until', 'is', null)
      .executeTakeFirst()
    if (!linked) throw invalid({ clinicId: { key: 'sharing.notLinked' } })
    const made = await db
      .insertInto('history_openings')
      .values({
        id,
        patient_id: patientId,
        clinic_id: clinicId,
        opened_by: actor.userId,
        reason,
        reason_text,
        until: openingEndSql(
          sql`${patientId}::uuid`,
          sql`${clinicId}::uuid`,
          sql`clock_timestamp()`,
        ),
      })
      // a second user of the clinic, or a repeated request
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return { id: made?.id ?? id }
  },
})

/** Ends an opening before its time: for the clinics that cared for the patient before, and administrators. */
export const closeOpening = mutation('openings.close', {
  input: RecordId,
  allow: somewhere(administerClinic),
  async run({ db, actor }, { id }) {
    const closed = await db
      .updateTable('history_openings as o')
      .set({ is_deleted: true, closed_by: actor.userId, updated_at: new Date() })
      .where('o.id', '=', id)
      .where('o.is_deleted', '=', false)
      .where(reviewed(actor, 'o'))
      .returning('o.id')
      .executeTakeFirst()
    if (!closed) throw notFound('sharing.openingNotFound')
    return closed
  },
})

/** What was opened of the patients that the actor's clinics cared for before, the newest first. */
export const listOpenings = query('openings.list', {
  access: 'reviews',
  reads: ['history_openings'],
  looksUp: ['clinics', 'patients', 'users', 'visits'],
  input: ListOpenings,
  allow: somewhere(administerClinic),
  async run({ db, actor }, { state, page }) {
    const found = db
      .selectFrom('history_openings as o')
      .where('o.is_deleted', '=', state === 'closed')
      .where(reviewed(actor, 'o'))
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients', 'patients.id', 'o.patient_id')
        .innerJoin('clinics', 'clinics.id', 'o.clinic_id')
        .leftJoin('users as opener', 'opener.id', 'o.opened_by')
        .leftJoin('users as closer', 'closer.id', 'o.closed_by')
        .select(['o.id', 'o.patient_id', 'o.reason', 'o.reason_text', 'o.deleted_at'])
        .select(currentEnd('o').$notNull().as('until'))
        .select(['o.server_created_at as opened_at', 'clinics.name as clinic'])
        .select(['opener.name as opened_by', 'closer.name as closed_by'])
        .select(['given_name', 'surname'])
        .select(sql<boolean>`${patientsWhere(knowPatient, actor)}`.as('is_known'))
        .orderBy('o.created_at', 'desc')
        .orderBy('o.id', 'desc'),
      found,
      page,
    )
    return {
      rows: rows.map(({ given_name, surname, is_known, patient_id, reason, ...row }) => ({
        ...row,
        reason,
        /** Null for a reviewer who may not know the patient. */
        patient: is_known ? patientName({ given_name, surname }) : null,
        patient_id: is_known ? patient_id : null,
      })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type ListedOpening = Awaited<ReturnType<typeof listOpenings>>['rows'][number]

/**
 * What the actor reviews: a clinic that they administer cared for the patient, other than the opening one. Few rows
 * wait for a review: `offset` keeps PostgreSQL from reading all links of the clinic for them.
 */
export function reviewed(actor: Actor, row: string): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  return sql<boolean>`exists (select from patient_links l
    where l.patient_id = ${sql.ref(`${row}.patient_id`)}
      and l.clinic_id is distinct from ${sql.ref(`${row}.clinic_id`)}
      and l.clinic_id = any(${clinicsMeetingRule(administerClinic, actor)}::uuid[])
      and l.source = any(${[...CARE]}) offset 0)`
}

/** The tables of a history, with the alias that `rowsWhere` reads. */
const TABLES = [
  'visits',
  'events',
  'patient_vitals',
  'patient_problems',
  'prescriptions',
  'dispensing_records',
] as const

/**
 * What the record of a patient does not show the actor, where the actor may open it, and what is never hidden: the
 * medicines that the patient takes now.
 */
export const hiddenHistory = query('openings.ofPatient', {
  access: 'record',
  reads: ['emergency_accesses', 'history_openings'],
  looksUp: [
    'clinics',
    'dispensing_records',
    'events',
    'patient_problems',
    'patient_vitals',
    'patients',
    'prescriptions',
    'visits',
  ],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const { db, actor } = ctx
    const counted = await countHiddenRows(db, actor, patientId)
    const clinics = await db
      .selectFrom('clinics')
      .modifyFront(asPrepared())
      .leftJoin('history_openings as o', (join) =>
        join
          .onRef('o.clinic_id', '=', 'clinics.id')
          .on('o.patient_id', '=', patientId)
          .on('o.is_deleted', '=', false),
      )
      .select(['clinics.id', 'clinics.name', currentEnd('o').as('until')])
      .where('clinics.is_deleted', '=', false)
      .where('clinics.is_archived', '=', false)
      .where(linkedWhere(actor, patientId))
      .orderBy('clinics.name')
      .orderBy('clinics.id')
      .execute()
    const isHidden = counted.total > 0
    return {
      ...counted,
      clinics,
      isShared: actor.sharesHistory === true,
      medicines: isHidden ? await loadCurrentMedicineNames(ctx, patientId) : [],
      emergencyUntil: await emergencyUntil(db, actor, patientId),
    }
  },
})
export type HiddenHistory = Awaited<ReturnType<typeof hiddenHistory>>

/** What the patient takes now, whichever clinic recorded it. */
const loadCurrentMedicineNames = async (ctx: Context, patientId: string) =>
  (await loadCurrentMedicines(ctx, patientId)).rows.map(({ name }) => name)

const linkedWhere = (actor: Actor, patientId: string): RawBuilder<SqlBool> => {
  const clinics = clinicsMeetingRule(readOthersRows, actor)
  const held = clinics === 'all' ? sql`true` : sql`clinics.id = any(${clinics}::uuid[])`
  return sql<boolean>`${held} and exists (select from patient_links l where l.clinic_id = clinics.id
    and l.patient_id = ${patientId}::uuid and l.until is null)`
}

/** How many rows of each kind are hidden, and the clinics that recorded them. */
async function countHiddenRows(db: Kysely<DB>, actor: Actor, patientId: string) {
  const parts = TABLES.map(
    (table) => sql`select ${sql.lit(table)} as kind, t.recorded_clinic_id from ${sql.table(table)} t
      where t.patient_id = ${patientId}::uuid and not t.is_deleted and not ${rowsWhere(actor, 't')}`,
  )
  const { rows } = await sql<{
    kind: (typeof TABLES)[number]
    count: number
    names: string[]
  }>`${asPrepared()}
    select kind, count(*)::integer as count,
      coalesce(array_agg(distinct c.name) filter (where c.name is not null), '{}') as names
    from (${sql.join(parts, sql` union all `)}) hidden
      left join clinics c on c.id = recorded_clinic_id
    group by kind order by kind`.execute(db)
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    kinds: rows.map(({ kind, count }) => ({ kind, count })),
    recordedBy: [...new Set(rows.flatMap(({ names }) => names))].toSorted(),
  }
}

async function emergencyUntil(db: Kysely<DB>, { emergency, userId }: Actor, patientId: string) {
  if (!emergency?.includes(patientId)) return null
  const row = await db
    .selectFrom('emergency_accesses')
    .select('until')
    .where('user_id', '=', userId)
    .where('patient_id', '=', patientId)
    .orderBy('until', 'desc')
    .executeTakeFirst()
  return row?.until ?? null
}

/** Extends openings to 90 days after the clinic's newest visit, and closes those whose time is over. */
export async function closeEndedOpenings(db: Kysely<DB>) {
  await db.transaction().execute(async (transaction) => {
    await sql`select set_config('sanad.action', 'openings.close', true),
      set_config('sanad.via', 'system', true)`.execute(transaction)
    await endOpenings(transaction)
  })
}

export async function endOpenings(db: Kysely<DB>) {
  const end = currentEnd('o')
  await sql`update history_openings o set until = ${end}
    where not o.is_deleted and o.until < clock_timestamp() + interval '1 day' and o.until < ${end}`.execute(
    db,
  )
  await sql`update history_openings set is_deleted = true
    where not is_deleted and until < clock_timestamp()`.execute(db)
}
