import { aChart } from './chart'
import { EVERYTHING, test as base } from './clinic'
import type { Phone } from './phone'

/** Two providers of one clinic, each with a phone that holds the same chart. */
export const test = base.extend('pair', async ({ db, make, person, phoneOf }) => {
  const clinic = await make.clinic()
  const [amal, omar] = [
    await person('provider', [clinic], EVERYTHING),
    await person('provider', [clinic], EVERYTHING),
  ]
  const [one, other] = [phoneOf(amal), phoneOf(omar)]
  await one.sync()
  const batch = await make.stock(clinic.id, 100)
  const { drug_id } = await db
    .selectFrom('drug_batches')
    .select('drug_id')
    .where('id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const form = await make.eventForm()
  const chart = await aChart(one, amal, clinic, { drug: { id: drug_id }, batch, form })
  await one.sync()
  await other.sync()
  return { clinic, one, other, chart, amal, omar }
})

/** A deletion on a phone needs five rounds until its children have left that phone. */
export const settleDown = async (...phones: Phone[]) => {
  for (let round = 0; round < 5; round += 1) for (const phone of phones) await phone.sync()
}
