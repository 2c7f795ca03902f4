// The lists and their count have the same conditions: longer than most files.
import { type RawBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import { SENSITIVE_CODES } from '~/features/care/programs/programs'
import {
  LISTED_BATCHES,
  SETTLED_FROM,
  settleFollowUps,
} from '~/features/care/programs/stale.server'
import { readBirthPrecision, PatientIdInput } from '~/features/people/patients/patient'
import { permitsIn } from '~/policy/facts'
import { namedPatient } from '~/policy/on.server'
import { knowPatient, openVisit, readHistory, seeAppointments } from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import { type Context, NoInput, query } from '~/server/operation'
import { patientsOfRows } from '~/server/shown'
import { type Actor, clinicsWhere, mayAnywhere } from '~/shared/actor'
import { addAll } from '~/shared/any-length'
import { PAGE_SIZE } from '~/shared/record'
import { addDays, clinicTimeZone, momentAt, clinicToday } from '~/shared/zone'
import type { CallResultCode } from '~/records/call-results'
import type { MessageState } from './messages/message'
import type { MessageSendingError } from './messages/sending'
import { CalledList, FollowUpList, type RemovalReason } from './followup'

export const seesFollowUps = ({ actor }: { actor: Actor }) => mayAnywhere(actor, ...seeAppointments)

/** Follow-up items of the user's clinics. */
function clinicsSeen(actor: Actor, clinicId?: string): RawBuilder<boolean> {
  const clinics = clinicsWhere(actor, ...seeAppointments)
  const mine = clinics === 'all' ? sql`true` : sql`i.clinic_id = any(${clinics}::uuid[])`
  return sql<boolean>`${mine} ${clinicId ? sql`and i.clinic_id = ${clinicId}` : sql``}`
}

/** A sensitive program is listed only where the user reads the history: its filter alone would name the illness. */
function programsSeen(actor: Actor): RawBuilder<boolean> {
  const clinics = clinicsWhere(actor, ...readHistory.permissions)
  return clinics === 'all'
    ? sql<boolean>`true`
    : sql<boolean>`(i.program <> all(${[...SENSITIVE_CODES]}::text[])
        or i.clinic_id = any(${clinics}::uuid[]))`
}

/** Phones of at least eight digits, in any script. */
const hasPhone = sql`regexp_count(coalesce(p.phone, '') collate names, '[[:digit:]]') >= 8`

/** Items `i` that are in the list today. */
function isListed(list: FollowUpList['list'], today: string): RawBuilder<boolean> {
  return sql<boolean>`i.status = 'open' and i.is_lead and coalesce(i.expires_on > ${today}::date, true)
    and ${
      list === 'overdue'
        ? sql`i.overdue_from <= ${today}::date and coalesce(i.hidden_until <= ${today}::date, true)`
        : sql`i.overdue_from > ${today}::date and i.due_from <= ${today}::date`
    }`
}

/** The conditions of the list for an item `i`, besides its order and the access to its patient. */
function narrowed(input: FollowUpList, actor: Actor, today: string): RawBuilder<boolean> {
  const parts = [
    isListed(input.list, today),
    clinicsSeen(actor, input.clinicId),
    programsSeen(actor),
    ...(input.program ? [sql`i.program = ${input.program}`] : []),
    ...(input.phone
      ? [
          sql`${input.phone === 'yes' ? sql`` : sql`not`} exists (
            select from patients p where p.id = i.patient_id and ${hasPhone})`,
        ]
      : []),
    ...(input.result === 'none' ? [sql`i.last_call_id is null`] : []),
    ...(input.result && input.result !== 'none'
      ? [
          sql`exists (select from follow_up_calls c
            where c.id = i.last_call_id and c.result = ${input.result})`,
        ]
      : []),
  ]
  return sql<boolean>`${sql.join(parts, sql` and `)}`
}

/** Every item under two names: `i`, and `shown` inside of a query that names another item `i`. */
const ITEMS = sql`follow_up_items shown cross join lateral (select shown.*) i`

/**
 * Of `ITEMS` one of each patient whose identity the user may see: of several programs the one that the order of the
 * list puts first.
 */
function firstOfPatients(input: FollowUpList, actor: Actor, today: string): RawBuilder<boolean> {
  const isIn = narrowed(input, actor, today)
  return sql<boolean>`${isIn} and ${patientsWhere(knowPatient, actor, 'i.patient_id')}
    and not exists (select from follow_up_items i
      where i.patient_id = shown.patient_id and i.id <> shown.id
        and (i.is_high_risk, i.has_agreed, i.overdue_from) >=
          (shown.is_high_risk, shown.has_agreed, shown.overdue_from)
        and ((i.is_high_risk, i.has_agreed, i.overdue_from) <>
          (shown.is_high_risk, shown.has_agreed, shown.overdue_from) or i.id < shown.id)
        and ${isIn})`
}

/** High risk first, then an agreed day that passed, then the fewest days; each group by its index. */
const GROUPS = [
  { risk: true, agreed: true },
  { risk: true, agreed: false },
  { risk: false, agreed: true },
  { risk: false, agreed: false },
]

/**
 * Patients who should have come, or will soon: one row for each, with the other programs that list the patient today
 * in `others`. Without the right to the history, a row has the name, the phone and the date, and no other programs.
 */
export const listFollowUps = query('followups.list', {
  access: 'followUp',
  reads: ['follow_up_items', 'follow_up_calls', 'messages', 'program_enrollments'],
  looksUp: ['clinics', 'users', ...SETTLED_FROM],
  input: FollowUpList,
  allow: seesFollowUps,
  async run(ctx, input) {
    const { db, actor } = ctx
    await settleFollowUps(ctx, undefined, { batches: LISTED_BATCHES })
    const today = clinicToday()
    const { after } = input
    const open = after
      ? GROUPS.slice(
          GROUPS.findIndex(({ risk, agreed }) => risk === after.risk && agreed === after.agreed),
        )
      : GROUPS
    const found: { id: string }[] = []
    for (const { risk, agreed } of open) {
      if (input.highRisk && !risk) continue
      const isIn = after?.risk === risk && after.agreed === agreed
      const begins = isIn
        ? sql`and (i.overdue_from < ${after.overdueFrom}::date
            or (i.overdue_from = ${after.overdueFrom}::date and i.id > ${after.id}))`
        : sql``
      const { rows } = await sql<{ id: string }>`select i.id from ${ITEMS}
        where i.is_high_risk = ${risk} and i.has_agreed = ${agreed}
          and ${firstOfPatients(input, actor, today)} ${begins}
        order by i.overdue_from desc, i.id limit ${PAGE_SIZE + 1 - found.length}`.execute(db)
      addAll(found, rows)
      if (found.length > PAGE_SIZE) break
    }
    const shownIds = found.slice(0, PAGE_SIZE).map(({ id }) => id)
    const others = await idsOfOthers(ctx, shownIds, input.list, today)
    const all = await loadFollowUps(ctx, [...shownIds, ...others], today)
    const rows = all.slice(0, shownIds.length)
    const ofPatient = Map.groupBy(all.slice(shownIds.length), ({ patient_id }) => patient_id)
    const last = rows.at(-1)
    return {
      today,
      rows: rows.map(({ cursor: _cursor, ...row }) => ({
        ...row,
        others: (row.care ? (ofPatient.get(row.patient_id) ?? []) : []).flatMap(
          ({ id, program, due_on, overdue_from, message, care }) =>
            care
              ? {
                  id,
                  program,
                  due_on,
                  overdue_from,
                  message,
                  care: { steps: care.steps, clinic: care.clinic },
                }
              : [],
        ),
      })),
      next: found.length > PAGE_SIZE && last ? last.cursor : null,
    }
  },
  shows: patientsOfRows,
})
export type ListedFollowUp = Awaited<ReturnType<typeof listFollowUps>>['rows'][number]

/** The items of other programs that list the patients of these items today, whatever narrows the list. */
async function idsOfOthers(
  { db, actor }: Context,
  itemIds: readonly string[],
  list: FollowUpList['list'],
  today: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${asPrepared(itemIds.length)} select i.id
    from follow_up_items shown join follow_up_items i on i.patient_id = shown.patient_id and i.id <> shown.id
    where shown.id = any(${[...itemIds]}::uuid[])
      and ${narrowed(FollowUpList.parse({ list }), actor, today)}
    order by i.is_high_risk desc, i.has_agreed desc, i.overdue_from desc, i.id`.execute(db)
  return rows.map(({ id }) => id)
}

type ItemRow = {
  id: string
  patient_id: string
  clinic_id: string
  clinic: string
  program: string
  due_on: string
  overdue_from: string
  last_visit_on: string | null
  is_high_risk: boolean
  has_agreed: boolean
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  metadata: unknown
  phone: string | null
  camp: string | null
  number: string | null
  /** Open steps of the enrolment whose date is near or has passed, in their order. */
  steps: string[]
  pressure: string | null
  call_id: string | null
  called_at: Date | null
  result: CallResultCode | null
  reason: RemovalReason | null
  no_answer: boolean | null
  agreed_on: string | null
  message: {
    state: MessageState
    state_at: string
    error: MessageSendingError | null
    reason: string | null
    may_have_arrived: boolean
  } | null
  caller: string | null
  call_notes: string | null
}

async function loadFollowUps({ db, actor }: Context, ids: readonly string[], today: string) {
  if (ids.length === 0) return []
  const { rows } = await sql<ItemRow>`${asPrepared(ids.length)}
    select i.id, i.patient_id, i.clinic_id, k.name as clinic, i.program, i.due_on, i.overdue_from,
      i.last_visit_on, i.is_high_risk, i.has_agreed, p.given_name, p.surname, p.sex, p.date_of_birth,
      p.metadata, p.phone, p.camp,
      coalesce(nullif(p.external_patient_id, ''), nullif(p.government_id, '')) as number,
      array(select s.step from follow_up_items s
        where s.enrollment_id = i.enrollment_id and s.status = 'open' and s.due_from <= ${today}::date
        order by s.due_on, s.step) as steps,
      (select round(v.systolic_bp) || '/' || round(v.diastolic_bp) from patient_vitals v
        where v.patient_id = i.patient_id and not v.is_deleted and v.systolic_bp is not null
          and v.diastolic_bp is not null and ${rowsWhere(actor, 'v')}
        order by v.timestamp desc, v.id desc limit 1) as pressure,
      c.id as call_id, c.called_at, c.result, c.reason, c.no_answer, c.agreed_on, c.notes as call_notes,
      u.name as caller,
      (select jsonb_build_object('state', state, 'state_at', state_at, 'error', error, 'reason', reason,
          'may_have_arrived', may_have_arrived(m))
        from messages m where m.program = i.program
          and m.patient_id in (select former_id from former_patients(array[i.patient_id]))
        order by m.created_at desc limit 1) as message
    from unnest(${[...ids]}::uuid[]) with ordinality as wanted (id, at)
      join follow_up_items i on i.id = wanted.id
      join patients p on p.id = i.patient_id
      join clinics k on k.id = i.clinic_id
      left join follow_up_calls c on c.id = i.last_call_id
      left join users u on u.id = c.called_by
    order by wanted.at`.execute(db)
  return rows.map((row) => {
    const { call_id, called_at, result, reason, no_answer, agreed_on, caller, call_notes } = row
    const isOpen = permitsIn(readHistory.permissions, actor, row.clinic_id)
    return {
      id: row.id,
      patient_id: row.patient_id,
      clinic_id: row.clinic_id,
      given_name: row.given_name,
      surname: row.surname,
      phone: row.phone,
      program: row.program,
      due_on: row.due_on,
      overdue_from: row.overdue_from,
      /** The newest one to the patient for the program. */
      message: row.message && { ...row.message, state_at: new Date(row.message.state_at) },
      cursor: {
        risk: row.is_high_risk,
        agreed: row.has_agreed,
        overdueFrom: row.overdue_from,
        id: row.id,
      },
      /** Null without the right to the history. */
      care: isOpen
        ? {
            sex: row.sex,
            date_of_birth: row.date_of_birth,
            metadata: row.metadata as Record<string, unknown>,
            identifiers: {
              date_of_birth: row.date_of_birth,
              precision: readBirthPrecision(row.metadata),
              number: row.number,
            },
            camp: row.camp,
            clinic: row.clinic,
            steps: row.steps,
            last_visit_on: row.last_visit_on,
            is_high_risk: row.is_high_risk,
            pressure: row.pressure,
            call: call_id
              ? {
                  id: call_id,
                  called_at: called_at!,
                  result: result!,
                  reason,
                  no_answer,
                  agreed_on,
                  caller,
                  notes: call_notes,
                }
              : null,
          }
        : null,
    }
  })
}

/** More than a nurse calls in a day: beyond it, the menu says "99+". */
const COUNTED = 100

/** How many patients are overdue in the user's clinics, at most 100: for the menu. */
export const countFollowUps = query('followups.count', {
  reads: ['follow_up_items'],
  looksUp: [],
  input: NoInput,
  allow: seesFollowUps,
  async run({ db, actor }) {
    const input = FollowUpList.parse({})
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from (
      select from ${ITEMS} where ${firstOfPatients(input, actor, clinicToday())} limit ${COUNTED}) listed`.execute(
      db,
    )
    return { count: rows[0]?.count ?? 0 }
  },
})

/** What a patient should come for, with what became of earlier steps, and the calls. */
export const followUpsOfPatient = query('followups.ofPatient', {
  access: 'followUp',
  reads: ['follow_up_items', 'follow_up_calls', 'program_enrollments'],
  looksUp: ['clinics', 'users', ...SETTLED_FROM],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const { db, actor } = ctx
    await settleFollowUps(ctx, undefined, { patientId })
    const today = clinicToday()
    const clinics = clinicsWhere(actor, ...readHistory.permissions)
    const isSeen = sql<boolean>`(${rowsWhere(actor, 'e')}
      or e.clinic_id = any(${clinics === 'all' ? [] : clinics}::uuid[]))`
    const items = await db
      .selectFrom('follow_up_items as i')
      .modifyFront(asPrepared())
      .innerJoin('program_enrollments as e', 'e.id', 'i.enrollment_id')
      .select(['i.id', 'i.patient_id', 'i.clinic_id', 'i.program', 'schedule_code', 'step'])
      .select(['due_on', 'due_from', 'overdue_from', 'status', 'status_on', 'hidden_until'])
      .select(['is_high_risk', 'i.appointment_id'])
      .where('i.patient_id', '=', patientId)
      .where(isSeen)
      .orderBy(sql`status <> 'open'`)
      .orderBy('due_on')
      .orderBy('step')
      .limit(200)
      .execute()
    const calls = await db
      .selectFrom('follow_up_calls as c')
      .modifyFront(asPrepared())
      .leftJoin('users', 'users.id', 'c.called_by')
      .select(['c.id', 'c.program', 'step', 'due_on', 'called_at', 'no_answer'])
      .select(({ ref }) => [
        ref('result').$castTo<CallResultCode>().as('result'),
        ref('reason').$castTo<RemovalReason | null>().as('reason'),
      ])
      .select(['agreed_on', 'remind_on', 'notes', 'users.name as caller'])
      .where(
        sql<boolean>`c.patient_id in (
          select former_id from former_patients(array[${patientId}::uuid]))`,
      )
      .where('counters_id', 'is', null)
      .where(sql<boolean>`not exists (select from follow_up_calls t where t.counters_id = c.id)`)
      .where(sql<boolean>`exists (select from program_enrollments e
        where e.patient_id = ${patientId} and e.program = c.program and not e.is_deleted and ${isSeen})`)
      .orderBy('called_at', 'desc')
      .limit(100)
      .execute()
    return { today, items, calls }
  },
})
export type PatientFollowUps = Awaited<ReturnType<typeof followUpsOfPatient>>

/** Own calls are reversed by their caller, calls of others by users who edit records. */
export const reversal = ({ userId }: Actor, calledBy: string | null) =>
  calledBy === userId ? seeAppointments : openVisit

/** Days after the first call of a month within which a visit counts as a return (docs/rules.md, "Follow-up"). */
const RETURN_DAYS = 15

/**
 * Calls of a month that were not reversed, and whether the patient came back. Only the first call to a patient for a
 * program counts.
 */
export const calledFollowUps = query('followups.called', {
  access: 'followUp',
  reads: ['follow_up_calls', 'follow_up_items'],
  looksUp: ['clinics', 'program_enrollments', 'users', ...SETTLED_FROM],
  input: CalledList,
  allow: seesFollowUps,
  async run(ctx, { month, clinicId, program, page }) {
    const { db, actor } = ctx
    await settleFollowUps(ctx, undefined, { batches: LISTED_BATCHES })
    const zone = clinicTimeZone()
    const today = clinicToday()
    const first = `${month ?? today.slice(0, 7)}-01`
    const after = `${addDays(first, 31).slice(0, 7)}-01`
    const clinics = clinicsWhere(actor, ...readHistory.permissions)
    const mine = clinics === 'all' ? sql`true` : sql`i.clinic_id = any(${clinics}::uuid[])`
    const called = sql`
      select i.*, row_number() over (partition by i.patient_id, i.program order by i.called_at, i.id) = 1 as counts
      from (
        select c.id, living_patient(c.patient_id) as patient_id, c.program, c.clinic_id, c.called_at,
          c.called_by, c.result, c.reason, c.no_answer, c.agreed_on, c.remind_on, c.notes,
          (c.called_at at time zone ${zone})::date as called_on
        from follow_up_calls c
        where c.called_at >= ${momentAt(`${first}T00:00`, zone)!}
          and c.called_at < ${momentAt(`${after}T00:00`, zone)!}
          and c.counters_id is null
          and not exists (select from follow_up_calls t where t.counters_id = c.id)
      ) i
      where ${mine} and ${patientsWhere(readHistory, actor, 'i.patient_id')}
        ${clinicId ? sql`and i.clinic_id = ${clinicId}` : sql``}
        ${program ? sql`and i.program = ${program}` : sql``}`
    const { rows } = await sql<{
      id: string
      patient_id: string
      program: string
      given_name: string | null
      surname: string | null
      clinic: string
      called_at: Date
      result: CallResultCode
      reason: RemovalReason | null
      no_answer: boolean
      agreed_on: string | null
      remind_on: string | null
      notes: string | null
      caller: string | null
      counts: boolean
      called_by: string | null
      clinic_id: string
      returned_on: string | null
      isOver: boolean
      total: number
    }>`select c.id, c.patient_id, c.program, p.given_name, p.surname, k.name as clinic, c.called_at, c.result,
        c.reason, c.no_answer, c.agreed_on, c.remind_on, c.notes, c.counts, c.called_by, c.clinic_id, u.name as caller,
        c.called_on + ${RETURN_DAYS}::int < ${today}::date as "isOver",
        (select min(d.status_on) from follow_up_items d
          where c.counts and d.patient_id = c.patient_id and d.program = c.program and d.status = 'done'
            and d.status_on between c.called_on and c.called_on + ${RETURN_DAYS}::int) as returned_on,
        count(*) over ()::int as total
      from (${called}) c
        join patients p on p.id = c.patient_id and not p.is_deleted
        join clinics k on k.id = c.clinic_id
        left join users u on u.id = c.called_by
      order by c.called_at desc, c.id
      limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}`.execute(db)
    return {
      rows: rows.map(({ total: _total, called_by, clinic_id, ...row }) => ({
        ...row,
        mayReverse: permitsIn(reversal(actor, called_by), actor, clinic_id),
      })),
      pagination: { page, pageSize: PAGE_SIZE, total: rows[0]?.total ?? 0 },
    }
  },
  shows: patientsOfRows,
})
export type CalledFollowUp = Awaited<ReturnType<typeof calledFollowUps>>['rows'][number]
