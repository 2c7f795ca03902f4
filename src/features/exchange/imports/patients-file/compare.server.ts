import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { COMPARED_COLUMNS } from '~/records/patient'
import type { Strength } from '~/features/people/patients/duplicates/duplicates'
import { candidatesForEach } from '~/features/people/patients/duplicates/duplicates.server'
import { patientName } from '~/features/people/patients/patient'
import type { Context } from '~/server/operation'
import type { CsvRow } from '../csv.server'
import type { Tally } from '../tally'
import type { ImportedRecord } from '../write.server'

/**
 * Only the first patients of a larger file are compared: one comparison takes some hundredths of a
 * second.
 */
const COMPARED_AT_MOST = 5_000

export type Doubt = {
  line: number
  name: string
  patientId: string
  otherName: string
  strength: Strength
  reasons: readonly string[]
}

/**
 * Compares newly registered patients with all others, also of the same file, and reports the likeliest duplicate of
 * each.
 */
export const comparer =
  (ctx: Omit<Context, 'db'>, tally: Tally, tell: (doubt: Doubt) => Promise<void>): Compare =>
  async (db, registered) => {
    const some = registered.slice(0, COMPARED_AT_MOST - (tally.compared ?? 0))
    if (some.length === 0) return
    tally.compared = (tally.compared ?? 0) + some.length
    const found = await candidatesForEach(
      { ...ctx, db },
      some.map(({ record }) => ({
        ...Object.fromEntries(
          COMPARED_COLUMNS.map((column) => [column, columnText(record, column)]),
        ),
        exceptId: record.id,
      })),
    )
    for (const [at, { row, record }] of some.entries()) {
      const [likeliest] = found[at]!
      if (!likeliest) continue
      tally.doubtful = (tally.doubtful ?? 0) + 1
      const { id: patientId, strength, reasons } = likeliest
      await tell({
        line: row.line,
        name: patientName({
          given_name: columnText(record, 'given_name'),
          surname: columnText(record, 'surname'),
        }),
        patientId,
        otherName: patientName(likeliest),
        strength,
        reasons,
      })
    }
  }

/** Called with the newly registered patients of each batch, inside its transaction. */
export type Compare = (
  db: Kysely<DB>,
  registered: readonly { row: CsvRow; record: ImportedRecord }[],
) => Promise<void>

const columnText = (record: ImportedRecord, column: string) =>
  (record[column] as string | null | undefined) ?? null
