import { sql } from 'kysely'
import type { Rule } from '../former-rules'
import type { HikmaRun } from './run'
import { digestText } from './digest'
import { importedBefore, remember } from './place.server'

const STATES = 'clinics.closed'

/** Archives and deletes last what the source has archived and deleted; a deleted clinic with records is archived. */
export async function closeClinics({
  source,
  steps,
  number,
  watch,
  report,
}: HikmaRun): Promise<void> {
  const archived = source.has('clinics', 'is_archived') ? 'coalesce(is_archived, false)' : 'false'
  const rows = await source.query<{ id: string; state: 'open' | 'archived' | 'deleted' }>(
    `select id::text, case when coalesce(is_deleted, false) then 'deleted'
       when ${archived} then 'archived' else 'open' end as state from clinics order by id`,
  )
  for (const { id, state } of rows) {
    const digest = digestText(state)
    await steps(async (db) => {
      const before = (await importedBefore(db, STATES, [id])).get(id)
      if (before?.equals(digest) || (!before && state === 'open')) return
      const known = await db
        .selectFrom('clinics')
        .select(['name', 'is_archived', 'is_deleted'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (!known || known.is_deleted) return
      const { rows: facts } = await sql<{ has_records: boolean; has_users: boolean }>`
        select clinic_has_records(${id}) as has_records,
          exists (select from users where clinic_id = ${id} and not is_deleted) as has_users`.execute(
        db,
      )
      const { has_records, has_users } = facts[0]!
      const tell = (rule: Rule) => watch.onNote?.('clinics', id, { rule, value: known.name })
      if (state === 'open') {
        await db.updateTable('clinics').set({ is_archived: false }).where('id', '=', id).execute()
      } else if (has_users) {
        await tell('stillHasUsers')
        return
      } else if (state === 'deleted' && !has_records) {
        await sql`select soft_delete('clinics', ${id}::uuid, ${known.name}, null)`.execute(db)
      } else {
        if (state === 'deleted') await tell('archivedInstead')
        await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', id).execute()
      }
      await remember(db, STATES, [{ id, columns: digest }], number)
      report.hasNews = true
    })
  }
}
