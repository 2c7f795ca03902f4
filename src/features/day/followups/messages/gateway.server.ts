import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import { isForbiddenUrl } from '~/server/network.server'
import { mutation, NoInput, query } from '~/server/operation'
import { requestJson, basicCredentials, RequestFailure } from '~/server/outgoing.server'
import { sealSecret, unsealSecret } from '~/server/secret.server'
import { isSuperAdmin } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import type { Gateway } from './adapters.server'
import { SaveGateway } from './gateway'

const PURPOSE = 'password of another server'
/** Bound to the encrypted secret. */
const OWNER = 'message_gateway'

/** The gateway for text messages. The secret is never answered. */
export const getGateway = query('messageGateway.get', {
  reads: ['message_gateway'],
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const stored = await db.selectFrom('message_gateway').selectAll().executeTakeFirst()
    if (!stored) return null
    const { kind, address, username, country_code, sealed_secret, last_modified } = stored
    return {
      kind,
      address,
      username,
      country_code,
      hasSecret: sealed_secret !== null,
      last_modified,
    }
  },
})

/** The stored secret goes only to the address and user that it was typed for. */
export const saveGateway = mutation('messageGateway.save', {
  input: SaveGateway,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx, { kind, address, secret, country_code, ...given }) {
    const { db } = ctx
    const username = kind === 'android' ? given.username : null
    if (isForbiddenUrl(new URL(address)))
      throw invalid({ address: { key: 'messages.error_refused_address' } })
    const stored = await db.selectFrom('message_gateway').selectAll().forUpdate().executeTakeFirst()
    const isSame =
      stored?.kind === kind && stored.address === address && stored.username === username
    if (secret === null && !(isSame && stored.sealed_secret))
      throw invalid({
        secret: { key: stored ? 'messageGateway.secretAgain' : 'validation.required' },
      })
    const sealed_secret =
      secret === null ? stored!.sealed_secret : sealSecret(OWNER, Buffer.from(secret), PURPOSE)
    const values = {
      kind,
      address,
      username,
      country_code,
      sealed_secret,
      last_modified: new Date(),
    }
    await db
      .insertInto('message_gateway')
      .values(values)
      .onConflict((conflict) => conflict.column('is_the_one').doUpdateSet(values))
      .execute()
    await audit(ctx, {
      action: 'messageGateway.save',
      table: 'message_gateway',
      changes: {
        kind: [stored?.kind ?? null, kind],
        address: [stored?.address ?? null, address],
        username: [stored?.username ?? null, username],
        country_code: [stored?.country_code ?? null, country_code],
        ...(secret !== null && { secret: [null, '•••'] }),
      },
    })
    return { kind, address, username, country_code, hasSecret: true }
  },
})

/** Nothing more is sent; what is waiting fails at once. */
export const deleteGateway = mutation('messageGateway.delete', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx) {
    const deleted = await ctx.db
      .deleteFrom('message_gateway')
      .returning('address')
      .executeTakeFirst()
    if (deleted) {
      await stopWaiting(ctx.db)
      await audit(ctx, {
        action: 'messageGateway.delete',
        table: 'message_gateway',
        changes: { address: [deleted.address, null] },
      })
    }
    return { wasThere: deleted !== undefined }
  },
})

/** Not the message of which an attempt runs: the queue settles it. What the gateway has cannot be asked for again. */
const stopWaiting = (db: Kysely<DB>) =>
  sql`
  update messages set due_at = null,
    state = case state when 'queued' then 'failed' else state end,
    error = case when state <> 'queued' then error
      when gateway is null then 'no_gateway' else 'gateway_changed' end,
    state_at = case state when 'queued' then clock_timestamp() else state_at end
  where state in ('queued', 'sent') and coalesce(leased_until < clock_timestamp(), true)`.execute(
    db,
  )

/** Signs in at the phone and sends nothing: it does not know a new id. A webhook answers no question. */
export const checkGateway = query('messageGateway.check', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const gateway = await configuredGateway(db)
    if (!gateway) return { error: 'no_gateway' as const }
    if (gateway.kind !== 'android') return { error: null }
    try {
      const { status } = await requestJson(
        {
          method: 'GET',
          url: new URL(`${gateway.address}/message/${randomUUID()}`),
          headers: { authorization: basicCredentials(gateway.username ?? '', gateway.secret) },
        },
        15_000,
      )
      if (status === 404) return { error: null }
      const isUnauthorized = status === 401 || status === 403
      return { error: isUnauthorized ? ('unauthorized' as const) : ('unreadable' as const) }
    } catch (error) {
      if (error instanceof RequestFailure) return { error: error.failure }
      throw error
    }
  },
})

export type ConfiguredGateway = Gateway & { country: string }

/** Null if none is configured, or its secret cannot be read with this key. */
export async function configuredGateway(db: Kysely<DB>): Promise<ConfiguredGateway | null> {
  const stored = await db.selectFrom('message_gateway').selectAll().executeTakeFirst()
  if (!stored?.sealed_secret) return null
  const { kind, address, username, country_code } = stored
  try {
    const secret = unsealSecret(OWNER, stored.sealed_secret, PURPOSE).toString('utf8')
    return { kind, address, username, secret, country: country_code }
  } catch {
    // restored on a machine with another key: it is typed again
    return null
  }
}
