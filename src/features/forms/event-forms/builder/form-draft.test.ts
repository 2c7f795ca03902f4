import { describe, expect, test } from 'vitest'
import { Definition } from '~/forms/checked-definition'
import { FIELD_KINDS } from '~/forms/field-kinds'
import { STARTERS } from '~/forms/starters'
import { newId } from '~/shared/id'
import { LANGUAGES } from '~/shared/language'
import {
  formsDiffer,
  toFormDraft,
  emptyForm,
  mergeEventForm,
  newFieldIds,
  withChanges,
  withCopy,
  withNewField,
  withOptions,
  withValues,
  withWords,
} from './form-draft'

const built = (
  kinds: readonly (typeof FIELD_KINDS)[number][],
  language = LANGUAGES[0] as (typeof LANGUAGES)[number],
) => {
  let form = { ...emptyForm(language, []), name: 'Form' }
  for (const [at, kind] of kinds.entries()) {
    form = withNewField(form, kind, newFieldIds())
    const { id, fieldType, name } = form.form_fields.at(-1)!
    if (fieldType !== 'separator' && !name) form = withWords(form, id, 'name', language, `Q ${at}`)
    form = withOptions(form, id, (options) =>
      options.map((option) => ({ ...option, label: option.label || 'One' })),
    )
  }
  return form
}

test.each(LANGUAGES)(
  'a field of each kind, named in %s, is a form that makes sense',
  (language) => {
    const read = Definition.safeParse(withValues(built(FIELD_KINDS, language)))
    expect(read.error?.issues ?? []).toEqual([])
  },
)

test('an option without a value of its own keeps its label as one', () => {
  const { form_fields } = withValues(built(['options']))
  expect(form_fields[0]).toMatchObject({ options: [{ label: 'One', value: 'One' }] })
})

test.each(STARTERS.map(({ key, form }) => [key, form] as const))(
  '%s, opened in the builder and saved unchanged, is the same',
  (_, form) => {
    const saved = Definition.parse(
      withValues(toFormDraft({ ...emptyForm(form.language, []), ...form })),
    )
    expect(saved).toMatchObject(form)
    expect(saved.form_fields).toEqual(form.form_fields)
    expect(saved.translations).toEqual(form.translations)
  },
)

test('a copy stands below, with an id and a name of its own', () => {
  const form = built(['free-text', 'date'])
  const id = newId()
  const copied = withCopy(form, form.form_fields[0]!.id, id, (name) => `${name} (copy)`)
  expect(copied.form_fields.map(({ name }) => name)).toEqual(['Q 0', 'Q 0 (copy)', 'Q 1'])
  expect(copied.form_fields[1]?.id).toBe(id)
  expect(Definition.safeParse(copied).success).toBe(true)
})

test('a change of one thing keeps what was typed in the meantime', () => {
  const form = built(['free-text'])
  const shown = form.form_fields[0]!
  const typed = withWords(form, shown.id, 'name', 'en', 'Typed since')
  expect(withChanges(typed, shown, { ...shown, required: true }).form_fields[0]).toMatchObject({
    name: 'Typed since',
    required: true,
  })
})

test('when a translation was stored is no change; what it says is', () => {
  const form = built(['date'])
  const stamped = {
    ...form,
    translations: form.translations.map((entry) => ({ ...entry, updatedAt: 'now' })).toReversed(),
  }
  expect(formsDiffer(form, stamped)).toBe(false)
  expect(formsDiffer(form, withWords(form, form.form_fields[0]!.id, 'name', 'ar', 'متى'))).toBe(
    true,
  )
})

describe('two people', () => {
  test('what this person changed stays, everything else becomes what it is now', () => {
    const base = built(['free-text', 'date'])
    const [first, second] = base.form_fields
    const mine = withWords(base, first!.id, 'name', 'en', 'Mine')
    const theirs = withNewField(
      { ...withWords(base, second!.id, 'name', 'en', 'Theirs'), name: 'Renamed' },
      'separator',
      newFieldIds(),
    )
    const merged = mergeEventForm(base, mine, theirs)
    expect(merged.name).toBe('Renamed')
    expect(merged.form_fields.map(({ name }) => name)).toEqual(['Mine', 'Theirs', ''])
  })

  test('a field that the other removed goes, unless it was changed here; one removed here stays away', () => {
    const base = built(['free-text', 'date', 'file'])
    const [first, second, third] = base.form_fields
    const mine = withWords(
      { ...base, form_fields: [first!, second!] },
      first!.id,
      'name',
      'en',
      'Mine',
    )
    const theirs = { ...base, form_fields: [third!] }
    expect(mergeEventForm(base, mine, theirs).form_fields.map(({ name }) => name)).toEqual(['Mine'])
  })
})
