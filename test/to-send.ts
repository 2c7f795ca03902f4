import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { sealSecret } from '~/server/secret.server'
import { makeFactories } from './factories'

/** A closed report with the codes of DHIS2 and a server to send it to, and one that waits to be sent. */
export async function reportToSend(db: Kysely<DB>, clinic: { id: string }) {
  const make = makeFactories(db)
  const report = await make.report()
  const closed = { clinic_ids: [clinic.id] }
  const toSend = await make.reportRun(report, closed)
  const waiting = await make.reportRun(report, { ...closed, number: 2, reason: 'Late visits' })
  await db
    .insertInto('report_cells')
    .values({
      run_id: toSend.id,
      section: 'attendance',
      row_id: 'visits',
      column_id: 'value',
      value: 4,
    })
    .execute()
  await db
    .insertInto('external_codes')
    .values([
      { clinic_id: clinic.id, code: 'OU_1' },
      { definition_id: report.id, code: 'pBOMPrpg1QX' },
      { definition_id: report.id, section: 'attendance', row_id: 'visits', code: 'VISITS' },
    ])
    .execute()
  const sealed_secret = sealSecret('dhis2_server', Buffer.from('x'), 'password of another server')
  await db
    .insertInto('dhis2_server')
    // nothing listens there: a call that asks the server fails at once
    .values({ address: 'http://127.0.0.1:1', username: 'sanad', sealed_secret })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const sending = await db
    .insertInto('report_sendings')
    .values({ id: uuidv7(), run_id: waiting.id, is_dry_run: false, payload: '{}', value_count: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { toSend, sending }
}
