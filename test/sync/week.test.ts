import { sql } from 'kysely'
import { expect } from 'vitest'
import { PASSWORD } from '../sessions'
import { EVERYTHING, type Person } from './clinic'
import { test } from './hub-clinic'
import { codeOf, HubPhone } from './hub-phone'
import { Phone } from './phone'
import { type Device, QUESTIONS, workWeek } from './random/week'
import { weekFaults } from './random/week-faults'

// The long version: npm run prove -- phones --week 1 (docs/proof.md).

const { SANAD_WEEK_SEEDS = '', SANAD_WEEK_FAULT = '', SANAD_WEEK_STEPS = '420' } = process.env
const [from = 1, to = from] = SANAD_WEEK_SEEDS.split('-').map(Number)
const seeds = Array.from({ length: SANAD_WEEK_SEEDS ? to - from + 1 : 1 }, (_, at) => from + at)
const isWeek = SANAD_WEEK_SEEDS !== ''
const STEPS = isWeek ? Number(SANAD_WEEK_STEPS) : 30

test.for(isWeek ? seeds : [1])(
  'a clinic works on phones and in browsers: only what two people typed is a conflict, nothing is lost (seed %i)',
  { timeout: 1_800_000 },
  async (seed, { db, make, person, server, hub, codeFor, owner }) => {
    if (SANAD_WEEK_FAULT) await sql.raw(weekFaults[SANAD_WEEK_FAULT]!.sql).execute(owner)
    const clinic = await make.clinic()
    const provider = () => person('provider', [clinic], EVERYTHING)
    const plain = async (...people: Person[]): Promise<Device> => ({
      far: new Phone(server.origin, people[0]!.email, PASSWORD),
      people,
    })
    /** It has scanned both codes. */
    const both = async (): Promise<Device> => {
      const user = await provider()
      const code = await codeFor(user, 'Phone')
      const far = new Phone(server.origin, user.email, code)
      const near = new HubPhone(codeOf(hub.url()), user.email, code)
      near.database = far.database
      await near.login()
      return { far, near, people: [user] }
    }
    const shared = await plain(await provider(), await provider())
    const devices = isWeek
      ? [
          await plain(await provider()),
          await both(),
          await both(),
          shared,
          await plain(await provider()),
        ]
      : [await plain(await provider()), await both(), shared]
    // months behind
    devices.at(isWeek ? -1 : 0)!.far.skew = -100 * 86_400_000
    const { entries, noise, lost, others, story } = await workWeek({
      db,
      origin: server.origin,
      clinic,
      form: await make.eventForm({ form_fields: JSON.stringify(QUESTIONS) }),
      devices,
      browsers: [await provider(), await provider()],
      seed,
      steps: STEPS,
    })
    if (isWeek)
      process.stdout.write(
        [
          `week ${seed}: ${STEPS} steps, ${entries} conflicts, ${noise.length} noise, ${lost.length} values lost`,
          ...noise,
          ...lost,
          ...others,
          '',
        ].join('\n'),
      )
    if (noise.length + lost.length + others.length > 0)
      expect.fail([...story, '', ...noise, ...lost, ...others].join('\n'))
  },
)
