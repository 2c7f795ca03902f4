import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { Strength } from '~/features/patients/duplicates'
import { findDuplicates } from '~/features/patients/duplicates.server'
import { nameOf } from '~/features/patients/patient'
import type { Context } from '~/server/operation'
import type { CsvRow } from './csv.server'
import type { Tally } from './tally'
import type { ImportedRecord } from './write.server'

/** Comparing one person takes some hundredths of a second: of a larger file, the first so many. */
export const COMPARED_AT_MOST = 5_000

export type Doubt = {
  line: number
  name: string
  patientId: string
  otherName: string
  strength: Strength
  reasons: readonly string[]
}

/** Compares whoever was just registered with everybody else, also of the same file, and tells whom he may be. */
export const comparer =
  (ctx: Omit<Context, 'db'>, tally: Tally, tell: (doubt: Doubt) => Promise<void>) =>
  async (db: Kysely<DB>, { line }: CsvRow, record: ImportedRecord) => {
    if ((tally.compared ?? 0) >= COMPARED_AT_MOST) return
    tally.compared = (tally.compared ?? 0) + 1
    const text = (column: string) => (record[column] as string | null | undefined) ?? null
    const { candidates } = await findDuplicates(
      { ...ctx, db },
      {
        given_name: text('given_name'),
        surname: text('surname'),
        date_of_birth: text('date_of_birth'),
        sex: text('sex'),
        phone: text('phone'),
        government_id: text('government_id'),
        external_patient_id: text('external_patient_id'),
        hometown: text('hometown'),
        exceptId: record.id,
      },
    )
    const [likeliest] = candidates
    if (!likeliest) return
    tally.doubtful = (tally.doubtful ?? 0) + 1
    const name = nameOf({ given_name: text('given_name'), surname: text('surname') })
    const { id: patientId, strength, reasons } = likeliest
    await tell({ line, name, patientId, otherName: nameOf(likeliest), strength, reasons })
  }
