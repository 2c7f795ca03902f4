import { expect, test } from 'vitest'
import { worksWithStock } from '~/features/reports/dashboard/summary'
import type { Actor } from '~/shared/actor'
import { areasFor, placesFor, screenAt } from './navigation'

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

const actorWith = (held: Actor['grants'][string]): Actor => ({
  userId: 'u',
  name: 'Sara',
  role: 'registrar',
  language: 'en',
  clinicId: null,
  grants: { c: held },
})

test.each([
  [['can_register_patients'], ['/app/patients', '/app/queue', '/app/appointments']],
  [
    ['can_view_history', 'can_prescribe_medications'],
    ['/app/patients', '/app/queue', '/app/follow-up'],
  ],
  [
    ['can_dispense_medications'],
    ['/app/dispensing', '/app/inventory/clinic-inventory', '/app/prescriptions'],
  ],
] as const)('with %s a phone has %s at hand', (held, paths) => {
  expect(placesFor(actorWith(held)).map(({ path }) => path)).toEqual(paths)
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
  const actor = actorWith(held)
  const offered = areasFor(actor).flatMap(({ screens }) => screens.map(({ path }) => path))
  expect(offered.filter((path) => path.startsWith('/app/inventory'))).toEqual(paths)
  expect(worksWithStock(actor)).toBe(paths.length > 0)
})
