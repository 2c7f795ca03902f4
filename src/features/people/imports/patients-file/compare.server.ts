import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { COMPARED_COLUMNS } from '~/records/patient'
import type { Strength } from '~/features/people/patients/duplicates/duplicates'
import { candidatesFor } from '~/features/people/patients/duplicates/duplicates.server'
import { nameOf } from '~/features/people/patients/patient'
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
 * Compares a newly registered patient with all others, also of the same file, and reports the
 * likeliest duplicate.
 */
export const comparer =
  (ctx: Omit<Context, 'db'>, tally: Tally, tell: (doubt: Doubt) => Promise<void>) =>
  async (db: Kysely<DB>, { line }: CsvRow, record: ImportedRecord) => {
    if ((tally.compared ?? 0) >= COMPARED_AT_MOST) return
    tally.compared = (tally.compared ?? 0) + 1
    const text = (column: string) => (record[column] as string | null | undefined) ?? null
    const [likeliest] = await candidatesFor(
      { ...ctx, db },
      {
        ...Object.fromEntries(COMPARED_COLUMNS.map((column) => [column, text(column)])),
        exceptId: record.id,
      },
    )
    if (!likeliest) return
    tally.doubtful = (tally.doubtful ?? 0) + 1
    const name = nameOf({ given_name: text('given_name'), surname: text('surname') })
    const { id: patientId, strength, reasons } = likeliest
    await tell({ line, name, patientId, otherName: nameOf(likeliest), strength, reasons })
  }
