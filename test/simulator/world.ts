import { chance, type Chance } from '../sync/random/chance'
import { defaultPermissions, PERMISSIONS, type Permission } from '~/shared/permissions'
import { Auditor } from './auditor'
import { SimulatedPhone } from './phone'
import type { Rules } from './rules'
import { Server } from './server'
import type { State } from './state'

/** Where a history takes place. */
export type World = {
  server: Server
  auditor: Auditor
  phones: SimulatedPhone[]
  users: string[]
  clinics: string[]
  random: Chance
  /** For what was added to the steps later, so that a seed chooses the same steps as before. */
  more: Chance
  /** For the entries of JSON columns, for the same reason. */
  entries: Chance
  /** A value that differs from every other. */
  mark: () => string
  /** The same for entries. */
  entryMark: () => string
  id: () => string
  backup: { state: State; stored: Set<string> } | null
  story: string[]
}

export const ADMIN = uuid(900)

function uuid(number: number) {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

export function makeWorld(seed: number, rules: Rules): World {
  const auditor = new Auditor()
  const server = new Server(rules, auditor)
  auditor.server = server
  const clinics = [uuid(801), uuid(802)]
  const held = (ids: string[], permissions: readonly Permission[]) =>
    Object.fromEntries(ids.map((id) => [id, [...permissions]]))
  const { users } = server.state
  users.set(uuid(901), { role: 'provider', grants: held([clinics[0]!], PERMISSIONS) })
  users.set(uuid(902), { role: 'provider', grants: held([clinics[1]!], PERMISSIONS) })
  users.set(uuid(903), { role: 'provider', grants: held(clinics, PERMISSIONS) })
  users.set(uuid(904), {
    role: 'registrar',
    grants: held(clinics, defaultPermissions('registrar')),
  })
  users.set(ADMIN, { role: 'admin', grants: {} })
  const people = [...users.keys()]
  let count = 0
  // In one of seven histories, the first phone has scanned both codes: the others are as before.
  const phones = [0, 1, 2, 0, 4].map(
    (user, at) =>
      new SimulatedPhone(at, people[user]!, at === 0 && seed % 7 === 1, at === 1 || at === 3),
  )
  for (const phone of phones) phone.now = () => server.clock * 1000
  let entryCount = 0
  return {
    server,
    auditor,
    clinics,
    users: people,
    // the first user has two
    phones,
    random: chance(seed),
    more: chance(seed + 1_000_003),
    entries: chance(seed + 2_000_003),
    mark: () => `v${(count += 1)}`,
    entryMark: () => `e${(entryCount += 1)}`,
    id: () => uuid((count += 1)),
    backup: null,
    story: [],
  }
}
