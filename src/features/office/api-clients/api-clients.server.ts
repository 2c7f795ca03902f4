import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { lockBoth } from '~/features/office/users/reach.server'
import { mayTakeOver } from '~/features/office/users/reach'
import { qualified } from '~/records/qualified'
import { apiClientRecord } from '~/records/api-client'
import { type Context, mutation, NoInput, type On, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { byName } from '~/server/scope'
import { isAdmin } from '~/shared/actor'
import { AppError, notFound } from '~/shared/errors'
import { ApiClientId, SaveApiClient } from './api-client'
import { checkedAccess } from './public-keys.server'

export type ApiClient = Awaited<ReturnType<typeof listApiClients>>[number]

/** Programs with keys of their own, on one page: an organization has a handful. */
export const listApiClients = query('apiClients.list', {
  reads: ['api_clients', 'users'],
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }) =>
    clients(db)
      .orderBy('api_clients.is_active', 'desc')
      .orderBy(byName('api_clients.name'))
      .orderBy('api_clients.id')
      .limit(1000)
      .execute(),
})

export const getApiClient = query('apiClients.get', {
  reads: ['api_clients', 'users'],
  input: ApiClientId,
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }, { id }) =>
    clients(db)
      .where('api_clients.id', '=', id)
      .executeTakeFirstOrThrow(() => notFound('apiClients.notFound')),
})

const clients = (db: Kysely<DB>) =>
  db
    .selectFrom('api_clients')
    .innerJoin('users', 'users.id', 'api_clients.user_id')
    .select(qualified('api_clients', apiClientRecord.selected))
    .select(['users.name as user', 'users.is_deleted as is_user_deleted'])
    .select(
      sql<Date | null>`(select max(created_at) from sessions where client_id = api_clients.id)`.as(
        'last_token_at',
      ),
    )
    .where('api_clients.is_deleted', '=', false)

type Input = z.output<typeof SaveApiClient>

/**
 * Who registers a key for a user can act as that user: the same rule as for setting the user's password. It holds for
 * the user of a stored program, too, whose keys would be replaced.
 */
const ofOthers: On<Input, object> = {
  permits: isAdmin,
  async rows(ctx, { id, user_id }) {
    const stored = await ctx.db
      .selectFrom('api_clients')
      .select('user_id')
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (stored && stored.user_id !== user_id) await requireTakeOver(ctx, stored.user_id)
    await requireTakeOver(ctx, user_id)
    return {}
  },
}

async function requireTakeOver(ctx: Context, userId: string) {
  const { me, them } = await lockBoth(ctx, userId)
  if (!them) {
    const text = { key: 'users.notFound' } as const
    throw new AppError('invalid', text, { user_id: text })
  }
  if (!isAdmin(me) || !mayTakeOver(me, them)) {
    const text = { key: 'apiClients.userAbove' } as const
    throw new AppError('forbidden', text, { user_id: text })
  }
}

/** Adds a program or changes one. A change ends its tokens. */
export const saveApiClient = mutation('apiClients.save', {
  input: SaveApiClient,
  on: ofOthers,
  run: (ctx, client) => saveRecord(ctx, 'api_clients', { ...client, ...checkedAccess(client) }),
})

/** The program's tokens end at once, and it gets no more of them. */
export const revokeApiClient = mutation('apiClients.revoke', {
  input: ApiClientId,
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }, { id }) =>
    db
      .updateTable('api_clients')
      .set({ is_active: false, updated_at: new Date() })
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .returning(['id', 'last_modified'])
      .executeTakeFirstOrThrow(() => notFound('apiClients.notFound')),
})
