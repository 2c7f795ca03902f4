import { beforeAll, expect, test } from 'vitest'
import type { Actor } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { loadMessages } from '~/ui/messages'
import { findScreens, foldText, rankFound } from './palette-search'

const person = (role: Actor['role'], grants: Actor['grants'] = {}): Actor => ({
  userId: '1',
  name: 'Laila',
  role,
  language: 'en',
  clinicId: null,
  grants,
})
const paths = (actor: Actor, text: string) => findScreens(actor, text).map(({ path }) => path)

beforeAll(() => Promise.all(LANGUAGES.map(loadMessages)))

test.each(['drug cat', 'دليل الادويه', 'catalogo med'])(
  'the drug catalogue is found as "%s"',
  (text) => {
    expect(paths(person('admin'), text)).toEqual(['/app/inventory/drug-catalogue'])
  },
)

test('users are offered only screens that they may open', () => {
  expect(paths(person('admin'), 'configurations')).toEqual([])
  expect(paths(person('super_admin'), 'configurations')).toEqual(['/app/settings/configurations'])
  expect(paths(person('registrar', { c: ['can_register_patients'] }), 'trash')).toEqual([])
})

test('vowel signs, the forms of alef and accents do not matter', () => {
  expect(foldText('أَدْوِيَة')).toBe(foldText('ادويه'))
  expect(foldText('Clínica')).toBe('clinica')
})

test('exact and word-prefix matches come before those within a word', () => {
  const labels = ['Hamdan Lay', 'Alayan Omar', 'Lay', 'Layla Mansour'].map((label, id) => ({
    id: `${id}`,
    label,
    to: '',
  }))
  expect(rankFound(labels, 'lay', false).map(({ label }) => label)).toEqual([
    'Lay',
    'Hamdan Lay',
    'Layla Mansour',
    'Alayan Omar',
  ])
  const [first] = paths(person('admin'), 'patients')
  expect(first).toBe('/app/patients')
})

test('few records that only resemble what was typed are offered, and none beside a screen that has it', () => {
  const people = ['Anas Haddad', 'Inés Saad', 'Anas Rayan', 'Anas Khoury', 'Anas Nasser'].map(
    (label, id) => ({
      id: `${id}`,
      label,
      to: '',
    }),
  )
  expect(rankFound(people, 'dispens', true)).toEqual([])
  expect(rankFound(people, 'أنس', false)).toHaveLength(3)
  // found by a number that is not shown
  expect(rankFound(people, '2000123', true)).toHaveLength(5)
})
