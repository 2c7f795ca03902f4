import { sql } from 'kysely'
import { type AnswerKind, answerKind } from '~/forms/answers'
import { storedKinds } from '~/forms/answers-stored'
import type { EventFormField } from '~/forms/definition'
import { query } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import { can, mayAnywhere } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { clinicTimeZone } from '~/shared/zone'
import { EventFilter } from './explore'
import { columnsOfForm, selectMatchingEvents } from './explore.server'
import { happenedAt } from '../happened.server'

/** Null where there is nothing. `month` of a spread: null for all of them together. */
type Totals = {
  perMonth: { month: string; count: number }[] | null
  answered: { field: string; count: number }[] | null
  values: { field: string; value: unknown; count: number }[] | null
  spread:
    | {
        field: string
        month: string | null
        count: number
        least: number
        most: number
        median: number
      }[]
    | null
}

/** More rows than a reader compares. */
const MOST_VALUES = 20
const MOST_MONTHS = 60

const COUNTED = new Set<AnswerKind | null>(['tick', 'choice', 'choices', 'medicines', 'diagnoses'])

/**
 * What the answers of a filter amount to: how many a month; of each question how often it was answered; of choices,
 * diagnoses and medicines how often each; of numbers the least, the median, the most, and the median of each month.
 */
export const chartsOfForm = query('events.charts', {
  access: 'answers',
  reads: ['events'],
  looksUp: ['event_forms', 'visits'],
  input: EventFilter,
  allow: ({ actor }) => can(actor, 'view_analytics') && mayAnywhere(actor, 'can_view_history'),
  async run(ctx, filter) {
    const { db } = ctx
    const { columns } = await columnsOfForm(ctx, filter.formId, ctx.actor.language)
    const month = sql<string>`to_char(${happenedAt} at time zone ${clinicTimeZone()}, 'YYYY-MM')`
    const found = (await selectMatchingEvents(ctx, filter, 'can_view_history')).select([
      month.as('month'),
      'answers',
    ])
    const ofKind = (isIt: (kind: AnswerKind | null) => boolean) =>
      columns
        .filter(({ question }) => isIt(answerKind(question)))
        .map(({ question }) => question.id)
    const counted = ofKind((kind) => COUNTED.has(kind))
    const numbers = ofKind((kind) => kind === 'number')
    const { rows } = await sql<Totals>`
      with forms as materialized ${found},
      months as (select month, count(*) as count from forms group by month order by month desc limit ${MOST_MONTHS}),
      answered as (select field, count(*) as count from forms, jsonb_object_keys(answers) field group by field),
      vals as (
        select field, value, count(*) as count from forms, jsonb_each(answers) answer (field, value)
        where field = any(${counted}::text[]) group by field, value
        order by count desc, field, value limit ${MOST_VALUES * 100}
      ),
      numbers as (
        select field, month, answer_number(value) as number from forms, jsonb_each(answers) answer (field, value)
        where field = any(${numbers}::text[])
      ),
      spread as (
        select field, month, count(*) as count, min(number) as least, max(number) as most,
          percentile_cont(0.5) within group (order by number) as median
        from numbers where number is not null
        -- each month, and all of them together
        group by grouping sets ((field, month), (field)) order by month
      )
      select (select jsonb_agg(months order by month) from months) as "perMonth",
        (select jsonb_agg(answered) from answered) as answered,
        (select jsonb_agg(vals) from vals) as values,
        (select jsonb_agg(spread order by month) from spread) as spread`.execute(db)
    const { perMonth, answered, values, spread } = rows[0]!

    return {
      perMonth: perMonth ?? [],
      questions: columns.map(({ question, isAsked }) => {
        const mine = <R extends { field: string }>(all: R[] | null) =>
          (all ?? []).filter(({ field }) => field === question.id)
        const all = mine(spread).find((row) => row.month === null)
        return {
          question,
          isAsked,
          answered: mine(answered)[0]?.count ?? 0,
          counts: countChoices(question, mine(values), ctx.actor.language),
          numbers: all
            ? { least: all.least, median: all.median, most: all.most, count: all.count }
            : null,
          overTime: mine(spread)
            .filter((row) => row.month !== null)
            .slice(-MOST_MONTHS)
            .map((row) => ({ month: row.month!, median: row.median, count: row.count })),
        }
      }),
    }
  },
  shows: nobodyByName,
  finds: ({ perMonth }) => perMonth.length > 0,
})

/**
 * How often each was chosen: several choices in one answer count each, a medicine by its name, a
 * diagnosis by its code.
 */
function countChoices(
  question: EventFormField,
  rows: { value: unknown; count: number }[],
  language: Language,
) {
  const kind = answerKind(question)
  if (!kind || !COUNTED.has(kind)) return []
  const counts = new Map<string, { label: string; count: number }>()
  const options = 'options' in question ? question.options : []
  for (const { value, count } of rows) {
    const answer = storedKinds[kind].read(value, { options, timeZone: 'UTC' })
    for (const one of answer === null ? [] : [answer].flat()) {
      const { key, label } = calledBy(one, options)
      counts.set(key, { label, count: (counts.get(key)?.count ?? 0) + count })
    }
  }
  return [...counts.values()]
    .toSorted((a, b) => b.count - a.count || a.label.localeCompare(b.label, language))
    .slice(0, MOST_VALUES)
}

function calledBy(one: unknown, options: readonly { value: string; label: string }[]) {
  if (typeof one === 'object' && one !== null) {
    const { code, desc, name } = one as { code?: unknown; desc?: unknown; name?: unknown }
    const texts = [desc, name, code].filter(
      (text) => typeof text === 'string' && text !== '',
    ) as string[]
    const label = texts[0] ?? '—'
    return { key: typeof code === 'string' && code ? code : label.toLowerCase(), label }
  }
  const key = String(one)
  return { key, label: options.find(({ value }) => value === key)?.label ?? key }
}

export type FormCharts = Awaited<ReturnType<typeof chartsOfForm>>
