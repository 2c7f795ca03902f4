import { expect, test } from 'vitest'
import { boolean, optional, tags, text } from '~/fields/field'
import { changedFields, mergeNewest, startingDraft } from './draft'

const fields = {
  name: text('clinics.name'),
  code: optional(text('departments.code')),
  lab: boolean('common.yes'),
  words: tags('common.search'),
}

test('a new form starts with nothing in every field', () => {
  expect(startingDraft(fields)).toEqual({ name: null, code: null, lab: false, words: [] })
})

test('what the row has beyond the fields stays out of the form', () => {
  expect(startingDraft(fields, { id: '1', name: 'North' })).toEqual({
    name: 'North',
    code: null,
    lab: false,
    words: [],
  })
})

test('emptying a box that was never filled is no change', () => {
  expect(changedFields({ name: null, code: 'A' }, { name: '', code: 'B' })).toEqual(['code'])
})

test('when another user saved first, the user’s changes are kept and the other’s fill the rest', () => {
  const base = { name: 'North', code: 'N', lab: false }
  expect(
    mergeNewest(base, { ...base, code: 'NO' }, { name: 'North clinic', code: 'N', lab: true }),
  ).toEqual({
    name: 'North clinic',
    code: 'NO',
    lab: true,
  })
})
