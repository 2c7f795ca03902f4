import { chance } from './chance'
import { differences, lostValues } from './checks'
import {
  forceUpload,
  pushAgain,
  sync,
  syncCut,
  syncDisconnected,
  syncKilled,
  syncWatched,
} from './lines'
import { mergeOnWeb, unmergeOnWeb } from './merge-steps'
import { createOnPhone, deleteOnPhone, dispenseOnPhone, editOnPhone } from './phone-steps'
import {
  createOnWeb,
  deleteOnWeb,
  editOnWeb,
  grantOrWithdraw,
  restoreOnWeb,
  settleAll,
  settleOne,
} from './web-steps'
import { makeWorld, type World } from './world'

const DAY = 86_400_000

/** What others do between a push and the same push again. */
const BETWEEN = [editOnWeb, editOnWeb, deleteOnWeb, restoreOnWeb, mergeOnWeb, unmergeOnWeb]

/** What can happen, each with how often it does among a hundred. */
const kinds = {
  createOnPhone: [20, (world, at, random) => createOnPhone(world, world.phones[at]!, random)],
  editOnPhone: [19, (world, at, random) => editOnPhone(world, world.phones[at]!, random)],
  deleteOnPhone: [3, (world, at, random) => deleteOnPhone(world, world.phones[at]!, random)],
  dispenseOnPhone: [2, (world, at, random) => dispenseOnPhone(world, world.phones[at]!, random)],
  sync: [14, (world, at) => sync(world, world.phones[at]!)],
  syncCut: [7, (world, at, random) => syncCut(world, world.phones[at]!, random)],
  pushAgain: [
    3,
    (world, at, random) => pushAgain(world, world.phones[at]!, random, random.one(BETWEEN)!),
  ],
  forceUpload: [1, (world, at, random) => forceUpload(world, world.phones[at]!, random)],
  syncKilled: [1.5, (world, at, random) => syncKilled(world, world.phones[at]!, random)],
  syncDisconnected: [
    1.5,
    (world, at, random) => syncDisconnected(world, world.phones[at]!, random),
  ],
  kill: [0.5, (world) => killBetween(world)],
  createOnWeb: [6, (world, _at, random) => createOnWeb(world, random)],
  editOnWeb: [10, (world, _at, random) => editOnWeb(world, random)],
  deleteOnWeb: [2, (world, _at, random) => deleteOnWeb(world, random)],
  restoreOnWeb: [2, (world, _at, random) => restoreOnWeb(world, random)],
  mergeOnWeb: [2, (world, _at, random) => mergeOnWeb(world, random)],
  unmergeOnWeb: [1.5, (world, _at, random) => unmergeOnWeb(world, random)],
  grantOrWithdraw: [4, (world, _at, random) => grantOrWithdraw(world, random)],
  settleOne: [2, (world, _at, random) => settleOne(world, random)],
  handOver: [
    2,
    async (world, at, random) => {
      const to = random.below(world.people.length)
      world.phones[at]!.email = world.people[to]!.email
      return `to person ${to}`
    },
  ],
  skewPhone: [
    1,
    async (world, at, random) => {
      world.phones[at]!.skew = (random.below(200) - 100) * DAY
      return `by ${world.phones[at]!.skew} ms`
    },
  ],
  skewServer: [
    1,
    async (world, _at, random) => {
      const back = random.one([0, -1_000, -3_600_000, -DAY, -400 * DAY])!
      await world.server.setClock(back)
      return `by ${back} ms`
    },
  ],
} satisfies Record<
  string,
  [number, (world: World, at: number, random: ReturnType<typeof chance>) => Promise<string>]
>
type Kind = keyof typeof kinds

/** One thing that happens. Its dice decide what exactly, so that it is the same whatever else is left out. */
export type Step = [kind: Kind, phone: number, dice: number]

export function stepsOf(seed: number, count: number): Step[] {
  const random = chance(seed)
  const all = Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]
  const total = all.reduce((sum, [, [often]]) => sum + often, 0)
  return Array.from({ length: count }, () => {
    let left = (random.below(1_000_000) / 1_000_000) * total
    const [kind] = all.find(([, [often]]) => (left -= often) < 0)!
    return [kind, random.below(5), random.below(1_000_000_000)]
  })
}

async function killBetween({ server }: World) {
  await server.kill()
  await server.start()
  return 'between two requests'
}

export type Outcome = { problems: string[]; story: string[] }

/** A new world, in which all of that happens; then everybody syncs and settles until nothing waits, and must agree. */
export async function happen(steps: readonly Step[]): Promise<Outcome> {
  const world = await makeWorld()
  try {
    for (const phone of world.phones) await phone.sync()
    for (const [kind, at, dice] of steps) {
      const said = await kinds[kind][1](world, at, chance(dice))
      world.story.push(`phone ${at} ${kind}: ${said}`)
    }
    await comeToRest(world)
    return {
      problems: [...world.destroyed, ...(await differences(world)), ...(await lostValues(world))],
      story: world.story,
    }
  } catch (error) {
    return { problems: [String((error as Error).stack ?? error)], story: world.story }
  } finally {
    await world.server.stop()
  }
}

const ROUNDS = 12

async function comeToRest(world: World) {
  await world.server.setClock(0)
  const random = chance(1)
  for (let round = 0, waiting = 1; waiting > 0; round += 1) {
    if (round === ROUNDS)
      throw new Error(`${waiting} rows still wait after ${ROUNDS} rounds of settling`)
    for (const phone of world.phones) await syncWatched(world, phone)
    waiting = await settleAll(world, random)
  }
  for (let time = 0; time < 3; time += 1) for (const phone of world.phones) await phone.sync()
}
