-- What is known of pregnancies: the recorded answers, and what completed forms say. Each reader reads this view.

/* Whether a pregnancy that is due on a day is possible on another: 0 to 45 completed weeks, as `isPlausibleDueDate`. */
create function is_possible_due(due date, on_day date) returns boolean language sql immutable as $$
  select due - on_day between -35 and 280
$$;

/* The forms whose answers say something of a pregnancy. */
create view pregnancy_forms as
  select distinct form_id from report_bindings
  where not is_deleted and concept in (
    'anc.contact', 'pregnancy.due', 'pregnancy.weeks', 'pregnancy.last_period');

/*
 * One row for each answer about pregnancy. A form that is bound to `anc.contact` says that the patient is pregnant; what
 * dates the pregnancy is bound to `pregnancy.due`, `pregnancy.weeks` or `pregnancy.last_period`, in this order. A date
 * that no pregnancy can have says nothing. A user who enrols a patient in antenatal care says it, too. An end that a
 * user gave says that she gave birth, or (completed, cured, other) that it is not known whether she is pregnant; moved
 * and declined say nothing of the pregnancy. `pregnancyOn` passes over an end if she was not known to be pregnant.
 */
create view pregnancy_answers as
  select id, patient_id, state, asked_on, due_on, dating, ended_on, created_at, recorded_by_user_id, null::uuid as event_id,
    null::uuid as enrollment_id
  from patient_pregnancies where not is_deleted
  union all
  select e.id, e.patient_id,
    'pregnant', day.asked_on, said.due, said.dating, null, e.created_at, e.recorded_by_user_id, e.id, null
  from events e
    left join visits v on v.id = e.visit_id
    cross join lateral (select clinic_day(coalesce(v.check_in_timestamp, e.created_at)) as asked_on) day
    cross join lateral (
      select bool_or(concept = 'anc.contact') as is_contact,
        (array_agg(due order by place) filter (where is_possible_due(due, day.asked_on)))[1] as due,
        (array_agg(dating order by place) filter (where is_possible_due(due, day.asked_on)))[1] as dating
      from (
        select b.concept, value.date,
          case b.concept
            when 'pregnancy.due' then value.date
            when 'pregnancy.weeks' then day.asked_on + 280 - 7 * value.weeks
            when 'pregnancy.last_period' then value.date + 280 end as due,
          case b.concept
            when 'pregnancy.weeks' then 'weeks'
            when 'pregnancy.last_period' then 'last_period' else 'due_date' end as dating,
          array_position(array['pregnancy.due', 'pregnancy.weeks', 'pregnancy.last_period'], b.concept) as place
        from report_bindings b
          left join event_answers a on a.event_id = e.id
          cross join lateral (select
            case when b.concept not in ('anc.contact', 'pregnancy.weeks')
              then answer_day(a.answers -> b.field_id) end as date,
            case when b.concept = 'pregnancy.weeks' and answer_number(a.answers -> b.field_id) between 1 and 45
              then floor(answer_number(a.answers -> b.field_id))::integer end as weeks) value
        where b.form_id = e.form_id and not b.is_deleted and (b.clinic_id is null or b.clinic_id = v.clinic_id)
          and b.concept in (
            'anc.contact', 'pregnancy.due', 'pregnancy.weeks', 'pregnancy.last_period')
      ) bound
    ) said
  where not e.is_deleted and e.form_id is not null
    and (said.is_contact or said.due is not null)
  union all
  select e.id, e.patient_id, said.state, said.asked_on, said.due, case when said.due is not null then 'last_period' end,
    said.ended_on, said.at, e.recorded_by_user_id, null, e.id
  from program_enrollments e
    cross join lateral (
      select 'pregnant' as state, e.enrolled_on as asked_on, null::date as ended_on, e.created_at as at,
        -- a last period that came from another answer dates nothing by itself
        case when not e.metadata ? 'dated' and is_possible_due(e.lmp + 280, e.enrolled_on) then e.lmp + 280 end as due
      union all
      select case e.end_reason when 'birth' then 'after_birth' else 'not_known' end, e.ended_on,
        case e.end_reason when 'birth' then e.ended_on end,
        -- earlier versions kept no moment: the end of the day
        coalesce((e.metadata ->> 'ended_at')::timestamptz, (e.ended_on + 1)::timestamptz), null
      where e.end_reason in ('birth', 'completed', 'cured', 'other') and not e.metadata ? 'ended'
    ) said
  where e.program = 'pregnancy' and e.origin_id is null and not e.is_deleted
    and e.end_reason is distinct from 'mistaken';

/*
 * The answers about one patient. To plan the view takes milliseconds, to read it next to nothing: here each connection
 * plans it once, whatever statement asks.
 */
create function pregnancy_answers_of(patient uuid) returns table (
  id uuid, patient_id uuid, state text, asked_on date, due_on date, dating text, ended_on date,
  created_at timestamptz(3), recorded_by_user_id uuid, event_id uuid, enrollment_id uuid
) language plpgsql stable rows 5 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query select a.id, a.patient_id, a.state, a.asked_on, a.due_on, a.dating, a.ended_on, a.created_at,
    a.recorded_by_user_id, a.event_id, a.enrollment_id from pregnancy_answers a where a.patient_id = patient;
end $$;
