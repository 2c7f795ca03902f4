import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a batch can be used on a day: not in quarantine, and usable on its expiry date. `alias` has `expiry_date` and
 * `is_quarantined`. What has no usable batch is out of stock. `barred` says the same of a batch that is read.
 */
export const isUsable = (alias: string, day: RawBuilder<unknown>) =>
  sql<boolean>`(not ${sql.ref(`${alias}.is_quarantined`)} and ${sql.ref(`${alias}.expiry_date`)} >= ${day})`
