import { type Kysely, sql } from 'kysely'
import { toString as qrCode } from 'qrcode'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import { env } from '~/server/env'
import { listenerUrls } from '~/server/hub/addresses'
import { hubIdentity } from '~/server/hub/hub.server'
import { hubListener } from '~/server/hub/listener.server'
import { type Context, mutation, NoInput, query, signedIn } from '~/server/operation'
import { isSuperAdmin } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { LANGUAGES } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { lockBoth } from '../users/reach.server'
import { mayManage } from '../users/reach'
import { HubPhoneId, SwitchHub } from './hub'

const STEPS = ['hub.step1', 'hub.step2', 'hub.step3', 'hub.step4'] as const

/** Phones that have not come for this long are not counted as in use. */
const IN_USE_DAYS = 30

/**
 * The hub for phones on the clinic's own network: whether it is on, where it is reached, what phones scan for each
 * address, and why it cannot be reached if it should.
 */
export const getHub = query('hub.get', {
  reads: ['hub', 'hub_phones'],
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const hub = await loadHubState(db)
    const { host, port, problem } = { host: env().hubHost, ...hubListener() }
    const codes = hub.urls.map(async (url) => {
      const code = { type: 'sync_hub', url, id: hub.hubId, pk: hub.publicKey }
      return { url, svg: await qrCode(JSON.stringify(code), { type: 'svg', margin: 2 }) }
    })
    return {
      ...hub,
      isListening: port !== null,
      problem,
      host,
      port: port ?? env().hubPort,
      codes: await Promise.all(codes),
      phones: await phonesInUse(db),
      sheet: LANGUAGES.map((language) => ({
        language,
        title: sentence(language, { key: 'settings.phonesSteps' }),
        steps: STEPS.map((key) => sentence(language, { key })),
      })),
    }
  },
})

/** Every process opens or closes its listener as soon as this is committed. */
export const saveHub = mutation('hub.save', {
  input: SwitchHub,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx, { enabled }) {
    const before = await ctx.db
      .selectFrom('hub')
      .select(['id', 'enabled'])
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (before.enabled !== enabled) {
      await ctx.db.updateTable('hub').set({ enabled }).execute()
      const changes = { enabled: [before.enabled, enabled] }
      await audit(ctx, { action: 'hub.save', table: 'hub', recordId: before.id, changes })
    }
    return loadHubState(ctx.db)
  },
})

/**
 * Refuses a phone from now on, with whatever key. Its token ends, and the app password that it signed in with. Someone
 * who knows the account's password can sign in with another phone.
 */
export const revokeHubPhone = mutation('hub.revoke', {
  input: HubPhoneId,
  allow: signedIn,
  async run(ctx, { id }) {
    const phone = await managedPhone(ctx, id)
    const now = sql<Date>`clock_timestamp()`
    await ctx.db
      .updateTable('hub_phones')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute()
    if (phone.app_password_id)
      await ctx.db
        .updateTable('app_passwords')
        .set({ revoked_at: now })
        .where('id', '=', phone.app_password_id)
        .where('revoked_at', 'is', null)
        .execute()
    else
      await ctx.db
        .updateTable('sessions')
        .set({ expires_at: now })
        .where('user_id', '=', phone.user_id)
        .where('kind', '=', 'token')
        .where('expires_at', '>', now)
        .execute()
    await audit(ctx, { action: 'hub.revoke', ...about(phone, [null, phone.address]) })
    return { id }
  },
})

/** Lets a revoked phone shake hands again; its user signs in on it. */
export const allowHubPhone = mutation('hub.allow', {
  input: HubPhoneId,
  allow: signedIn,
  async run(ctx, { id }) {
    const phone = await managedPhone(ctx, id)
    await ctx.db.updateTable('hub_phones').set({ revoked_at: null }).where('id', '=', id).execute()
    await audit(ctx, { action: 'hub.allow', ...about(phone, [phone.address, null]) })
    return { id }
  },
})

async function loadHubState(db: Kysely<DB>) {
  const { id, enabled, keys } = await hubIdentity(db)
  const port = hubListener().port ?? env().hubPort
  return {
    enabled,
    urls: enabled ? listenerUrls(env().hubHost, port) : [],
    hubId: id,
    publicKey: keys.publicKey.toString('base64url'),
  }
}

async function phonesInUse(db: Kysely<DB>): Promise<number> {
  const { count } = await db
    .selectFrom('hub_phones')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where(
      'last_seen_at',
      '>',
      sql<Date>`clock_timestamp() - make_interval(days => ${IN_USE_DAYS})`,
    )
    .executeTakeFirstOrThrow()
  return count
}

/** The phone, if the actor manages its user or is its user. Throws `not_found` otherwise. */
async function managedPhone(ctx: Context, id: string) {
  const phone = await ctx.db
    .selectFrom('hub_phones')
    .select(['id', 'user_id', 'app_password_id', 'last_address as address'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const people = phone && (await lockBoth(ctx, phone.user_id))
  const isManaged =
    phone?.user_id === ctx.actor.userId || (people?.them && mayManage(people.me, people.them))
  if (!phone || !isManaged) throw notFound('hub.phoneNotFound')
  return phone
}

const about = ({ user_id }: { user_id: string }, hub_phone: (string | null)[]) => ({
  table: 'users',
  recordId: user_id,
  changes: { hub_phone },
})
