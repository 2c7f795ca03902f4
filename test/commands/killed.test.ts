import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { newestBlock, sealTrails } from '~/server/trail/seal.server'
import { faultSentence } from '~/server/trail/report'
import { verifyTrails } from '~/server/trail/verify.server'
import { PASSWORD } from '../sessions'
import { Phone } from '../sync/phone'
import { chance } from '../sync/random/chance'
import { mistakes, WorkingPhone, Writers } from './killed'
import { prepare } from './killed-world'
import { databaseUrl, isReady, postgresPid, settingsForUsed, test } from './sanad'

/** `npm run prove -- kill` sets them. */
const { SANAD_KILL_ROUNDS = '3', SANAD_KILL_SEED = '1' } = process.env
const ROUNDS = Number(SANAD_KILL_ROUNDS)
const TARGETS = ['server', 'database', 'both'] as const

test(
  'each acknowledged write is stored exactly once, whatever is killed under ten writers and two phones',
  { timeout: 60_000 * (ROUNDS + 3) },
  async ({ start, temporaryDirectory }) => {
    const dataDir = temporaryDirectory()
    const settings = await settingsForUsed(dataDir)
    let sanad = start(settings)
    const origin = await sanad.ready
    const { places, people, clinic } = await prepare(origin, databaseUrl(dataDir))
    const random = chance(Number(SANAD_KILL_SEED))
    const writers = new Writers(origin, places)
    const phones = people.map(
      ({ email }) => new WorkingPhone(new Phone(origin, email, PASSWORD), clinic),
    )
    const killed = { server: 0, database: 0, both: 0 }
    let unanswered = 0
    let seal: { no: number; hash: string } | undefined

    for (let round = 0; round < ROUNDS; round += 1) {
      const target = TARGETS[round % TARGETS.length]!
      const goal = writers.answered + 20 + random.below(60)
      let isOver = false
      const kill = () => {
        if (isOver || writers.answered < goal) return
        isOver = true
        if (target !== 'server') process.kill(postgresPid(dataDir), 'SIGKILL')
        if (target !== 'database') sanad.child.kill('SIGKILL')
      }
      await Promise.all([
        writers.work(random, () => isOver, kill),
        ...phones.map((phone) => phone.work(() => isOver || writers.refused.length > 0)),
      ])
      expect(writers.refused).toEqual([])
      killed[target] += 1
      if (target !== 'database') {
        await sanad.exit
        sanad = start(settings)
        await sanad.ready
      }
      while (!(await isReady(origin))) await sleep(50)
      unanswered += writers.calls.filter(({ isAnswered }) => !isAnswered).length

      const db = await connected(databaseUrl(dataDir))
      const check = async (when: string) => {
        const lost = await Promise.all(phones.map((phone) => phone.lost(db)))
        const found = [...(await writers.wrong(db)), ...lost.flat(), ...(await mistakes(db))]
        expect({ round, target, when, found }).toEqual({ round, target, when, found: [] })
      }
      await check('after the restart')
      await writers.repeatUnanswered()
      for (const phone of phones) await phone.sync()
      await check('after clients repeated what was not answered')
      await db.end()
      seal = await sealedAgain(databaseUrl(dataDir), seal)
    }

    const db = await connected(databaseUrl(dataDir))
    for (const phone of phones) await phone.sync()
    const made = phones.flatMap((phone) => phone.made)
    const created = writers.calls.filter(({ name }) => name === 'patients.create')
    const { rows } = await db.query<{ id: string }>('select id from patients')
    const expected = [places.patient, ...made, ...created.map(({ id }) => id)].toSorted()
    expect(rows.map(({ id }) => id).toSorted()).toEqual(expected)
    await db.end()
    for (const { phone } of phones)
      expect((await phone.all('patients')).map(({ id }) => id)).toEqual(expected)
    process.stdout.write(
      `${ROUNDS} rounds (killed: server ${killed.server}, database ${killed.database}, both ` +
        `${killed.both}): ${writers.answered} writes of the web and ${made.length} patients of ` +
        `phones acknowledged and stored once; ${unanswered} writes were repeated\n`,
    )
  },
)

/** The trail must contain the seal of the round before. Returns the newest. */
async function sealedAgain(url: string, seal?: { no: number; hash: string }) {
  const db = connect(url)
  const { fault } = await verifyTrails(db, seal ? { seal } : {})
  expect(fault && faultSentence(fault)).toBeUndefined()
  await sealTrails(db)
  const { no, hash } = (await newestBlock(db))!
  await db.destroy()
  return { no, hash: hash.toString('hex') }
}

async function connected(url: string) {
  const db = new pg.Client(url)
  // if the test fails, the database stops while this connection is open
  db.on('error', () => {})
  await db.connect()
  return db
}
