import { expect, test } from 'vitest'
import { listVisibleNotes } from './notes'
import { type Answers, evaluate, checkAnswerRange, type RuleSubject } from './rules'
import cases from './starter-cases.json'
import { STARTERS } from './starters'

/**
 * Patients as a clinic meets them: danger signs, values on both sides of each threshold, unknown
 * ages, both units. `notes` are exactly those that appear, in their order; `finding` names the
 * place in the clinical review that a case comes from.
 */
type Case = {
  form: string
  case: string
  finding?: number | string
  subject: Partial<RuleSubject>
  answers: Answers
  notes: string[]
  shown?: string[]
  hidden?: string[]
  computed?: Answers
  refused?: string[]
  /** Numbers that are marked as out of the ordinary. */
  marked?: string[]
}
const CASES = cases as unknown as Case[]
const DAY = '2026-11-22'

const fieldsOf = (key: string) => STARTERS.find((starter) => starter.key === key)!.form.form_fields

function fill({ form, subject, answers }: Case) {
  const fields = fieldsOf(form)
  const filled = evaluate(fields, answers, { sex: null, birth: null, day: DAY, ...subject })
  return { fields, ...filled, notes: listVisibleNotes(fields, filled.visible).map(({ id }) => id) }
}

test.each(CASES.map((one) => [one.form, one.case, one] as const))('%s: %s', (_form, _case, one) => {
  const { fields, visible, answers, refused, notes } = fill(one)
  // a case that answers what is not asked proves nothing
  const asked = Object.keys(one.answers).filter(
    (id) => visible.has(id) && fields.some((field) => field.id === id),
  )
  expect(asked).toEqual(Object.keys(one.answers))
  expect(notes).toEqual(one.notes)
  expect((one.shown ?? []).filter((id) => !visible.has(id))).toEqual([])
  expect((one.hidden ?? []).filter((id) => visible.has(id))).toEqual([])
  for (const [id, value] of Object.entries(one.computed ?? {}))
    expect([id, answers[id] ?? null]).toEqual([id, value])
  expect([...refused]).toEqual(one.refused ?? [])
  const marked = fields
    .filter((field) => ['low', 'high'].includes(checkAnswerRange(field, answers[field.id])))
    .map(({ id }) => id)
  expect(marked).toEqual(one.marked ?? marked)
})

test('every note of every form appears in a case, and every form has a case without any', () => {
  for (const { key, form } of STARTERS) {
    const all = listVisibleNotes(
      form.form_fields,
      new Set(form.form_fields.map(({ id }) => id)),
    ).map(({ id }) => id)
    const own = CASES.filter((one) => one.form === key)
    expect([key, all.filter((id) => !own.some(({ notes }) => notes.includes(id)))]).toEqual([
      key,
      [],
    ])
    expect([key, own.some(({ notes }) => notes.length === 0)]).toEqual([key, true])
  }
})

test('a note that appears by the answers says how urgent it is', () => {
  const silent = STARTERS.flatMap(({ key, form }) =>
    form.form_fields.flatMap((field) =>
      field.fieldType === 'text' &&
      field.size === 'md' &&
      field.rules?.showIf &&
      !field.rules.urgency
        ? [`${key} ${field.id}`]
        : [],
    ),
  )
  expect(silent).toEqual([])
})
