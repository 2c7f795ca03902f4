import { sql } from 'kysely'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { makeFactories } from '../../test/factories'
import { asOwner, cloneTemplate, test, urlsOf } from '../../test/harness'
import { migrate } from './migrate.server'

test('after a restore, each row and edited column is of the transaction that began the epoch', async ({
  onTestFinished,
}) => {
  const name = `restored_${newId().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  onTestFinished(() => db.destroy())
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  await db
    .updateTable('patients')
    .set({ surname: 'Mansour', sex: 'male' })
    .where('id', '=', id)
    .execute()
  await asOwner(name, async (owner) => {
    await sql`update sync_rows set born = null where row_id = ${clinic.id}`.execute(owner)
    // as `markRestored` does, in a database that has no functions yet
    const mark = 'restored from the backup of 2026-01-01'
    await sql`update schema_in_force set checksum = ${mark}`.execute(owner)
  })
  const rows = () =>
    sql<{ row_id: string; born: string | null; columns: Record<string, number> }>`
      select row_id, born, columns from sync_rows order by row_id`.execute(db)
  const before = await rows()
  await migrate(urlsOf(name).ownerUrl)

  const { rows: epochs } = await sql<{ xid: string }>`
    select (pg_snapshot_xmin(snapshot)::text::bigint - 1)::text as xid from sync_epochs`.execute(db)
  const [{ xid }] = epochs as [{ xid: string }]
  const stamped = before.rows.map(({ row_id, born, columns }) => ({
    row_id,
    born: born === null ? null : xid,
    columns: Object.fromEntries(Object.keys(columns).map((column) => [column, Number(xid)])),
  }))
  expect((await rows()).rows).toEqual(stamped)
  expect(Object.keys(stamped.find(({ row_id }) => row_id === id)!.columns)).toEqual(
    expect.arrayContaining(['sex', 'surname']),
  )
  const { rows: others } = await sql`
    select 'row' as of, xid::text from sync_rows group by 2
    union all select 'link', changed_xid::text from patient_links group by 2`.execute(db)
  expect(others).toEqual([
    { of: 'row', xid },
    { of: 'link', xid },
  ])
})
