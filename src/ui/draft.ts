import type { Field, Fields } from '~/fields/field'

/** What has been typed into a form so far, by field. */
export type Draft = Record<string, unknown>

const blankValue = (field: Field) => {
  if (field.kind === 'boolean') return false
  return field.kind === 'tags' ? [] : null
}

/** The values to begin with; every field is there, an empty one as its kind's nothing. */
export const startingDraft = (fields: Fields, values: Draft = {}): Draft =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, values[name] ?? blankValue(field)]),
  )

const comparable = (value: unknown) =>
  JSON.stringify(value === '' || value === undefined ? null : value)
const same = (a: unknown, b: unknown) => comparable(a) === comparable(b)

/** The fields in which two drafts differ. An emptied box equals one that was never filled. */
export const changedFields = (a: Draft, b: Draft) =>
  Object.keys({ ...a, ...b }).filter((name) => !same(a[name], b[name]))

/** What this person changed stays; everything else takes the values that another user saved in the meantime. */
export const mergeNewest = (base: Draft, mine: Draft, newest: Draft): Draft =>
  Object.fromEntries(
    Object.keys(newest).map((name) => [
      name,
      same(mine[name], base[name]) ? newest[name] : mine[name],
    ]),
  )
