import { collectAll } from '~/server/garbage.server'
import type { Csv, CsvRow } from './csv.server'
import { count, type Fate, rejected, type Rejected, type Tally } from './tally'
import { type Steps, takenBack } from './write.server'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

/** Rows per transaction. More is hardly faster, and fewer lose less in a power cut. */
export const IMPORT_BATCH = 1_000

/** Callbacks of the caller of an import. */
export type Watch = {
  /** Called between batches. True stops the import; committed batches stay. */
  signal?: AbortSignal
  /** The bytes and rows that were read so far. */
  onProgress?: (file: string, bytes: number, rows: number) => Promise<void> | void
  /** Called for each rejected row. */
  onRejected?: (file: string, row: CsvRow, fate: Rejected) => Promise<void> | void
  /** Rows per transaction. */
  size?: number
  /** Rows of the file that an interrupted run has committed: they are read again, and nothing of them is written. */
  done?: number
  /** Called in the transaction of each batch, with everything that is counted so far. */
  keep?: (db: Kysely<DB>, counted: ImportCounts) => Promise<void>
}

export type ImportCounts = {
  tally: Tally
  /** Rows of the file that were read. */
  rows: number
  /** The rejected rows of the batch. */
  rejected: { row: CsvRow; fate: Rejected }[]
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
  for await (const rows of splitIntoBatches(csv.rows(), watch.size ?? IMPORT_BATCH)) {
    watch.signal?.throwIfAborted()
    const readable = rows.filter(({ problem }) => !problem)
    read += rows.length
    if (read <= (watch.done ?? 0)) {
      // what later rows need to know of these, such as which records the file has named
      if (readable.length) await steps((db) => takenBack(db, () => work(db, readable)))
      continue
    }
    const bring = async (db: Kysely<DB>) => {
      const fates = readable.length ? await work(db, readable) : []
      const counted = countRows(tally, rows, new Map(readable.map((row, i) => [row, fates[i]])))
      await watch.keep?.(db, { ...counted, rows: read })
      return counted
    }
    const { tally: now, rejected: refused } =
      readable.length || watch.keep ? await steps(bring) : countRows(tally, rows, new Map())
    Object.assign(tally, now)
    for (const { row, fate } of refused) await watch.onRejected?.(tally.file, row, fate)
    collectAll()
    await watch.onProgress?.(tally.file, rows.at(-1)!.end, read)
  }
}

/** A batch that fails is not counted, so the tally stays as it is. */
function countRows(before: Tally, rows: CsvRow[], fates: Map<CsvRow, Fate | undefined>) {
  const tally = structuredClone(before)
  const refused: ImportCounts['rejected'] = []
  for (const row of rows) {
    const fate = row.problem ? rejected(row.problem) : fates.get(row)
    if (!fate) continue
    count(tally, fate)
    if (fate.outcome === 'imported') tally.made += 1
    if (fate.outcome === 'rejected') refused.push({ row, fate })
  }
  return { tally, rejected: refused }
}

async function* splitIntoBatches(rows: AsyncGenerator<CsvRow>, size: number) {
  let batch: CsvRow[] = []
  for await (const row of rows) {
    if (batch.push(row) < size) continue
    yield batch
    batch = []
  }
  if (batch.length) yield batch
}
