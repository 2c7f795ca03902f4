import { keysIn } from '~/shared/object'
/** The tables that are sealed, with what their seals cover, in this order. */
export const TRAILS = {
  audit_log: [
    'id',
    'at',
    'user_id',
    'action',
    'via',
    'request_id',
    'table_name',
    'record_id',
    'patient_id',
    'clinic_id',
    'changes',
    'xid',
    'epoch',
  ],
  access_log: [
    'id',
    'at',
    'user_id',
    'via',
    'operation',
    'patient_ids',
    'clinic_id',
    'outcome',
    'count',
    'request_id',
    'xid',
    'epoch',
    'app_password_id',
    'hub_phone_id',
    'chain_id',
  ],
} as const
export type Trail = keyof typeof TRAILS
export const TRAIL_NAMES = keysIn(TRAILS)

/** The type of `id`, by which entries of one transaction are ordered. */
export const ID_TYPE = { audit_log: 'bigint', access_log: 'uuid' } as const satisfies Record<
  Trail,
  string
>
/**
 * Columns that were added to a table with sealed entries, those of one migration together: without a value among them,
 * the digest is that of before. Each list has another length, so that no two entries have one text.
 */
const ADDED: readonly (readonly string[])[] = [['app_password_id', 'hub_phone_id'], ['chain_id']]

/** Below every id. */
export const LOWEST_ID = {
  audit_log: '-1',
  access_log: '00000000-0000-0000-0000-000000000000',
} as const satisfies Record<Trail, string>

/**
 * SQL for SHA-256 of an entry: its columns as one JSON array, times as seconds since 1970. JSON does not
 * depend on settings of the session, and `jsonb` has one text for each value.
 */
export function digestSql(trail: Trail): string {
  const first = TRAILS[trail].filter((column) => !ADDED.flat().includes(column))
  const columns = first.map((column) => {
    if (column === 'at') return 'extract(epoch from at)::text'
    return column === 'xid' ? 'xid::text' : column
  })
  const covered: readonly string[] = TRAILS[trail]
  const rest = ADDED.filter((added) => added.every((column) => covered.includes(column))).map(
    (added) =>
      ` || case when num_nonnulls(${added.join()}) = 0 then '[]' else jsonb_build_array(${added.join()}) end`,
  )
  const whole = `jsonb_build_array('${trail}', ${columns.join(', ')})${rest.join('')}`
  return `sha256(convert_to((${whole})::text, 'UTF8'))`
}

/**
 * SQL for the hash of a block: SHA-256 over the block's own columns, the hash before it, and the digests of
 * its entries. `digests`: SQL for these, one after the other.
 */
export const blockHashSql = (block: string, digests: string) => `
  sha256(convert_to(jsonb_build_array(
    ${block}.no, ${block}.table_name, ${block}.epoch, ${block}.xid::text, ${block}.id,
    extract(epoch from ${block}.month)::text, extract(epoch from ${block}.first_at)::text,
    extract(epoch from ${block}.last_at)::text, ${block}.count, extract(epoch from ${block}.sealed_at)::text,
    encode(${block}.previous, 'hex'))::text, 'UTF8')
  || ${digests})`

/** A block as it is printed: `<number>-<hash>`. */
export const sealText = ({ no, hash }: { no: number; hash: Buffer }) =>
  `${no}-${hash.toString('hex')}`
