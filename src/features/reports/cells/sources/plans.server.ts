import { sql } from 'kysely'
import { dayIn } from '~/shared/zone'
import {
  sqlDay,
  ofClinics,
  ofNoVisit,
  ofPatient,
  ofVisit,
  raw,
  recordedRows,
  type SourceSql,
  type WantedRows,
  within,
  withinDays,
} from './source.server'

export const appointmentsSource: SourceSql<'appointments'> = {
  opens: ['appointments'],
  rows: (scope, wanted) => sql`
    select t.id, t.patient_id, t.fulfilled_visit_id as visit_id, t.clinic_id, t.timestamp as at,
      ${sqlDay(scope, sql.raw('t.timestamp'))} as day, t.status, t.is_walk_in
    from appointments t
    where not t.is_deleted and ${within(scope, wanted.range, sql.raw('t.timestamp'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))}
      and ${ofVisit(wanted, sql.raw('t.fulfilled_visit_id'))}`,
  fields: {
    'appointment.status': raw('r.status'),
    'appointment.is_walk_in': raw('r.is_walk_in'),
    'appointment.is_missed': ({ now, zone }) =>
      sql`(r.status in ('pending', 'confirmed') and r.visit_id is null
        and r.day < ${dayIn(now, zone)}::date)`,
    'appointment.wait_minutes': raw(`(
      select extract(epoch from d.called_at - d.waiting_since) / 60 from appointment_departments d
      where d.appointment_id = r.id and d.called_at >= d.waiting_since
      order by d.position limit 1)`),
  },
}

export const referrals: SourceSql<'referrals'> = {
  opens: ['referrals'],
  rows: (scope, wanted) =>
    recordedRows(scope, wanted, {
      table: 'referrals',
      own: 'sent_at',
      columns: 't.status, t.urgency',
    }),
  fields: { 'referral.status': raw('r.status'), 'referral.urgency': raw('r.urgency') },
}

/** Doses by the day on which they were given; those given elsewhere are of no clinic. */
export const doses: SourceSql<'doses'> = {
  opens: ['patient_immunizations'],
  numberedBy: 'dose.vaccine',
  rows: (scope, wanted) => sql`
    select t.id, t.patient_id, t.visit_id, t.clinic_id,
      t.given_on::timestamp at time zone ${scope.zone}::text as at, t.given_on as day, t.vaccine,
      t.dose_number
    from patient_immunizations t
    where not t.is_deleted and ${withinDays(wanted.range, sql.raw('t.given_on'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))} and ${ofVisit(wanted, sql.raw('t.visit_id'))}`,
  fields: { 'dose.vaccine': raw('r.vaccine'), 'dose.number': raw('r.dose_number') },
}

/** What patients should come for, by the day on which it is due. */
export const followUps: SourceSql<'follow_ups'> = {
  opens: ['follow_up_items'],
  rows: (scope, wanted) => sql`
    select t.id, t.patient_id, t.visit_id, t.clinic_id,
      t.due_on::timestamp at time zone ${scope.zone}::text as at, t.due_on as day, t.program,
      t.schedule_code, t.step, t.status, t.is_high_risk
    from follow_up_items t
    where ${withinDays(wanted.range, sql.raw('t.due_on'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))} and ${ofVisit(wanted, sql.raw('t.visit_id'))}`,
  fields: {
    'follow_up.program': raw('r.program'),
    'follow_up.schedule': raw('r.schedule_code'),
    'follow_up.step': raw('r.step'),
    'follow_up.status': raw('r.status'),
    'follow_up.is_high_risk': raw('r.is_high_risk'),
  },
}

/** A call `t` that counts: it counters none, and none counters it. */
const isStanding = (alias: string) =>
  `${alias}.counters_id is null
    and not exists (select from follow_up_calls wrong where wrong.counters_id = ${alias}.id)`

/** The patient of a call today; `joinMerges` joins what it needs. */
const livingId = (alias: string) =>
  `case when merged_${alias}.id is null then ${alias}.patient_id
    else living_patient(${alias}.patient_id) end`
const joinMerges = (alias: string) =>
  `left join patient_merges merged_${alias} on merged_${alias}.loser_id = ${alias}.patient_id
    and merged_${alias}.unmerged_at is null`

const ofCalledPatient = ({ patient, patients }: WantedRows) => {
  const ids = patients ? sql`array(${patients})` : patient && sql`array[${patient}]`
  return ids ? sql`t.patient_id in (select former_id from former_patients(${ids}))` : sql`true`
}

export const calls: SourceSql<'calls'> = {
  opens: ['follow_up_calls'],
  rows: (scope, wanted) => sql`
    select t.id, ${sql.raw(livingId('t'))} as patient_id, null::uuid as visit_id, t.clinic_id,
      t.called_at as at,
      ${sqlDay(scope, sql.raw('t.called_at'))} as day, t.program, t.result, t.reason, t.no_answer
    from follow_up_calls t ${sql.raw(joinMerges('t'))}
    where ${within(scope, wanted.range, sql.raw('t.called_at'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofCalledPatient(wanted)} and ${ofNoVisit(wanted)}
      and ${sql.raw(isStanding('t'))}`,
  fields: {
    'call.program': raw('r.program'),
    'call.result': raw('r.result'),
    'call.reason': raw('r.reason'),
    'call.no_answer': raw('r.no_answer'),
    // the first since the period began
    'call.is_first': ({ period }) => sql`(r.at < ${period.from}::timestamptz or r.id in (
      select distinct on (${sql.raw(livingId('c'))}, c.program) c.id
      from follow_up_calls c ${sql.raw(joinMerges('c'))}
      where c.called_at >= ${period.from}::timestamptz and ${sql.raw(isStanding('c'))}
      order by ${sql.raw(livingId('c'))}, c.program, c.called_at, c.id))`,
  },
}
