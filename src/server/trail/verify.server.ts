import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { blockHashSql, digestSql, ID_TYPE, LOWEST_ID, type Trail, TRAIL_NAMES } from './trails'

/** Blocks of one query. */
const BATCH = 200

type Block = {
  no: number
  table_name: Trail
  epoch: number
  xid: string
  id: string
  month: string
  first_at: Date
  last_at: Date
  count: number
  sealed_at: Date
  previous: Buffer
  hash: Buffer
}

/** What is wrong with a block or with the end of the chain. */
export type Fault =
  | { is: 'entry changed' | 'block changed'; block: Block }
  | { is: 'entries missing' | 'entries added'; block: Block; number: number }
  /** Blocks from `from` to `to`, both included. */
  | { is: 'blocks missing'; from: number; to: number; next: Block }
  /** The chain has no block `no`, or another one of that number. */
  | { is: 'cut off'; no: number; newest: number }
  | { is: 'rewritten'; no: number }
  | { is: 'hash unknown' }

export type Verified = {
  fault?: Fault
  blocks: number
  entries: number
  newest?: { no: number; hash: Buffer; sealed_at: Date }
  /** Of the access log. */
  removed: { months: string[]; entries: number }
  unsealed: Record<Trail, { count: number; oldest: Date | null }>
}

type Expected = {
  /** A hash that was printed before, with the number of its block if that was printed, too. */
  seal?: { no?: number; hash: string }
  /** The chain must have at least this number of blocks. */
  atLeast?: number
  onProgress?: (done: number, total: number) => void
}

/**
 * Compares every block with the entries that it seals and with the block before, as of one moment, and stops
 * at the first that does not match. Calls no function of the database that its owner could have replaced.
 */
export const verifyTrails = (db: Kysely<DB>, expected: Expected = {}): Promise<Verified> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => verify(trx, expected))

async function verify(db: Kysely<DB>, { seal, atLeast = 0, onProgress }: Expected) {
  const removedMonths = await monthsRemoved(db)
  const unsealed = await countUnsealed(db)
  const { total } = await db
    .selectFrom('audit_blocks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const result: Verified = {
    blocks: 0,
    entries: 0,
    removed: { months: [], entries: 0 },
    unsealed,
  }
  const seen = { months: new Set<string>(), seal: false }
  let before: Pick<Block, 'no' | 'hash'> = { no: 0, hash: Buffer.alloc(32) }
  for (;;) {
    const blocks = await blocksAfter(db, before.no)
    if (blocks.length === 0) break
    const contents = await readBlockContents(db, blocks)
    for (const [at, block] of blocks.entries()) {
      const isRemoved =
        block.table_name === 'access_log' &&
        removedMonths.has(block.month) &&
        contents.get(block.no)!.count === 0
      const next = blocks[at + 1] ?? (await blocksAfter(db, block.no, 1))[0]
      const fault = findFault(block, before, contents.get(block.no)!, isRemoved, next)
      if (fault) return { ...result, fault }
      before = block
      result.blocks += 1
      result.newest = block
      if (isRemoved) {
        result.removed.entries += block.count
        seen.months.add(block.month)
      } else result.entries += block.count
      seen.seal ||= block.hash.toString('hex') === seal?.hash && block.no === (seal.no ?? block.no)
    }
    onProgress?.(result.blocks, total)
  }
  result.removed.months = [...seen.months]
  const fault = faultOfEnd(before.no, atLeast, seen.seal ? undefined : seal)
  return { ...result, ...(fault && { fault }) }
}

type Contents = { no: number; count: number; hash: Buffer }

function findFault(
  block: Block,
  before: { no: number; hash: Buffer },
  { count, hash }: Contents,
  isRemoved: boolean,
  next: Block | undefined,
): Fault | undefined {
  if (block.no !== before.no + 1)
    return { is: 'blocks missing', from: before.no + 1, to: block.no - 1, next: block }
  if (!block.previous.equals(before.hash)) return { is: 'block changed', block }
  if (isRemoved || block.hash.equals(hash)) return undefined
  if (count < block.count) return { is: 'entries missing', block, number: block.count - count }
  if (count > block.count) return { is: 'entries added', block, number: count - block.count }
  // the next block still knows the hash of the entries
  return { is: next?.previous.equals(hash) ? 'block changed' : 'entry changed', block }
}

function faultOfEnd(newest: number, atLeast: number, seal: Expected['seal']): Fault | undefined {
  const no = Math.max(atLeast, seal?.no ?? 0)
  if (no > newest) return { is: 'cut off', no, newest }
  if (!seal) return undefined
  return seal.no === undefined ? { is: 'hash unknown' } : { is: 'rewritten', no: seal.no }
}

async function blocksAfter(db: Kysely<DB>, no: number, limit = BATCH): Promise<Block[]> {
  const rows = await db
    .selectFrom('audit_blocks')
    .selectAll()
    .select(sql<string>`to_char(month, 'YYYY-MM')`.as('month'))
    .where('no', '>', no)
    .orderBy('no')
    .limit(limit)
    .execute()
  return rows as Block[]
}

/** By the number of the block: how many entries there are in its bounds, and the hash that follows from them. */
async function readBlockContents(db: Kysely<DB>, blocks: Block[]): Promise<Map<number, Contents>> {
  const found = new Map<number, Contents>()
  for (const trail of TRAIL_NAMES) {
    const type = sql.raw(ID_TYPE[trail])
    const own = blocks.filter((block) => block.table_name === trail)
    const { rows } = await sql<Contents>`
      select block.no, entries.count, ${sql.raw(blockHashSql('block', "coalesce(digests, '')"))} as hash
      from audit_blocks block
        left join lateral (
          select epoch, xid, id from audit_blocks b
          where b.table_name = block.table_name and b.no < block.no
          order by b.no desc limit 1) before on true
        cross join lateral (
          select count(*) as count,
            string_agg(${sql.raw(digestSql(trail))}, '' order by epoch, xid, id) as digests
          from ${sql.table(trail)}
          where (epoch, xid, id) > (coalesce(before.epoch, -1), coalesce(before.xid, '0'),
              coalesce(before.id, ${LOWEST_ID[trail]})::${type})
            and (epoch, xid, id) <= (block.epoch, block.xid, block.id::${type})) entries
      where block.no = any(${own.map(({ no }) => no)}::bigint[])`.execute(db)
    for (const row of rows) found.set(row.no, row)
  }
  return found
}

/** Months of the access log that were removed by retention, according to the audit trail. */
async function monthsRemoved(db: Kysely<DB>): Promise<Set<string>> {
  const rows = await db
    .selectFrom('audit_log')
    .select(sql<string>`changes -> 'month' ->> 0`.as('month'))
    .where('action', '=', 'audit.removeExpired')
    .where('table_name', '=', 'access_log')
    .execute()
  return new Set(rows.map(({ month }) => month))
}

async function countUnsealed(db: Kysely<DB>): Promise<Verified['unsealed']> {
  const of = async (trail: Trail) => {
    const { rows } = await sql<{ count: number; oldest: Date | null }>`
      select count(*), min(at) as oldest from ${sql.table(trail)}
      where (epoch, xid, id) > (
        select epoch, xid, id::${sql.raw(ID_TYPE[trail])} from (
          (select no, epoch, xid, id from audit_blocks where table_name = ${trail} order by no desc limit 1)
          union all select 0, -1, '0', ${LOWEST_ID[trail]}
          order by no desc limit 1) last)`.execute(db)
    return rows[0]!
  }
  return { audit_log: await of('audit_log'), access_log: await of('access_log') }
}
