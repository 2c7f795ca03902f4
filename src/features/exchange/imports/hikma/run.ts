import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { Steps } from '../write.server'
import type { SourceFacts } from './mapping'
import type { ValueConflict } from './place.server'
import type { ImportNote, SourceRow } from './reading'
import type { HikmaSource } from './source.server'

/** What became of the rows of one table. */
export type TableTally = {
  table: string
  rows: number
  inserted: number
  updated: number
  deleted: number
  unchanged: number
  unplaced: number
  /** Rows whose column differs here and there, changed on both sides. */
  differences: number
  /** Counts of conversions, by rule and column. */
  notes: Record<string, number>
}
export type HikmaReport = {
  tables: TableTally[]
  /** Counted and not read. */
  counted: Record<string, number>
  /** Tables and columns that this server lacks. */
  missing: readonly string[]
  /** The run wrote something. */
  hasNews: boolean
}
export const newReport = (): HikmaReport => ({
  tables: [],
  counted: {},
  missing: [],
  hasNews: false,
})

export type HikmaWatch = {
  signal?: AbortSignal
  onProgress?: (table: string, done: number, total: number) => void
  onUnplaced?: (table: string, row: SourceRow, reason: string) => Promise<void> | void
  onNote?: (table: string, id: string, note: ImportNote) => Promise<void> | void
  onDifference?: (table: string, difference: ValueConflict) => Promise<void> | void
}

/** What the steps of one run share. */
export type HikmaRun = {
  source: HikmaSource
  steps: Steps
  /** Reads what the steps have committed, while one of them runs; undefined if none commits. */
  beside: Kysely<DB> | undefined
  facts: SourceFacts
  number: number
  report: HikmaReport
  watch: HikmaWatch
}

export const newTable = (table: string): TableTally => ({
  table,
  rows: 0,
  inserted: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  unplaced: 0,
  differences: 0,
  notes: {},
})
