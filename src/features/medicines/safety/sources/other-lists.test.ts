import { expect, test } from 'vitest'
import programs from '~/features/care/programs/programs.json'
import { STARTER_FILES } from '~/forms/starters'
import en from '../../../../../messages/en.json'
import { OTHER_LISTS } from './other-lists'

const { name, covers } = en.safety.otherLists

test('every list beside the rules says what it covers, and all but the sets of users have sources', () => {
  const lists = Object.keys(OTHER_LISTS).toSorted()
  expect([Object.keys(name).toSorted(), Object.keys(covers).toSorted()]).toEqual([lists, lists])
  const { sets, ...dated } = OTHER_LISTS
  expect(sets).toBeNull()
  for (const list of Object.values(dated))
    expect(list).toMatchObject({ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
})

test('each form with a limit has its sources among them', () => {
  const listed = new Set(OTHER_LISTS.forms?.sources.map((source) => source.of?.en))
  const without = STARTER_FILES.filter((file) => !listed.has(file.name.en))
  expect(without.map(({ key }) => key).toSorted()).toEqual([
    'general-consultation',
    'referral-discharge',
  ])
})

test('no program is about a disease that the list names as not covered', () => {
  const codes = programs.programs.flatMap((program) => JSON.stringify(program))
  for (const code of ['D57', 'N18', 'I50', 'C50'])
    expect([code, codes.some((text) => text.includes(`"${code}`))]).toEqual([code, false])
})
