import { sql } from 'kysely'
import type { Phone } from '../phone'
import type { Chance } from './chance'
import { TABLES } from './phone-steps'
import type { World } from './world'
import { destroyedBy } from './checks'

type Hooks = NonNullable<Parameters<Phone['sync']>[0]>
const cut = new Error('cut')
const lose = () => Promise.reject(cut)

/** A sync over a line that works. */
export async function sync(world: World, phone: Phone) {
  await syncWatched(world, phone)
  return 'syncs'
}

/** Notes each edit that was not sent and that the pull destroys with its record. */
export const syncWatched = (world: World, phone: Phone) =>
  phone.sync({
    async onPull(send) {
      const answer = await send()
      if (answer.status === 200)
        world.destroyed.push(...(await destroyedBy(world, phone, answer.body)))
      return answer
    },
  })

/** Lines break before, in the middle and after. */
const breaks: Record<string, Hooks> = {
  'before the pull': { onPull: lose },
  'after the pull': { onPull: async (send) => (await send(), lose()) },
  'before the push': { onPush: lose },
  'after the push': { onPush: async (send) => (await send(), lose()) },
}

export async function syncCut(_world: World, phone: Phone, random: Chance) {
  const where = random.one(Object.keys(breaks))!
  await attempt(phone, breaks[where]!)
  return `is cut off ${where}`
}

/** The same push comes again after others have worked, and changes nothing more. */
export async function pushAgain(
  world: World,
  phone: Phone,
  random: Chance,
  others: (world: World, random: Chance) => Promise<string>,
) {
  let between = ''
  await attempt(phone, {
    async onPush(send) {
      await send()
      between = await others(world, random)
      const before = await trailOf(world)
      const answer = await send()
      if ((await trailOf(world)) !== before)
        throw new Error(`A repeated push changed something (after: ${between})`)
      return answer
    },
  })
  return `pushes twice, and meanwhile: ${between}`
}

/** Signing in is written down, too, and no push. */
async function trailOf({ db }: World): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) from audit_log where action = 'sync.push'`.execute(db)
  return rows[0]!.count
}

/**
 * The app's forced upload: everything that it holds, without a word on what was changed, after a
 * pull of its choice.
 */
export async function forceUpload(_world: World, phone: Phone, random: Chance) {
  const changes: Record<string, object> = {}
  for (const table of TABLES) {
    const updated = (await phone.all(table)).map((row) => ({
      ...row,
      _status: 'synced',
      _changed: '',
    }))
    changes[table] = { created: [], updated, deleted: [] }
  }
  const last_pulled_at = random.happens(0.5) ? (phone.lastPull?.timestamp ?? 0) : 0
  const call = JSON.stringify({
    command: 'sync_push',
    data: { changes, lastPulledAt: last_pulled_at },
  })
  const { status, body } = await phone.request('POST', '/rpc/command', call)
  if (status !== 200) throw new Error(`sync_push: ${status} ${body}`)
  return `uploads everything: ${body}`
}

/** Where a push or a pull stands when the power goes: what it wants to write next. */
const MOMENTS = ['sync_chains', 'sync_rows', 'audit_log', 'sync_pushes', 'sync_pulls']

export async function syncKilled(world: World, phone: Phone, random: Chance) {
  const { server } = world
  const said = await syncStruck(world, phone, random, () => server.kill())
  if (said) await server.start()
  return said ? `${said}: the server is killed` : 'has nothing to send'
}

/** PostgreSQL dies under the request, and is there again; the server goes on. */
export async function syncDisconnected(world: World, phone: Phone, random: Chance) {
  const said = await syncStruck(world, phone, random, () => world.server.disconnect())
  return said ? `${said}: PostgreSQL ends every connection` : 'has nothing to send'
}

/** A sync whose answer never comes, because of what happens meanwhile. Undefined where nothing was to be sent. */
async function syncStruck(
  world: World,
  phone: Phone,
  random: Chance,
  happens: () => Promise<void>,
) {
  const { server } = world
  const [moment, part] = [random.one(MOMENTS)!, random.happens(0.25) ? 'onPull' : 'onPush'] as const
  const before = await pushesOf(world)
  let isStruck = false
  await attempt(phone, {
    [part]: async (send: () => Promise<never>) => {
      isStruck = true
      await server.during(moment, send, happens)
      return lose()
    },
  })
  if (!isStruck) return undefined
  // it was applied, although its answer was lost
  if (part === 'onPush' && (await pushesOf(world)) > before) phone.sent.push(phone.attempted)
  return `${part} at ${moment}`
}

const pushesOf = async ({ db }: World) => {
  const { rows } = await sql<{
    last: number
  }>`select coalesce(max(id), 0) as last from sync_pushes`.execute(db)
  return rows[0]!.last
}

async function attempt(phone: Phone, hooks: Hooks) {
  await phone.sync(hooks).catch((error: unknown) => {
    if (error !== cut) throw error
  })
}
