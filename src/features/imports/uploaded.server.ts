import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { Source } from './csv.server'
import { PART_SIZE } from './import'

/** A file that a browser sent, read part by part. */
export const uploadedSource = (db: Kysely<DB>, row: { id: string; file_name: string; file_size: number }): Source => ({
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
