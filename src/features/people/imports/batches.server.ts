import type { Csv, CsvRow } from './csv.server'
import { count, type Fate, rejected, type Tally } from './tally'
import type { Steps } from './write.server'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

/** Rows per transaction. More is hardly faster, and fewer lose less in a power cut. */
export const BATCH = 1_000

/** Callbacks of the caller of an import. */
export type Watch = {
  /** Called between batches. True stops the import; committed batches stay. */
  signal?: AbortSignal
  /** The bytes and rows that were read so far. */
  onProgress?: (file: string, bytes: number, rows: number) => Promise<void> | void
  /** Called for each rejected row. */
  onRejected?: (file: string, row: CsvRow, fate: Fate) => Promise<void> | void
  /** Rows per transaction. */
  size?: number
}

/**
 * Imports a file in batches. `work` returns the fate of each readable row, or undefined if it
 * counts the row later.
 */
export async function bringBatches(
  csv: Csv,
  tally: Tally,
  steps: Steps,
  watch: Watch,
  work: (db: Kysely<DB>, rows: CsvRow[]) => Promise<(Fate | undefined)[]>,
) {
  let read = 0
  for await (const rows of batchesOf(csv.rows(), watch.size ?? BATCH)) {
    watch.signal?.throwIfAborted()
    const readable = rows.filter(({ problem }) => !problem)
    const done = readable.length ? await steps((db) => work(db, readable)) : []
    const fates = new Map(readable.map((row, i) => [row, done[i]]))
    for (const row of rows) {
      const fate = row.problem ? rejected(row.problem) : fates.get(row)
      if (!fate) continue
      count(tally, fate)
      if (fate.outcome === 'imported') tally.made += 1
      if (fate.outcome === 'rejected') await watch.onRejected?.(tally.file, row, fate)
    }
    read += rows.length
    await watch.onProgress?.(tally.file, rows.at(-1)!.end, read)
  }
}

async function* batchesOf(rows: AsyncGenerator<CsvRow>, size: number) {
  let batch: CsvRow[] = []
  for await (const row of rows) {
    if (batch.push(row) < size) continue
    yield batch
    batch = []
  }
  if (batch.length) yield batch
}
