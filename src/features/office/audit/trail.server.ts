import { type SelectQueryBuilder, sql } from 'kysely'
import { audit } from '~/server/audit'
import type { Context } from '~/server/operation'
import { countTotal } from '~/server/paged'
import { addDays, startOfDay } from '~/shared/zone'

/* What the lists of changes and of accesses share. */

type Days = { from?: string; to?: string }

/** Condition on `at`. Days are in the clinic's time zone, both ends included. */
export const withinAuditDays = ({ from, to }: Days) =>
  sql<boolean>`(${from ? sql`at >= ${startOfDay(from)}` : sql`true`}
    and ${to ? sql`at < ${startOfDay(addDays(to, 1))}` : sql`true`})`

type Export = {
  action: 'audit.export' | 'audit.exportAccesses'
  table: 'audit_log' | 'access_log'
  /** Format, language and filter. */
  input: Record<string, string | undefined>
}

/** Returns how many entries the file would hold, and writes the export into the audit trail. */
export async function exportTrail<DB, TB extends keyof DB, O>(
  ctx: Context,
  entries: SelectQueryBuilder<DB, TB, O>,
  { action, table, input }: Export,
): Promise<{ total: number }> {
  const total = await countTotal(entries)
  await audit(ctx, { action, table, changes: { export: [null, { ...input, total }] } })
  return { total }
}

const BATCH = 500

/** Reads a trail for a file, without holding it in memory. `read`: entries after the last one read. */
export async function* inBatches<Entry>(
  read: (last: Entry | undefined, most: number) => Promise<Entry[]>,
): AsyncGenerator<Entry[]> {
  let last: Entry | undefined
  for (;;) {
    const entries = await read(last, BATCH)
    yield entries
    if (entries.length < BATCH) return
    last = entries.at(-1)
  }
}
