import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { aPatient } from '../sync/chart'
import { EVERYTHING } from '../sync/clinic'
import { Phone } from '../sync/phone'
import { databaseUrl, settingsForUsed, test, until } from './sanad'

test(
  'a server killed between and during syncs loses nothing and doubles nothing',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const dataDir = temporaryDirectory()
    const settings = await settingsForUsed(dataDir)
    let sanad = start(settings)
    const origin = await sanad.ready
    const prepared = await prepare(databaseUrl(dataDir))
    const [one, other] = prepared.people.map(({ email }) => new Phone(origin, email, PASSWORD)) as [
      Phone,
      Phone,
    ]
    await one.sync()
    const made: string[] = []
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 25; at += 1)
        made.push(
          await one.create('patients', aPatient(prepared.clinic, { hometown: `${round}.${at}` })),
        )
      const syncing = one
        .sync({
          onPush: async (send) => {
            const sending = send()
            // in the middle of it, as a power cut would be: earlier and later each time
            await sleep(round * 20)
            sanad.child.kill('SIGKILL')
            return sending
          },
        })
        .catch(() => {})
      await sanad.exit
      await syncing
      sanad = start(settings)
      await sanad.ready
    }
    await until(async () => (await one.sync().then(() => one.unsent('patients'))) === 0)
    await other.sync()
    const ids = (rows: { id?: unknown }[]) => rows.map(({ id }) => String(id))
    expect(new Set(ids(await other.all('patients')))).toEqual(new Set(made))
    expect((await other.all('patients')).map(({ hometown }) => hometown)).toHaveLength(made.length)

    const db = connect(databaseUrl(dataDir))
    const waiting = await db.selectFrom('sync_quarantine').selectAll().execute()
    const lost = await db.selectFrom('sync_conflicts').selectAll().execute()
    await db.destroy()
    expect({ waiting, lost }).toEqual({ waiting: [], lost: [] })
  },
)

async function prepare(url: string) {
  const db = connect(url)
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const people = [await make.user({ role: 'provider' }), await make.user({ role: 'provider' })]
  for (const person of people) {
    await givePassword(db, person)
    await make.permission(person, clinic.id, EVERYTHING)
  }
  await db.destroy()
  return { clinic, people }
}
