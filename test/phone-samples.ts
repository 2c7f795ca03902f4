import type { Side } from './world'

/** What phones sent, and what waits to be resolved. */
export const phoneSamples: Record<string, (side: Side) => unknown> = {
  'devices.list': () => ({}),
  'devices.waiting': () => ({}),
  'devices.giveState': ({ waitingPhone }) => ({ id: waitingPhone.id }),
  'hub.get': () => ({}),
  'hub.save': () => ({ enabled: true }),
  'hub.revoke': ({ hubPhone }) => ({ id: hubPhone.id }),
  'hub.allow': ({ hubPhone }) => ({ id: hubPhone.id }),
  'quarantine.list': () => ({}),
  'quarantine.get': ({ refusedRow }) => ({ id: refusedRow.id }),
  'quarantine.apply': ({ refusedRow }) => ({ id: refusedRow.id, values: { hometown: 'Tyre' } }),
  'quarantine.reject': ({ refusedRow }) => ({ id: refusedRow.id }),
  'conflicts.list': () => ({}),
  'conflicts.settle': ({ lostValue }) => ({ id: lostValue.id, take: 'phone' }),
}
