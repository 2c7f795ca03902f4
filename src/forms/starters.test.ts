import { expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { firstErrors } from '~/shared/problems'
import { Definition } from './checked-definition'
import { evaluate } from './rules'
import { STARTERS, withOwnIds } from './starters'
import { completeTranslations, localized, missingTranslations } from './translations'

const keyed = STARTERS.map(({ key, form }) => [key, form] as const)

test('twenty forms, each under a key of its own', () => {
  expect(STARTERS).toHaveLength(20)
  expect(new Set(STARTERS.map(({ key }) => key)).size).toBe(20)
})

test.each(keyed)('%s makes sense as it is, and with ids of its own in every rule', (_, form) => {
  let count = 0
  const own = withOwnIds(form, () => `id-${(count += 1)}`)
  for (const one of [form, own]) {
    const read = Definition.safeParse(one)
    expect(read.success ? {} : firstErrors(read.error)).toEqual({})
  }
})

test('what the forms ask of vital signs is recorded as such; the weight of a baby is not the mother’s', () => {
  const bound = Object.fromEntries(
    keyed.flatMap(([key, { form_fields }]) => {
      const vitals = form_fields.flatMap(({ id, rules }) => (rules?.vital ? [id] : []))
      return vitals.length > 0 ? [[key, vitals.join(' ')]] : []
    }),
  )
  expect(bound).toEqual({
    'antenatal-visit': 'systolic diastolic weight',
    'asthma-copd-follow-up': 'saturation',
    'child-under-five': 'weight height temperature muac breaths saturation',
    'diabetes-follow-up': 'systolic diastolic weight height',
    'family-planning': 'systolic diastolic weight',
    'hiv-follow-up': 'weight',
    'hypertension-follow-up': 'systolic diastolic pulse weight height',
    'malnutrition-follow-up': 'weight height muac',
    'postnatal-visit': 'systolic diastolic temperature',
    triage: 'pulse breaths temperature saturation systolic diastolic pain',
    'tuberculosis-follow-up': 'weight',
  })
})

test.each(keyed)('%s is written in three languages, down to the last option', (_, form) => {
  expect(missingTranslations(form)).toEqual([])
  for (const language of LANGUAGES) {
    const read = { ...localized(form, language), language, translations: [] }
    expect(problemsOf({ ...read, translations: completeTranslations(form) })).toEqual({})
  }
  const arabic = localized(form, 'ar')
  const texts = [
    arabic.name,
    arabic.description,
    ...arabic.form_fields.map((field) => ('content' in field ? field.content : field.name)),
  ]
  expect(texts.filter((text) => text && !/\p{Script=Arabic}/u.test(text))).toEqual([])
})

const problemsOf = (form: unknown) => {
  const read = Definition.safeParse(form)
  return read.success ? {} : firstErrors(read.error)
}

test('the PHQ-2 is positive from 3 on, and then asks about self-harm', () => {
  const { form } = STARTERS.find(({ key }) => key === 'phq-2')!
  const subject = { sex: null, birth: null, day: '2026-03-10' }
  const at = (interest: string, mood: string) =>
    evaluate(form.form_fields, { interest, mood }, subject)
  expect(at('1', '1')).toMatchObject({ answers: { score: 2 } })
  expect(at('1', '1').visible.has('self_harm')).toBe(false)
  expect(at('2', '1').required.has('self_harm')).toBe(true)
})

test('a child’s breathing is fast by its age', () => {
  const { form } = STARTERS.find(({ key }) => key === 'child-under-five')!
  const shown = (birth: string, breaths: number, precision?: 'year' | 'month') =>
    [
      ...evaluate(
        form.form_fields,
        { cough: 'yes', breaths },
        { sex: 'male', birth, precision, day: '2026-03-10' },
      ).visible,
    ].filter((id) => id.startsWith('fast'))
  expect(shown('2026-02-01', 60)).toEqual(['fast_young'])
  expect(shown('2025-10-01', 50)).toEqual(['fast_infant'])
  expect(shown('2025-10-01', 49)).toEqual([])
  expect(shown('2024-03-10', 40)).toEqual(['fast_child'])
  // born in 2025, no more is known: 2 to 14 months old, so 40 may be fast
  expect(shown('2025-01-01', 40, 'year')).toEqual(['fast_child'])
  expect(shown('2025-01-01', 50, 'year')).toEqual(['fast_infant', 'fast_child'])
  expect(shown('2025-01-01', 39, 'year')).toEqual([])
  // "8 months" is in one band
  expect(shown('2025-06-25', 49, 'month')).toEqual([])
})

test('a pregnancy’s due date and weeks follow from the last period', () => {
  const { form } = STARTERS.find(({ key }) => key === 'antenatal-visit')!
  const { answers } = evaluate(
    form.form_fields,
    { lmp: '2025-10-01' },
    { sex: 'female', birth: '1995-01-01', day: '2026-03-10' },
  )
  expect(answers).toMatchObject({ due: '2026-07-08', weeks: 22 })
})

test('magnesium sulfate is advised in severe pre-eclampsia, as its source says, and not for the pressure alone', () => {
  const notes = STARTERS.flatMap(({ form }) =>
    form.form_fields.flatMap((field) =>
      'content' in field && /magnesium/.test(field.content) ? [field.content] : [],
    ),
  )
  expect(notes).toHaveLength(2)
  for (const note of notes)
    expect(note).toMatch(/in severe pre-eclampsia,? also (?:give )?magnesium sulfate/)
})
