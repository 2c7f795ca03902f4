import { DEEPEST_STORED } from '~/db/stored-json'
import { parseJsonBody } from '~/server/body'
import { findInputFlaw } from '~/server/flaw'
import { bodyInMemory, type ReadableBody } from '~/server/spooled-bodies.server'
import { conflict, invalid } from '~/shared/errors'
import { pushed, type PushedName, pushedTables } from '../schema/tables'
import { type ChangeSet, readChangeSet, type RowId } from './incoming'
import { QUARANTINE_ROWS } from './quotas.server'
import {
  readListElements,
  hasMoreElements,
  listsIn,
  type ListRange,
  type Span,
} from '~/server/json-lists.server'
import { isId } from '~/shared/id'

/**
 * A change set as a push reads it: in one piece, or in several with the tables in the order of
 * their references. The pieces can be read more than once.
 */
export type ChangeSource = {
  /** The rows and deletions of all pieces. */
  ids: readonly RowId[]
  /** One piece. */
  isWhole: boolean
  pieces: () => AsyncIterable<ChangeSet>
}

export function toChangeSource(body: unknown): ChangeSource {
  const first = readChangeSet(body)
  let unread: ChangeSet | undefined = first
  return {
    ids: [...first.rows, ...first.deleted],
    isWhole: true,
    // saving changes the rows: after a deadlock, the push begins again with what the device sent
    async *pieces() {
      const set = unread ?? readChangeSet(body)
      unread = undefined
      yield set
    },
  }
}

/** Of a shorter body, all rows that fit are read at once. */
const SMALL = 1024 * 1024
/** More rows are read in pieces: parsed at once, 24 MB of `{}` take a gigabyte. */
const MOST_AT_ONCE = 20_000

/** A body in memory, to be read in pieces; null if it is small. `listDepth`: how far down its lists are. */
export const inPieces = (bytes: Buffer, listDepth?: number): ReadableBody | null =>
  bytes.length > SMALL && hasMoreElements(bytes, MOST_AT_ONCE, listDepth)
    ? bodyInMemory(bytes)
    : null

/** A body in memory. */
export function sourceOfBytes(bytes: Buffer): Promise<ChangeSource> | ChangeSource {
  const body = inPieces(bytes)
  return body ? sourceOfFile(body) : toChangeSource(parseJsonBody(bytes))
}

/** Bytes and rows that a push has in memory at a time. */
const PIECE_BYTES = 4 * 1024 * 1024
const PIECE_ROWS = 5_000
/** More than any phone holds; each costs some memory until the push ends. */
const MOST_ELEMENTS = 1_000_000

/** `span`: where in the file the change set is; all of it by default. */
export async function sourceOfFile(body: ReadableBody, span?: Span): Promise<ChangeSource> {
  const order = pushedTables.map(([name]): string => name)
  const place = ({ table }: { table: string }) => order.indexOf(table) + 1 || order.length + 1
  const lists = (await listsIn(body, span)).toSorted(
    (a, b) => place(a) - place(b) || a.list.localeCompare(b.list, 'en'),
  )

  const { ids, isReplaced } = await idsIn(body, lists)

  async function* pieces(): AsyncGenerator<ChangeSet> {
    for (const list of lists) {
      let elements: unknown[] = []
      let size = 0
      const piece = () => readChangeSet({ [list.table]: { [list.list]: elements } })
      for await (const { element, bytes } of readListElements(body, list)) {
        if (isReplaced(list, element)) continue
        elements.push(element)
        size += bytes
        if (size < PIECE_BYTES && elements.length < PIECE_ROWS) continue
        yield piece()
        elements = []
        size = 0
      }
      if (elements.length > 0) yield piece()
    }
  }
  return { ids, isWhole: false, pieces }
}

/**
 * The ids of the rows and deletions, and which rows in `created` are in `updated`, too. Throws `conflict` as soon as
 * more of them are without an id than may wait in quarantine.
 */
async function idsIn(body: ReadableBody, lists: readonly ListRange[]) {
  const ids: RowId[] = []
  const created = new Set<string>()
  const replaced = new Set<string>()
  let count = 0
  let withoutId = 0
  for (const { table, list, ...range } of lists) {
    for await (const { element } of readListElements(body, range)) {
      count += 1
      if (count > MOST_ELEMENTS || findInputFlaw(element, DEEPEST_STORED + 1) === 'size')
        throw invalid({ '': { key: 'sync.notAChangeSet' } })
      const id = elementId(element)
      if (!id && (table in pushed || table === 'event_logs')) withoutId += 1
      if (withoutId > QUARANTINE_ROWS) throw conflict('sync.quarantineFull')
      if (!id || !(table in pushed)) continue
      ids.push({ table: table as PushedName, id })
      if (list === 'created') created.add(`${table} ${id}`)
      else if (created.has(`${table} ${id}`)) replaced.add(`${table} ${id}`)
    }
  }
  return {
    ids,
    isReplaced: ({ table, list }: ListRange, element: unknown) =>
      replaced.size > 0 && list === 'created' && replaced.has(`${table} ${elementId(element)}`),
  }
}

function elementId(element: unknown): string | undefined {
  const id =
    typeof element === 'object' && element !== null && 'id' in element ? element.id : element
  return isId(id) ? id.toLowerCase() : undefined
}
