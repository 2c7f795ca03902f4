import type { Message } from '~/shared/errors'

/** What became of one row of a file. Every row has exactly one. */
export type Fate =
  | { outcome: 'imported' | 'repeated' }
  /** Nothing is wrong with it, and yet it was not brought in. */
  | { outcome: 'left'; reason: Message }
  /** Something in it has to be mended. */
  | { outcome: 'rejected'; reason: Message }

export const imported: Fate = { outcome: 'imported' }
export const repeated: Fate = { outcome: 'repeated' }
export const left = (key: Message['key'], values?: Message['values']): Fate => ({
  outcome: 'left',
  reason: { key, values },
})
export const rejected = (reason: Message): Fate => ({ outcome: 'rejected', reason })

export type Reason = Message & { count: number }

/** How many rows of a file had which fate; plain data, so that it can be kept and sent. */
export type Tally = {
  file: string
  rows: number
  imported: number
  repeated: number
  left: Reason[]
  rejected: Reason[]
  /** Records that the imported rows became: fewer, where several rows are one record. */
  made: number
  /** Of the imported people that were compared with everybody here, those who may have been registered before. */
  compared?: number
  doubtful?: number
}

export const newTally = (file: string): Tally => ({
  file,
  rows: 0,
  imported: 0,
  repeated: 0,
  left: [],
  rejected: [],
  made: 0,
})

/** Adds a row, or several of the same fate. */
export function count(tally: Tally, fate: Fate, rows = 1) {
  tally.rows += rows
  if ('reason' in fate) addReason(tally[fate.outcome], fate.reason, rows)
  else tally[fate.outcome] += rows
}

/** Rows are refused for the same reason whatever the cell says: the first cell stays as the example. */
function addReason(reasons: Reason[], { key, values }: Message, rows: number) {
  const group = (all: Message['values']) => JSON.stringify({ ...all, value: undefined })
  const same = reasons.find((known) => known.key === key && group(known.values) === group(values))
  if (same) same.count += rows
  else reasons.push(values ? { key, values, count: rows } : { key, count: rows })
}

export const totalOf = (reasons: readonly Reason[]) =>
  reasons.reduce((sum, { count }) => sum + count, 0)
