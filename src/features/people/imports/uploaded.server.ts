import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { openCsv, type Source } from './csv.server'
import type { Encoding } from '~/shared/text-encoding'
import { type DelimiterName, DELIMITERS, PART_SIZE } from './import'

type File = { id: string; file_name: string; file_size: number }

/** An uploaded file, read part by part. */
const uploadedSource = (db: Kysely<DB>, row: File): Source => ({
  name: row.file_name,
  size: row.file_size,
  async *read(offset) {
    let skip = offset % PART_SIZE
    for (let part = Math.floor(offset / PART_SIZE); part * PART_SIZE < row.file_size; part += 1) {
      const { bytes } = await db
        .selectFrom('import_parts')
        .select('bytes')
        .where('import_id', '=', row.id)
        .where('part', '=', part)
        .executeTakeFirstOrThrow()
      yield skip ? bytes.subarray(skip) : bytes
      skip = 0
    }
  },
})

/** The file as a table, with the chosen or detected encoding and delimiter. */
export const uploadedCsv = (
  db: Kysely<DB>,
  row: File & { encoding: string | null; delimiter: string | null },
) =>
  openCsv(
    uploadedSource(db, row),
    row.encoding as Encoding | null,
    row.delimiter === null ? undefined : DELIMITERS[row.delimiter as DelimiterName],
  )
