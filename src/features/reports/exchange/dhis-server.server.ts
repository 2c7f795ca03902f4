import type { Kysely } from 'kysely'
import { asObject } from '~/shared/object'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import { RequestFailure } from '~/server/outgoing.server'
import { mutation, NoInput, query } from '~/server/operation'
import { sealSecret, unsealSecret } from '~/server/secret.server'
import { isSuperAdmin } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import { askDhis2, type Dhis2Server } from './dhis-client.server'
import { SaveDhis2Server } from './exchange'
import { isForbiddenUrl } from '~/server/network.server'
import { failureForStatus } from './sending'

const PURPOSE = 'password of another server'
/** Bound to the encrypted secret. */
const OWNER = 'dhis2_server'

/** Where reports are sent. The secret is never answered. */
export const getDhis2Server = query('dhis2.get', {
  reads: ['dhis2_server'],
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const stored = await db.selectFrom('dhis2_server').selectAll().executeTakeFirst()
    if (!stored) return null
    const { address, username, sealed_secret, last_modified } = stored
    return { address, username, hasSecret: sealed_secret !== null, last_modified }
  },
})

/** The stored secret goes only to the address and user that it was typed for. */
export const saveDhis2Server = mutation('dhis2.save', {
  input: SaveDhis2Server,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx, { address, username, secret }) {
    const { db } = ctx
    if (isForbiddenUrl(new URL(address)))
      throw invalid({ address: { key: 'sendings.error_refused_address' } })
    const stored = await db.selectFrom('dhis2_server').selectAll().forUpdate().executeTakeFirst()
    const isSame = stored?.address === address && stored.username === username
    if (secret === null && !(isSame && stored.sealed_secret))
      throw invalid({ secret: { key: stored ? 'dhis2.secretAgain' : 'validation.required' } })
    const sealed_secret =
      secret === null ? stored!.sealed_secret : sealSecret(OWNER, Buffer.from(secret), PURPOSE)
    const values = { address, username, sealed_secret, last_modified: new Date() }
    await db
      .insertInto('dhis2_server')
      .values(values)
      .onConflict((conflict) => conflict.column('is_the_one').doUpdateSet(values))
      .execute()
    await audit(ctx, {
      action: 'dhis2.save',
      table: 'dhis2_server',
      changes: {
        address: [stored?.address ?? null, address],
        username: [stored?.username ?? null, username],
        ...(secret !== null && { secret: [null, '•••'] }),
      },
    })
    return { address, username, hasSecret: true }
  },
})

/** Nothing more is sent; what is queued fails. */
export const deleteDhis2Server = mutation('dhis2.delete', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx) {
    const deleted = await ctx.db.deleteFrom('dhis2_server').returning('address').executeTakeFirst()
    if (deleted)
      await audit(ctx, {
        action: 'dhis2.delete',
        table: 'dhis2_server',
        changes: { address: [deleted.address, null] },
      })
    return { wasThere: deleted !== undefined }
  },
})

/** Signs in at the server and answers the name of the user there, or why that failed. */
export const checkDhis2Server = query('dhis2.check', {
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const server = await configuredServer(db)
    if (!server) return { name: null, error: 'no_server' as const }
    try {
      const answer = await askDhis2(server, { method: 'GET', path: '/api/me?fields=name' }, 15_000)
      const error = failureForStatus(answer.status)
      const { name } = asObject(answer.body)
      if (error) return { name: null, error }
      if (typeof name !== 'string') return { name: null, error: 'unreadable' as const }
      return { name: name.slice(0, 200), error: null }
    } catch (error) {
      if (error instanceof RequestFailure) return { name: null, error: error.failure }
      throw error
    }
  },
})

/** With the secret in plain text; null if no server is configured, or its secret cannot be read with this key. */
export async function configuredServer(db: Kysely<DB>): Promise<Dhis2Server | null> {
  const stored = await db.selectFrom('dhis2_server').selectAll().executeTakeFirst()
  if (!stored?.sealed_secret) return null
  const { address, username } = stored
  try {
    const secret = unsealSecret(OWNER, stored.sealed_secret, PURPOSE).toString('utf8')
    return { address, username, secret }
  } catch {
    // restored on a machine with another key: it is typed again
    return null
  }
}
