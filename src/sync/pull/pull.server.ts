import { sql } from 'kysely'
import type pg from 'pg'
import { pool } from '~/db/db.server'
import { asPrepared } from '~/db/kept'
import { knownBrowser } from '~/features/office/sessions/passwords/known-browser.server'
import { countUnknownNumber } from '~/features/office/sessions/passwords/throttle.server'
import { recordNow } from '~/server/access-log'
import { letCallsGoFirst, longTurn } from '~/server/admission.server'
import type { Context } from '~/server/operation'
import { hashToken } from '~/server/secret.server'
import { newId } from '~/shared/id'
import { isOfPatient } from '../schema/scope'
import { allTables, type SyncTable, type TableName } from '../schema/tables'
import { copyTexts } from './copy.server'
import { isOtherWay } from '../schema/other-way'
import { isUnpulledChain } from '../schema/unpulled'
import type { Plan, PullInput, SecondCode } from './plan'
import { deletingTablesSql } from './deleting-tables'
import { loadPullPlan } from './plan.server'
import {
  changedTablesSql,
  deletedIdsSql,
  deletedRowsSql,
  isSentWhole,
  patientsSql,
  rowsSql,
} from './pull-sql'
import { Spool } from './spool.server'

/**
 * Everything that a device needs since its last pull, as JSON. It is read in one snapshot, so that
 * no concurrent commit is skipped: the next pull begins where this snapshot ends. A long answer is
 * sent while it is being read; its last value is the number of the pull, without which the device
 * discards the answer.
 */
export async function pull(
  ctx: Context,
  input: PullInput,
  reader: AbortSignal,
  form: PullForm = SYNC_PULL,
): Promise<Spool> {
  const { userId } = ctx.actor
  const spool = new Spool({ reader, user: userId })
  const work = async () => {
    reader.throwIfAborted()
    await writeAnswer(ctx, input, spool, form)
  }
  longTurn(
    'pulls',
    userId,
    reader,
  )(work).then(
    () => spool.end(),
    (error: unknown) => spool.fail(error),
  )
  await spool.begun()
  return spool
}

/** How the answer begins, and the list that holds its live rows. */
type PullForm = { head: string; list: (input: PullInput) => List }
type List = 'created' | 'updated'

/**
 * A row in `created` would undo a deletion that the device has not sent yet; an empty device has
 * none, and logs an error for each unknown row in `updated`.
 */
const SYNC_PULL: PullForm = {
  head: '{"success":true,"changes":{',
  list: ({ lastPulledAt, secondCode }) =>
    lastPulledAt === 0 && !secondCode ? 'created' : 'updated',
}
/**
 * The app's forced download skips rows in `updated` that it does not hold, and reports them as
 * applied.
 */
export const FORCED_PULL: PullForm = { head: '{"changes":{', list: () => 'created' }

async function writeAnswer(ctx: Context, sent: PullInput, spool: Spool, form: PullForm) {
  const secondCode = sent.lastPulledAt === 0 ? await readSecondWayState(ctx) : null
  const input = { ...sent, secondCode }
  const answer = { head: form.head, list: form.list(input) }
  let recorded: Promise<void> | undefined
  const { plan, chainId, rows } = await inSnapshot(async (client) => {
    const pullPlan = await loadPullPlan(client, ctx.actor, input)
    if (isGuess(pullPlan, input))
      await countUnknownNumber(ctx.db, ctx.actor.userId, input.lastPulledAt)
    const ownChainId = pullPlan.chainId ?? newId()
    const record = (patientIds: string[]) => {
      if (patientIds.length === 0) return
      recorded = recordNow(fromPhone(ctx, ownChainId), {
        operation: 'sync.pull',
        patientIds,
        clinicId: ctx.actor.clinicId,
      })
      // awaited below, unless reading fails first
      recorded.catch(() => {})
    }
    return {
      plan: pullPlan,
      chainId: ownChainId,
      rows: await writeChanges(client, pullPlan, ctx.actor.userId, { spool, record, ...answer }),
    }
  })
  // the phone discards the answer without its last value
  const [number] = await Promise.all([rememberPull(ctx, plan, chainId, rows, input), recorded])
  await spool.write(`,"timestamp":${number}}`)
}

/** A number of no phone, of no former server, and not of the time that a restore has lost. */
const isGuess = ({ chainId, formerAt, withheld }: Plan, { lastPulledAt }: PullInput) =>
  chainId === null && lastPulledAt > 0 && formerAt === null && withheld !== 'upload'

/** How this phone stands on its other way; null if it has not synced there. */
async function readSecondWayState({ db, actor, request }: Context): Promise<SecondCode | null> {
  if (!request.appPasswordId) return null
  const { rows } = await sql<{ state: SecondCode }>`${asPrepared()}
    select case when exists (
        select from sync_pulls p where p.chain_id = g.id and p.withheld is null)
      then 'current' else 'waits' end as state
    from sync_chains g where ${isOtherWay({ ...request, userId: actor.userId })}
    order by 1 limit 1`.execute(db)
  return rows[0]?.state ?? null
}

/** For the access log: the phone, unless its app password or its key names it. */
const fromPhone = (ctx: Context, chainId: string): Context => {
  const isNamed = ctx.request.appPasswordId || ctx.request.hubPhoneId
  return isNamed ? ctx : { ...ctx, request: { ...ctx.request, chainId } }
}

async function inSnapshot<R>(read: (client: pg.ClientBase) => Promise<R>): Promise<R> {
  const client = await pool().connect()
  let failure: unknown
  try {
    await client.query(
      `begin isolation level repeatable read read only;
       set local statement_timeout = 0; set local datestyle = 'ISO, YMD'`,
    )
    const result = await read(client)
    await client.query('commit')
    return result
  } catch (error) {
    failure = error
    throw error
  } finally {
    // the state of a connection that failed half-way is unknown: it is closed
    client.release(Boolean(failure))
  }
}

type Answer = {
  spool: Spool
  head: string
  list: List
  /** Begins to record the patients of the live rows, which does not wait for the rows to be sent. */
  record: (patientIds: string[]) => void
}

/** Returns the number of rows and ids written. */
async function writeChanges(
  client: pg.ClientBase,
  plan: Plan,
  userId: string,
  { spool, head, list, record }: Answer,
): Promise<number> {
  const mayHaveChanges = await changedTables(client, plan)
  const mayDelete = await deletingTables(client, plan, mayHaveChanges)
  const isWhole = plan.since === null && !plan.sendsNothing
  // those in scope: the other rows of a whole copy name no other patients
  if (isWhole) record(await loadPulledPatientIds(client, ['patients'], plan, userId))
  let rows = 0
  const patients = new Set<string>()
  const upgraded: TableName[] = []
  await spool.write(head)
  for (const [at, [name, table]] of allTables.entries()) {
    const queries = mayHaveChanges(name, table)
      ? queriesByList(name, plan, userId, { list, mayDelete: mayDelete(name, table) })
      : {}
    await spool.write(`${at === 0 ? '' : ','}"${name}":{`)
    for (const part of ['created', 'updated', 'deleted'] as const) {
      await spool.write(`${part === 'created' ? '' : ','}"${part}":[`)
      rows += await writeList(client, queries[part] ?? [], patients, { spool, userId })
      await spool.write(']')
    }
    if (queries[list] && isSentWhole(name, plan)) upgraded.push(name)
    await spool.write('}')
  }
  await spool.write('}')
  if (isWhole) return rows
  for (const id of await loadPulledPatientIds(client, upgraded, plan, userId)) patients.add(id)
  record([...patients])
  return rows
}

async function loadPulledPatientIds(
  client: pg.ClientBase,
  tables: TableName[],
  plan: Plan,
  userId: string,
): Promise<string[]> {
  if (tables.length === 0) return []
  // one text: the driver takes longer to read an array than PostgreSQL to find it
  const { rows } = await client.query<{ ids: string | null }>(
    `select string_agg(id::text, ',') as ids from (${patientsSql(tables, plan, userId)}) shown (id)`,
  )
  return rows[0]?.ids?.split(',') ?? []
}

type Queries = Partial<Record<List | 'deleted', string[]>>

/** The queries of each list of a table. Deleted rows are always in `updated`. */
function queriesByList(
  name: TableName,
  plan: Plan,
  userId: string,
  { list, mayDelete }: { list: List; mayDelete: boolean },
): Queries {
  const rows = [rowsSql(name, plan, userId)]
  const some = (query: string | null) => (mayDelete && query ? [query] : [])
  const deletedRows = some(deletedRowsSql(name, plan, userId))
  const deleted = some(deletedIdsSql(name, plan, userId))
  return list === 'created'
    ? { created: rows, updated: deletedRows, deleted }
    : { updated: [...rows, ...deletedRows], deleted }
}

/** Each text of the queries begins with a comma; the first one loses it. */
async function writeList(
  client: pg.ClientBase,
  queries: readonly string[],
  patients: Set<string>,
  { spool, userId }: { spool: Spool; userId: string },
): Promise<number> {
  let isFirst = true
  let rows = 0
  for (const query of queries)
    rows += await copyTexts(client, query, patients, async (bytes) => {
      await letCallsGoFirst(userId)
      await spool.write(isFirst ? bytes.subarray(1) : bytes)
      isFirst = false
    })
  return rows
}

type OfTable = (name: TableName, table: SyncTable) => boolean

/** Whether a table can have anything to send; a pull without changes reads no other table. */
async function changedTables(client: pg.ClientBase, plan: Plan): Promise<OfTable> {
  if (plan.sendsNothing) return () => false
  if (plan.since === null || plan.departures === 'all') return () => true
  const { rows } = await client.query<{ table_name: string }>(changedTablesSql(plan))
  const changed = new Set(rows.map(({ table_name }) => table_name))
  return (name, table) =>
    changed.has(name) ||
    plan.upgraded.includes(name) ||
    (changed.has('patient_links') && isOfPatient(table)) ||
    // computed from the clinics
    (name === 'user_clinic_permissions' && plan.scope.everything && changed.has('clinics'))
}

/** Whether rows of a table may have to be deleted or hidden; only pulls of changes are asked about. */
async function deletingTables(
  client: pg.ClientBase,
  plan: Plan,
  mayHaveChanges: OfTable,
): Promise<OfTable> {
  const { since, departures, chainId } = plan
  if (since === null || departures === 'all' || chainId === null) return () => true
  const changed = allTables.filter(([name, table]) => mayHaveChanges(name, table))
  if (changed.length === 0) return () => false
  const { rows } = await client.query<{ name: string }>(
    deletingTablesSql(
      changed.map(([name]) => name),
      plan,
    ),
  )
  const deleting = new Set(rows.map(({ name }) => name))
  return (name, table) =>
    deleting.has(name) ||
    plan.upgraded.includes(name) ||
    (deleting.has('patient_links') && isOfPatient(table))
}

/**
 * Records the pull in one statement. Returns its number, which the device sends with its next pull.
 */
async function rememberPull(
  { db, actor, request }: Context,
  plan: Plan,
  chainId: string,
  rows: number,
  input: PullInput,
): Promise<number> {
  const sender = { ...request, userId: actor.userId }
  const cookie = knownBrowser(request.headers, actor.userId)
  const cookieHash = sql`${cookie && hashToken(cookie)}::bytea`
  const agent = (request.headers.get('user-agent') ?? '').slice(0, 300)
  const values = sql`${actor.userId}::uuid, ${input.schemaVersion}::integer, ${agent},
    ${request.address}, clock_timestamp(), ${request.appPasswordId ?? null}::uuid,
    ${request.hubPhoneId ?? null}::uuid`
  // The user of an empty device has seen nothing before this pull. Through the hub, the next pull says that this one
  // has arrived, and the phone may have synced over a public address before.
  const isEmpty = input.lastPulledAt === 0 && !input.secondCode && !request.hubPhoneId
  const base = isEmpty ? sql`number.id` : sql`null`
  const chain = plan.chainId
    ? sql`update sync_chains
        set (user_id, schema_version, user_agent, address, last_pull_at, app_password_id,
            hub_phone_id) = (select ${values}),
          rows_pulled = rows_pulled + ${rows}, cookie_hash = coalesce(${cookieHash}, cookie_hash)
        where id = ${chainId} returning id, base_pull, base_before`
    : sql`insert into sync_chains (id, user_id, schema_version, user_agent, address, last_pull_at,
          app_password_id, hub_phone_id, rows_pulled, cookie_hash, base_pull, base_before, former_at,
          refused_bytes, refused_at)
        select ${chainId}::uuid, ${values}, ${rows}::bigint, ${cookieHash}, ${base}, ${base},
          ${plan.formerAt}::bigint, refused.bytes, refused.at
        from number left join (select max(bytes) as bytes, max(at) as at from cleared) refused on true
        returning id, base_pull, base_before`
  const { rows: pulls } = await sql<{ id: number }>`${asPrepared()}
    with number as materialized (select next_pull_number() as id),
      -- an upload of this phone that was refused before its first pull
      cleared as (update sync_chains c set refused_bytes = null, refused_at = null
        from (select id, refused_bytes as bytes, refused_at as at from sync_chains
          where ${plan.chainId === null} and refused_at is not null and ${isUnpulledChain(sender)}) old
        where c.id = old.id returning old.bytes, old.at),
      chain as (${chain}),
      -- pulls that the device can no longer name; those of another user stay, who may have another phone
      forgotten as (delete from sync_pulls p using chain c
        where p.chain_id = c.id and p.user_id = ${actor.userId} and p.ordinal < (
          select min(k.ordinal) from sync_pulls k
          where k.chain_id = c.id and ${plan.cursor}::bigint is not null
            and k.id in (${plan.cursor}, c.base_pull, c.base_before)))
    insert into sync_pulls (id, chain_id, user_id, snapshot, gone_snapshot, removed_snapshot, scope,
      held, withheld, schema_version, made_from)
    select number.id, chain.id, ${actor.userId}, ${plan.snapshot}::pg_snapshot,
      ${plan.departuresUntil}::pg_snapshot, ${plan.removalsUntil}::pg_snapshot, ${JSON.stringify(plan.scope)},
      ${JSON.stringify(plan.heldAfter)}, ${plan.withheld}, ${input.schemaVersion}::integer, ${input.lastPulledAt}
    from number, chain returning id`.execute(db)
  return pulls[0]!.id
}

/**
 * The newest pull that this phone made from that number. Through the hub, the app names the same number in a pull and
 * in the push that follows it, and not the answer's. Null for other requests.
 */
export async function pullMadeFrom({ db, actor, request }: Context, from: number) {
  if (!request.hubPhoneId) return null
  const found = await db
    .selectFrom('sync_pulls as p')
    .innerJoin('sync_chains as c', 'c.id', 'p.chain_id')
    .select('p.id')
    .where('c.hub_phone_id', '=', request.hubPhoneId)
    .where('p.user_id', '=', actor.userId)
    .where('p.made_from', '=', from)
    .orderBy('p.ordinal', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.id ?? null
}
