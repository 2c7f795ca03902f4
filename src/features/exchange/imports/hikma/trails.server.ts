import { sql } from 'kysely'
import { IMPORT_BATCH } from '../batches.server'
import { newTable, type HikmaRun } from './run'
import { idOrStable, parseSourceJson, type SourceRow, sourceText } from './reading'
import { isId } from '~/shared/id'

/** The settings that both servers have: their keys, Sanad's defaults, and the values that Sanad accepts. */
const SETTINGS: Readonly<Record<string, { initial: string[]; accepts: RegExp }>> = {
  'organization-name': { initial: [''], accepts: /^.{1,200}$/su },
  'disable-mobile-permissions-checking': { initial: ['', 'false'], accepts: /^(true|false)$/ },
  operation_mode: { initial: ['', 'user_choice'], accepts: /^(online|offline|user_choice)$/ },
}

/** Takes a setting only where Sanad still has its default. */
export async function takeSettings({ source, steps, watch, report }: HikmaRun): Promise<void> {
  if (!source.has('app_config')) return
  const tally = newTable('app_config')
  report.tables.push(tally)
  for await (const batch of source.batches({ from: 'app_config' }, IMPORT_BATCH)) {
    for (const { row } of batch) {
      tally.rows += 1
      const setting = SETTINGS[String(row['key'])]
      const value = sourceText(row['value'] ?? '').replaceAll('\0', '')
      if (!setting) {
        tally.unplaced += 1
        await watch.onUnplaced?.('app_config', row, 'Sanad has no such setting')
        continue
      }
      const taken =
        setting.accepts.test(value) && !setting.initial.includes(value)
          ? await steps(async (db) => {
              const done = await sql`update app_config set value = ${value}, updated_at = now()
                where key = ${String(row['key'])} and not is_deleted and value = any(${setting.initial})`.execute(
                db,
              )
              return Number(done.numAffectedRows ?? 0)
            })
          : 0
      if (taken > 0) {
        tally.updated += 1
        report.hasNews = true
      } else tally.unchanged += 1
    }
  }
}

/** Its JSON columns, which are read as text, are JSON again. */
const whole = (row: SourceRow) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === 'string' && (column === 'changes' || column === 'metadata')
        ? (parseSourceJson(value) ?? value)
        : value,
    ]),
  )

const NO_USER = '00000000-0000-0000-0000-000000000000'

/** The audit trail of the phones: each row as it is. */
export async function takeEventLogs({ source, steps, watch, report }: HikmaRun): Promise<void> {
  if (!source.has('event_logs')) return
  const tally = newTable('event_logs')
  report.tables.push(tally)
  const total = await source.count('event_logs')
  for await (const batch of source.batches({ from: 'event_logs' }, IMPORT_BATCH)) {
    watch.signal?.throwIfAborted()
    const rows = batch.map(({ row }) => ({
      id: idOrStable('hikma.event_log', row['id']),
      user_id: isId(row['user_id']) ? row['user_id'] : null,
      row: JSON.stringify(whole(row)),
    }))
    const written = await steps(async (db) => {
      const { rows: done } = await sql`
        insert into event_logs (id, received_from, row)
        select given.id, coalesce(u.id, ${NO_USER}), given.row
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, user_id uuid, row text)
        left join users u on u.id = given.user_id
        on conflict (id) do nothing returning 1`.execute(db)
      return done.length
    })
    tally.rows += batch.length
    tally.inserted += written
    tally.unchanged += batch.length - written
    if (written > 0) report.hasNews = true
    watch.onProgress?.('event_logs', tally.rows, total)
  }
}
