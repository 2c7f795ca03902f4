import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { FileSource } from './csv.server'
import type { KnownHeadings } from './reader/headings.server'
import type { Encoding } from '~/shared/text-encoding'
import { type DelimiterName, DELIMITERS, PART_SIZE } from './import'
import { openTable } from './reader/table.server'

type File = { id: string; file_name: string; file_size: number }

/** An uploaded file, read part by part. */
const uploadedSource = (db: Kysely<DB>, row: File): FileSource => ({
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

/** The file as a table, as the user chose to read it. */
export const uploadedTable = (
  db: Kysely<DB>,
  row: File &
    Record<'encoding' | 'sheet', string | null> & {
      delimiter: DelimiterName | null
      heading_line: number | null
    },
  known: KnownHeadings,
) =>
  openTable(uploadedSource(db, row), known, {
    encoding: row.encoding as Encoding | null,
    delimiter: row.delimiter === null ? undefined : DELIMITERS[row.delimiter],
    sheet: row.sheet,
    headingLine: row.heading_line,
  })
