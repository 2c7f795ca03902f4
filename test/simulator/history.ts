import type { Chance } from '../sync/random/chance'
import { giveState, releaseWaiting, settleAll, syncOnce, upload } from './lines'
import { product, type Rules } from './rules'
import { type StepName, steps } from './steps'
import { makeWorld, type World } from './world'

type Outcome = { problems: readonly string[]; story: readonly string[]; steps: number }

export const STEPS = 90
const ROUNDS = 12

/** The calls of the history of a seed, with what the simulated server answered, and its last rows. */
export function recorded(seed: number) {
  const world = makeWorld(seed, product)
  const { server, clinics } = world
  const users = structuredClone([...server.state.users])
  server.trace = []
  const { problems } = playIn(world, STEPS)
  return { trace: server.trace, clinics, users, rows: [...server.state.rows.values()], problems }
}
export type Recorded = ReturnType<typeof recorded>

/** Plays the history of a seed; then all phones sync and all is settled, and phones and server must agree. */
export function play(seed: number, rules: Rules, length = STEPS): Outcome {
  return playIn(makeWorld(seed, rules), length)
}

function playIn(world: World, length: number): Outcome {
  const { auditor, phones, random, story } = world
  const tell = (said: string) => story.push(said)
  for (const phone of phones) syncOnce(world, phone)
  let done = 0
  while (done < length && auditor.problems.length === 0) {
    const name = chosen(random)
    const phone = phones[random.below(phones.length)]!
    tell(`${done}. phone ${phone.number}, ${name}: ${steps[name][1](world, phone)}`)
    done += 1
  }
  if (auditor.problems.length === 0) comeToRest(world)
  return { problems: auditor.problems, story, steps: done }
}

const names = Object.keys(steps) as StepName[]
const total = names.reduce((sum, name) => sum + steps[name][0], 0)

function chosen(random: Chance): StepName {
  let left = random.below(total)
  return names.find((name) => (left -= steps[name][0]) < 0)!
}

function comeToRest(world: World) {
  const { auditor, phones, server } = world
  for (const { commit } of server.running.values()) commit()
  // this way removes nothing from a phone
  for (const phone of phones) phone.way = 'public'
  for (let round = 0, waiting = 1; waiting > 0; round += 1) {
    if (round === ROUNDS) {
      auditor.report(
        `convergence: ${waiting} entries still wait after ${ROUNDS} rounds of settling`,
      )
      return
    }
    for (const phone of phones) syncOnce(world, phone)
    // after a restore, users upload what their phones hold, or administrators give up on it
    if (round === 0 && server.state.epochs.length > 0)
      for (const phone of phones)
        if (!world.more.happens(0.3) || !giveState(world, phone))
          upload(world, phone, phone.lastPulledAt)
    releaseWaiting(world)
    waiting = settleAll(world)
  }
  for (let time = 0; time < 4; time += 1) for (const phone of phones) syncOnce(world, phone)
  for (const phone of phones) auditor.compare(phone)
}
