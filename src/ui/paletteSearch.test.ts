import { beforeAll, expect, test } from 'vitest'
import type { Actor } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { loadMessages } from './messages'
import { findScreens, plain } from './paletteSearch'

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

test.each(['drug cat', 'دليل الادويه', 'catalogo med'])('the drug catalogue is found as "%s"', (text) => {
  expect(paths(person('admin'), text)).toEqual(['/app/inventory/drug-catalogue'])
})

test('nobody is offered a screen that is not his', () => {
  expect(paths(person('admin'), 'configurations')).toEqual([])
  expect(paths(person('super_admin'), 'configurations')).toEqual(['/app/settings/configurations'])
  expect(paths(person('registrar', { c: ['can_register_patients'] }), 'trash')).toEqual([])
})

test('vowel signs, the forms of alef and accents do not matter', () => {
  expect(plain('أَدْوِيَة')).toBe(plain('ادويه'))
  expect(plain('Clínica')).toBe('clinica')
})
