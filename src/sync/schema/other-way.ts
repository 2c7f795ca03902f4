import { sql } from 'kysely'

type Sender = {
  userId: string
  appPasswordId?: string | null | undefined
  hubPhoneId?: string | null | undefined
}

/**
 * SQL for "the row `g` of `sync_chains` is the sender's phone on its other way": a phone that has scanned both codes
 * has a chain for the public address and one for the clinic's own network, and only its app password shows that they
 * are one phone. Two chains of one way are two phones, or one that was set up anew.
 */
export const isOtherWay = ({ userId, appPasswordId, hubPhoneId }: Sender) =>
  appPasswordId
    ? sql<boolean>`(g.user_id = ${userId}::uuid and g.app_password_id = ${appPasswordId}::uuid
        and (g.hub_phone_id is null) = ${Boolean(hubPhoneId)}::boolean
        and g.last_pull_at is not null)`
    : sql<boolean>`false`
