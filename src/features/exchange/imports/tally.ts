import type { Message } from '~/shared/errors'

/** The outcome of a row. Every row has exactly one. */
export type Fate =
  | {
      outcome: 'imported' | 'repeated' | 'changed'
      emptied?: readonly Message[]
      assumed?: readonly Message[]
    }
  /** Valid, but not imported. */
  | { outcome: 'left'; reason: Message }
  /** Must be corrected. */
  | Rejected
export type Rejected = { outcome: 'rejected'; reason: Message }

export const imported = { outcome: 'imported' } as const satisfies Fate
export const repeated: Fate = { outcome: 'repeated' }
export const left = (key: Message['key'], values?: Message['values']): Fate => ({
  outcome: 'left',
  reason: { key, values },
})
export const rejected = (reason: Message): Rejected => ({ outcome: 'rejected', reason })

export type CountedReason = Message & {
  count: number
  /** What further rows hold where the first one holds its `value`: each once, at most as many as NAMED. */
  further?: string[]
}

/** Values of one reason that a result names. */
const NAMED = 100

/** The number of rows per fate; plain data that can be stored and sent. */
export type Tally = {
  file: string
  rows: number
  imported: number
  repeated: number
  /** Stored records that got the values of the file. */
  changed?: number
  left: CountedReason[]
  rejected: CountedReason[]
  /** Records made from the imported rows: fewer if several rows make one record. */
  made: number
  /** Cells of imported rows that hold a word for nothing, such as NULL: read as empty. */
  emptied?: CountedReason[]
  /** What a row did not state or state clearly, and how it was read. */
  assumed?: CountedReason[]
  /** Records that an undo deleted, or gave their former values. */
  undone?: number
  /** Compared patients who may have been registered before. */
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
  else {
    tally[fate.outcome] = (tally[fate.outcome] ?? 0) + rows
    for (const cell of fate.emptied ?? []) addReason((tally.emptied ??= []), cell, rows)
    for (const note of fate.assumed ?? []) addReason((tally.assumed ??= []), note, rows)
  }
}

/** Rows with the same reason are counted together, and their values are named. */
function addReason(reasons: CountedReason[], { key, values }: Message, rows: number) {
  const group = (all: Message['values']) => JSON.stringify({ ...all, value: undefined })
  const same = reasons.find((known) => known.key === key && group(known.values) === group(values))
  if (same) {
    same.count += rows
    const value = values?.['value']
    const { further = [] } = same
    if (typeof value !== 'string' || value === same.values?.['value'] || further.includes(value))
      return
    if (further.length < NAMED) same.further = [...further, value]
  } else reasons.push(values ? { key, values, count: rows } : { key, count: rows })
}

export const sumReasonCounts = (reasons: readonly CountedReason[]) =>
  reasons.reduce((sum, { count: rows }) => sum + rows, 0)

/** The further values of a reason: those that have room, and a sign that there are more. */
export const furtherValues = ({ further = [] }: CountedReason, room: number) =>
  further.length > room ? [...further.slice(0, room), '…'] : further

/** The reason with its column, which the error of a field does not name. */
export function formatReason(reason: Message, say: (message: Message) => string): string {
  const text = say(reason)
  const column = reason.values?.['column']
  return typeof column === 'string' && !text.includes(column) ? `${column}: ${text}` : text
}
