import { expect, test } from 'vitest'
import { worksWithStock } from '~/features/reports/dashboard/summary'
import type { Actor } from '~/shared/actor'
import { areasFor, screenAt } from './navigation'

test.each([
  ['/app', '/app'],
  ['/app/patients/register', '/app/patients/register'],
  ['/app/patients/0198', '/app/patients'],
  ['/app/settings/phones', '/app/settings/phones'],
  ['/app/settings/quarantine', '/app/settings/phones'],
  ['/app/settings/conflicts', '/app/settings/phones'],
  ['/app/account', undefined],
])('at %s the menu marks %s', (pathname, path) => {
  expect(screenAt(pathname)?.path).toBe(path)
})

test.each([
  [['can_register_patients'], []],
  [['can_register_patients', 'can_view_history'], []],
  [
    ['can_dispense_medications'],
    ['/app/inventory/drug-catalogue', '/app/inventory/clinic-inventory'],
  ],
  [['is_clinic_admin'], ['/app/inventory/drug-catalogue', '/app/inventory/clinic-inventory']],
] as const)('with %s the menu offers %s of the stock', (held, paths) => {
  const actor: Actor = {
    userId: 'u',
    name: 'Sara',
    role: 'registrar',
    language: 'en',
    clinicId: null,
    grants: { c: held },
  }
  const offered = areasFor(actor).flatMap(({ screens }) => screens.map(({ path }) => path))
  expect(offered.filter((path) => path.startsWith('/app/inventory'))).toEqual(paths)
  expect(worksWithStock(actor)).toBe(paths.length > 0)
})
