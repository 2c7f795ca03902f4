import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '~/db/connect'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../../test/factories'
import { cloneTemplate, urlsOf } from '../../../../../test/harness'
import { dispenseStock, lockAndPick } from '../ledger/movements.server'

const CLIENTS = 20
const LAST_UNITS = 50
/**
 * The thousand takes a minute: `STOCK_ROUNDS=1000 npx vitest run --project product
 * concurrent-dispensing`.
 */
const ROUNDS = Number(process.env['STOCK_ROUNDS'] ?? 30)

type Asked = { quantity: number; referenceId: string; given: boolean }

test(
  `${CLIENTS} clients who dispense the last ${LAST_UNITS} units at once get each of them once`,
  { timeout: 600_000 },
  async () => {
    const name = `stock_${process.pid}_${uuidv7().slice(-6)}`
    await (await cloneTemplate(name)).destroy()
    const db = connect(urlsOf(name).appUrl, { max: CLIENTS })
    onTestFinished(() => db.destroy())
    const make = makeFactories(db)
    const clinic = await make.clinic()
    const drug = await make.drug()
    const batches = [
      await make.batch({ drug_id: drug.id, expiry_date: '2098-01-31' }),
      await make.batch({ drug_id: drug.id, expiry_date: '2099-01-31' }),
    ]
    const where = { clinicId: clinic.id, drugId: drug.id }

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, quantity] of [30, 20].entries()) {
        await sql`select post_stock(${clinic.id}, ${drug.id}, ${batches[at]!.id}, 'received', ${quantity}, 'receipt',
          ${uuidv7()}, null, null, '2026-01-05')`.execute(db)
      }
      const asked: Asked[] = Array.from({ length: CLIENTS }, (_, client) => ({
        quantity: 1 + ((client * 7 + round) % 9),
        referenceId: uuidv7(),
        given: false,
      }))
      await Promise.all(asked.map((one) => dispense(db, where, one)))

      const left = await stockOf(db)
      const given = asked.filter((one) => one.given)
      expect(left.stock).toBeGreaterThanOrEqual(0)
      expect(given.reduce((sum, { quantity }) => sum + quantity, 0) + left.stock).toBe(LAST_UNITS)
      expect(left.ledger).toBe(left.stock)
      // no request is refused while there is enough stock
      expect(asked.filter((one) => !one.given && one.quantity <= left.stock)).toEqual([])
      expect(await postedUnder(db, asked)).toEqual(
        asked.map((one) => (one.given ? -one.quantity : 0)),
      )

      await empty(db, where)
    }
    const { rows } = await sql<{
      connections: number
    }>`select count(*) as connections from pg_stat_activity where datname = ${name}`.execute(db)
    expect(rows[0]!.connections).toBe(CLIENTS)
  },
)

/** As `dispensing.dispense` does it: in a transaction of its own, on a connection of its own. */
async function dispense(db: Kysely<DB>, where: { clinicId: string; drugId: string }, one: Asked) {
  await db.transaction().execute(async (trx) => {
    const now = new Date()
    const { picks, missing } = await lockAndPick(trx, { ...where, quantity: one.quantity, now })
    if (missing > 0) return
    const batches = picks.map((pick) => ({ batchId: pick.batch_id, quantity: pick.quantity }))
    await dispenseStock(trx, { ...where, referenceId: one.referenceId, batches, now })
    one.given = true
  })
}

async function stockOf(db: Kysely<DB>) {
  const { rows } = await sql<{ stock: number; ledger: number }>`
    select (select sum(quantity_available) from clinic_inventory) as stock, sum(quantity) as ledger
      from inventory_transactions`.execute(db)
  return rows[0]!
}

async function postedUnder(db: Kysely<DB>, asked: Asked[]) {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(t.quantity), 0) as sum
      from unnest(${asked.map(({ referenceId }) => referenceId)}::uuid[]) with ordinality r(id, place)
    left join inventory_transactions t on t.reference_id = r.id group by place order by place`.execute(
    db,
  )
  return rows.map(({ sum }) => sum)
}

async function empty(db: Kysely<DB>, { clinicId, drugId }: { clinicId: string; drugId: string }) {
  const left = await db
    .selectFrom('clinic_inventory')
    .select(['batch_id', 'quantity_available'])
    .execute()
  for (const { batch_id, quantity_available } of left) {
    if (quantity_available === 0) continue
    await sql`select post_stock(${clinicId}, ${drugId}, ${batch_id}, 'damaged', ${-quantity_available}, 'write_off',
      ${uuidv7()}, 'end of round', null, '2026-01-05')`.execute(db)
  }
}
