import { type RawBuilder, sql } from 'kysely'
import {
  raw,
  recordedRows,
  type Binding,
  type Scope,
  type SourceSql,
  type WantedRows,
} from './source.server'

const events = { table: 'events', own: 'created_at' }
const answers = 'event_answers ea on ea.event_id = t.id'

/** The bound answers of an event `e` with its answers: a join over `b`, with the concept. */
function bound(bindings: readonly Binding[]) {
  const column = (name: keyof Binding) => bindings.map((each) => each[name])
  return sql`unnest(${column('concept')}::text[], ${column('form_id')}::uuid[],
      ${column('field_id')}::text[], ${column('option')}::text[], ${column('clinic_id')}::uuid[],
      ${column('when_field_id')}::text[], ${column('when_option')}::text[])
      b (concept, form_id, field_id, option, clinic_id, when_field_id, when_option)
    on b.form_id = e.form_id and (b.clinic_id is null or b.clinic_id = e.clinic_id)
      and (b.field_id is null or jsonb_exists(e.answers, b.field_id))
      and (b.option is null or e.answers -> b.field_id @> to_jsonb(b.option))
      and (b.when_field_id is null
        or e.answers -> b.when_field_id @> to_jsonb(b.when_option))`
}

/** The number in an answer: JSON's own without the function that reads text. */
export const answerNumber = (answer: RawBuilder<unknown>) => sql`case jsonb_typeof(${answer})
  when 'number' then (${answer})::numeric when 'string' then answer_number(${answer}) end`

/** The events of the forms that are bound to concepts, with their answers. */
function selectBoundEvents(scope: Scope, wanted: WantedRows, bindings: readonly Binding[]) {
  const forms = [...new Set(bindings.map(({ form_id }) => form_id))]
  return recordedRows(
    scope,
    wanted,
    {
      ...events,
      join: `join ${answers}`,
      columns: 't.form_id, t.created_at as recorded_at, ea.answers',
    },
    sql`t.form_id = any(${forms}::uuid[])`,
  )
}

const bindingsForConcepts = ({ bindings }: Scope, concepts: readonly string[]) =>
  bindings.filter(({ concept }) => concepts.includes(concept))

/** The answers that are bound to concepts: a row for each event and concept. */
export function boundAnswers(scope: Scope, wanted: WantedRows, concepts: readonly string[]) {
  const bindings = bindingsForConcepts(scope, concepts)
  return sql`
    select e.*, b.concept, e.answers -> b.field_id as answer
    from (${selectBoundEvents(scope, wanted, bindings)}) e
      join ${bound(bindings)}`
}

/** The events that answer concepts with a number, under the names of `columns`: the largest if several are bound. */
export function boundNumbers(scope: Scope, wanted: WantedRows, columns: Record<string, string>) {
  const bindings = bindingsForConcepts(scope, Object.values(columns))
  const numbers = Object.entries(columns).map(([name, concept]) => {
    const each = bindings.filter((binding) => binding.concept === concept).map(boundNumber)
    return sql`greatest(null::numeric, ${sql.join(each)}) as ${sql.ref(name)}`
  })
  return sql`
    select e.id, e.patient_id, e.visit_id, e.clinic_id, e.at, e.day, e.recorded_at, ${sql.join(numbers)}
    from (${selectBoundEvents(scope, wanted, bindings)}) e offset 0`
}

/** As `bound`, of one binding and an event `e`. */
function boundNumber({ form_id, field_id, option, clinic_id, ...when }: Binding) {
  const answer = sql`(e.answers -> ${field_id}::text)`
  const where = [
    sql`e.form_id = ${form_id}::uuid`,
    ...(clinic_id === null ? [] : [sql`e.clinic_id = ${clinic_id}::uuid`]),
    ...(option === null ? [] : [sql`${answer} @> to_jsonb(${option}::text)`]),
    ...(when.when_field_id === null
      ? []
      : [sql`(e.answers -> ${when.when_field_id}::text) @> to_jsonb(${when.when_option}::text)`]),
  ]
  return sql`case when ${sql.join(where, sql` and `)} then (${answerNumber(answer)}) end`
}

/** A row for each event and each concept that it answers; without wanted concepts also one for each other event. */
export const eventRows: SourceSql<'events'> = {
  opens: ['events'],
  isRepeated: true,
  numberedBy: 'event.concept',
  rows: (scope, wanted) =>
    wanted.concepts
      ? boundAnswers(scope, wanted, wanted.concepts)
      : sql`
    select e.*, b.concept, e.answers -> b.field_id as answer
    from (${recordedRows(scope, wanted, {
      ...events,
      join: `left join ${answers}`,
      columns: 't.form_id, ea.answers',
    })}) e
      left join ${bound(scope.bindings)}`,
  fields: {
    'event.concept': raw('r.concept'),
    'event.form': raw('r.form_id::text'),
    'event.number': () => answerNumber(sql.raw('r.answer')),
    'event.text': raw(`r.answer #>> '{}'`),
    // since the day that the answer names: its month and the days in it, so that 30 February fails nothing
    'event.days_since': raw(`case
      when r.answer #>> '{}' ~ '^[12]\\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
      then r.day - ((left(r.answer #>> '{}', 7) || '-01')::date
        + substr(r.answer #>> '{}', 9, 2)::int - 1) end`),
    'event.weeks_pregnant': raw(`(
      select (r.day - e.lmp) / 7 from program_enrollments e
      where e.patient_id = r.patient_id and e.program = 'pregnancy' and not e.is_deleted
        and e.lmp <= r.day and (e.ended_on is null or e.ended_on >= r.day)
      order by e.lmp desc limit 1)`),
  },
}
