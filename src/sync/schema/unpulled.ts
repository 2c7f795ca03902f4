import { sql } from 'kysely'

type Sender = {
  userId: string
  appPasswordId?: string | null | undefined
  hubPhoneId?: string | null | undefined
}

/**
 * The row of `sync_chains` that stands for phones of this sender that never pulled. It holds only an upload that was
 * refused, and is not a phone to anything else.
 */
export const isUnpulledChain = ({ userId, appPasswordId, hubPhoneId }: Sender) => sql<boolean>`(
  user_id = ${userId}::uuid and last_pull_at is null
  and app_password_id is not distinct from ${appPasswordId ?? null}::uuid
  and hub_phone_id is not distinct from ${hubPhoneId ?? null}::uuid)`
