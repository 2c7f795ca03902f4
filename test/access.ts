import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { AnyOperation } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { aRequest, database } from './harness'
import { samples } from './samples'
import { makeWorld, type Side } from './world'

/** Two clinics and users of each kind in one transaction, which is rolled back at the end. */
export async function worldOf(onCleanup: (end: () => Promise<void>) => void) {
  const db = await (await database()).startTransaction().execute()
  onCleanup(async () => {
    await db.rollback().execute()
  })
  const world = await makeWorld(db)
  await sql`savepoint attempt`.execute(db)
  return { db: db as Kysely<DB>, ...world }
}
export type World = Awaited<ReturnType<typeof worldOf>> & {
  /** Answers by operation, user and clinic. */
  answers?: Map<string, Promise<unknown>>
}

/** The same world for as long as nothing changes: calls every operation as each user once. */
export const withAnswers = (world: World): World => ({ ...world, answers: new Map() })

/** The answer to a user, by name, about the rows of one clinic. */
function answerTo(world: World, operation: AnyOperation, name: string, side: Side) {
  const actor = world.actors[name]!
  const call = () => attempt(world.db, operation, actor, samples[operation.facts.name]!(side))
  if (!world.answers) return call()
  const key = `${operation.facts.name} ${name} ${side.clinic.id}`
  const answer = world.answers.get(key) ?? call()
  world.answers.set(key, answer)
  return answer
}

/** A row of docs/operations.md: for each kind of user whether the operation answers, by clinic. */
export async function cellsOf(world: World, operation: AnyOperation): Promise<string[]> {
  const cells = []
  for (const name of Object.keys(world.actors)) {
    const answered = async (side: Side) => isAnswered(await answerTo(world, operation, name, side))
    cells.push(wordFor(await answered(world.own), await answered(world.other)))
  }
  return cells
}

const LIMITED = ['registrar', 'provider', 'clinic admin', 'deleted user', 'anonymous']
/** Those of them who are signed in. */
const workers = (world: World) => LIMITED.filter((name) => world.actors[name])

/**
 * Records of the other clinic that appear in answers to users who work in one clinic: names of
 * `Side`. An id that was sent and comes back says nothing.
 */
export async function seenElsewhere(world: World, operation: AnyOperation): Promise<string[]> {
  const seen = new Set<string>()
  const records = Object.entries(world.other).filter(([name]) => !SHARED.includes(name))
  for (const name of LIMITED) {
    for (const side of [world.own, world.other]) {
      const answer = await answerTo(world, operation, name, side)
      if (!isAnswered(answer)) continue
      const sent = JSON.stringify(samples[operation.facts.name]!(side) ?? {})
      const text = JSON.stringify(answer) ?? ''
      for (const [record, { id }] of records)
        if (text.includes(id) && !sent.includes(id)) seen.add(record)
    }
  }
  return [...seen].toSorted()
}

/** What the operation answers to users who work in one clinic, without ids and moments that are made anew. */
export async function answersOf(world: World, operation: AnyOperation): Promise<string[]> {
  const answers = []
  for (const name of workers(world))
    for (const side of [world.own, world.other])
      answers.push(textOf(await answerTo(world, operation, name, side)))
  return answers
}

const textOf = (answer: unknown) =>
  isAnswered(answer) ? (JSON.stringify(answer) ?? '').replaceAll(NEW_EACH_TIME, '…') : 'refused'
const NEW_EACH_TIME = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** Whether users who may call it are answered less than they would be as administrators. */
export async function isScoped(world: World, operation: AnyOperation): Promise<boolean> {
  for (const name of workers(world))
    for (const side of [world.own, world.other]) {
      const own = textOf(await answerTo(world, operation, name, side))
      if (own === 'refused') continue
      const admin: Actor = { ...world.actors[name]!, role: 'super_admin' }
      const input = samples[operation.facts.name]!(side)
      if (own !== textOf(await attempt(world.db, operation, admin, input))) return true
    }
  return false
}

/** Of the whole organization. */
const SHARED = ['drug', 'unstocked', 'backup']

/** What the call in a world answers, or the error that it threw; nothing that it did remains. */
export async function attempt(
  db: Kysely<DB>,
  operation: AnyOperation,
  actor: Actor | null,
  input: unknown,
): Promise<unknown> {
  try {
    return await operation({ db, actor, request: aRequest() }, input)
  } catch (error) {
    return error
  } finally {
    await sql`rollback to savepoint attempt`.execute(db)
  }
}

/** A record of others is "not found": for the caller, that is a refusal. */
const refusals = ['forbidden', 'unauthenticated', 'not_found']
export function isAnswered(outcome: unknown) {
  throwBug(outcome)
  return !(outcome instanceof AppError && refusals.includes(outcome.code))
}

export function throwBug(outcome: unknown) {
  if (outcome instanceof Error && !(outcome instanceof AppError)) throw outcome
}

function wordFor(own: boolean, other: boolean) {
  if (own && other) return 'yes'
  return own ? 'own clinic' : '–'
}
