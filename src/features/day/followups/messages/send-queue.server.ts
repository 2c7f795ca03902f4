import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { settleFollowUps } from '~/features/care/programs/stale.server'
import { log } from '~/server/log'
import { RequestFailure } from '~/server/outgoing.server'
import { type Adapter, createAdapter } from './adapters.server'
import { dialled } from './gateway'
import { type ConfiguredGateway, configuredGateway } from './gateway.server'
import type { MessageState } from './message'
import {
  EXPIRES_MS,
  secondsOfDay,
  sendableFrom,
  type MessageSendingError,
  messageRetryDelay,
} from './sending'

/** While an attempt runs, other processes leave the message alone; after it they take over from a process that died. */
const LEASE_MS = 5 * 60_000

type Taken = {
  id: string
  /** The record of the patient today, if the message was written to one that was merged since. */
  patient_id: string
  program: string
  channel: string
  phone: string
  body: string
  zone: string
  created_at: Date
  created_on: string
  accepted_at: Date | null
  state: 'queued' | 'sent'
  attempts: number
  /** The gateway that may have it (`gatewayName`). */
  gateway: string | null
}
type Outcome = {
  state: MessageState
  error?: MessageSendingError
  reason?: string
  acceptedAt?: Date
  /** When to send or to ask again. */
  dueAt?: Date | null
  /** Absent: as before the outcome. */
  gateway?: string | null
}

/**
 * Sends what is due, and asks the gateway for the state of what it has taken; one after the other. A queue of its own:
 * a report may be sent twice (`reports/exchange/send-queue.server.ts`), a message is sent again only under its id, or
 * after the gateway was asked.
 */
export async function sendMessages(
  db: Kysely<DB>,
  signal?: AbortSignal,
  now: () => Date = () => new Date(),
): Promise<number> {
  for (let count = 0; ; count += 1) {
    signal?.throwIfAborted()
    const message = await takeNext(db, now())
    if (!message) return count
    const gateway = await configuredGateway(db)
    const outcome = message.accepted_at
      ? await follow(gateway, message, now, signal)
      : await send(db, gateway, message, now, signal)
    await record(db, message, outcome, now())
  }
}

async function takeNext(db: Kysely<DB>, now: Date): Promise<Taken | undefined> {
  const { rows } = await sql<Taken>`
    update messages m set leased_until = ${new Date(now.getTime() + LEASE_MS)}
    where m.id = (
      select id from messages
      where state in ('queued', 'sent') and due_at <= ${now} and coalesce(leased_until <= ${now}, true)
      order by due_at limit 1 for update skip locked)
    returning m.id, living_patient(m.patient_id) as patient_id, m.program, m.channel, m.phone, m.body, m.zone,
      m.created_at, m.created_on, m.accepted_at, m.state, m.attempts, m.gateway`.execute(db)
  return rows[0]
}

async function send(
  db: Kysely<DB>,
  gateway: ConfiguredGateway | null,
  message: Taken,
  now: () => Date,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const at = now()
  const { zone, created_at, attempts, gateway: before } = message
  if (elapsedMs(created_at, at) >= EXPIRES_MS) return { state: 'failed', error: 'expired' }
  const obstacle = await obstacleTo(db, message, gateway, at)
  if (obstacle) return obstacle
  if (!gateway) return { state: 'failed', error: before ? 'gateway_changed' : 'no_gateway' }
  const morning = sendableFrom(at, zone)
  if (morning > at) return { state: 'queued', dueAt: morning }
  // written before the attempt is made: after a crash nobody knows what the gateway received
  const here = gatewayName(gateway)
  const isElsewhere = before !== null && before !== UNKNOWN && before !== here
  await db
    .updateTable('messages')
    .set({ attempts: attempts + 1, ...(!isElsewhere && { gateway: here }) })
    .where('id', '=', message.id)
    .execute()
  try {
    if (isElsewhere) return await findElsewhere(gateway, message, at, signal)
    const adapter = createAdapter(gateway, signal)
    const { id, phone, body } = message
    const toSend = { id, phone, text: body, seconds: secondsOfDay(at, zone) }
    const answer = await adapter.send(toSend, before !== null)
    if (answer.state !== 'failed') return taken(answer.state, adapter, at)
    // the gateway says that it does not have it; to a repeated message, only a refusal says so
    return before === null || answer.error === 'refused' ? { ...answer, gateway: null } : answer
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    const { failure, isConnected } = error
    const kept = isConnected ? {} : { gateway: before }
    if (failure === 'refused_address' && before === null)
      return { state: 'failed', error: failure, ...kept }
    const next = new Date(now().getTime() + messageRetryDelay(attempts + 1))
    return { state: 'queued', error: failure, dueAt: sendableFrom(next, zone), ...kept }
  }
}

/** As `messages.gateway` holds it. */
const gatewayName = ({ kind, address }: ConfiguredGateway) => `${kind} ${address}`
/** Of an attempt before gateways were kept, or restored from a backup. */
const UNKNOWN = 'unknown'

const taken = (state: MessageState, { ask }: Adapter, at: Date): Outcome => ({
  state,
  acceptedAt: at,
  dueAt: state === 'delivered' || !ask ? null : askAfter(at, at),
})

/** Why the message must not leave now. */
async function obstacleTo(
  db: Kysely<DB>,
  message: Taken,
  gateway: ConfiguredGateway | null,
  at: Date,
): Promise<Outcome | null> {
  const { id, patient_id, program, channel, zone, created_at, created_on } = message
  // a visit or a merge of this minute counts
  await settleFollowUps({ db }, undefined, { patientId: patient_id })
  const { rows } = await sql<{
    agreed: boolean
    is_due: boolean
    phone: string | null
    has_recent: boolean
    waits_until: Date | null
  }>`
    with others as (
      select o.*, o.state = 'queued' and o.accepted_at is null and o.gateway is null as is_waiting
      from messages o
      where o.id <> ${id} and o.program = ${program} and may_have_arrived(o)
        and o.patient_id in (select former_id from former_patients(array[${patient_id}::uuid]))
        and abs(o.created_on - ${created_on}::date) < 7)
    select has_consent(${patient_id}, ${channel}) as agreed,
      exists (select from follow_up_items i
        where i.patient_id = ${patient_id} and i.program = ${program}
          and i.status = 'open' and i.overdue_from <= (${at} at time zone ${zone})::date) as is_due,
      (select phone from patients where id = ${patient_id}) as phone,
      exists (select from others where not is_waiting) as has_recent,
      (select max(due_at) from others
        where is_waiting and (created_at, id) < (${created_at}, ${id}::uuid)) as waits_until`.execute(
    db,
  )
  const { agreed, is_due, phone, has_recent, waits_until } = rows[0]!
  if (!agreed) return { state: 'cancelled', error: 'no_consent' }
  // the patient came or died meanwhile
  if (!is_due) return { state: 'cancelled', error: 'not_due' }
  // two records of one patient were merged, and each had a message
  if (has_recent) return { state: 'cancelled', error: 'recent' }
  if (waits_until) {
    const later = new Date(Math.max(waits_until.getTime(), at.getTime()) + messageRetryDelay(1))
    return { state: 'queued', dueAt: sendableFrom(later, zone) }
  }
  if (gateway && dialled(phone, gateway.country) !== message.phone)
    return { state: 'cancelled', error: 'phone_changed' }
  return null
}

/**
 * Another gateway may have the message. If the configured one knows it, it is the same phone at a new address; else
 * nobody can say, and it is not sent a second time.
 */
async function findElsewhere(
  gateway: ConfiguredGateway,
  { id }: Taken,
  at: Date,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const adapter = createAdapter(gateway, signal)
  const answer = (await adapter.ask?.(id)) ?? null
  if (!answer) return { state: 'failed', error: 'gateway_changed' }
  if (answer.state === 'failed') return { ...answer, gateway: null }
  return { ...taken(answer.state, adapter, at), gateway: gatewayName(gateway) }
}

/** What became of a message that the gateway has taken. */
async function follow(
  gateway: ConfiguredGateway | null,
  { id, state, created_at, accepted_at }: Taken,
  now: () => Date,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const ask = gateway && createAdapter(gateway, signal).ask
  const answer = await ask?.(id).catch((error: unknown) => {
    if (error instanceof RequestFailure) return null
    throw error
  })
  if (answer?.state === 'failed') return { ...answer, gateway: null }
  if (answer?.state === 'delivered') return answer
  const at = now()
  const known = answer?.state === 'sent' ? 'sent' : state
  if (elapsedMs(created_at, at) < EXPIRES_MS && ask)
    return { state: known, dueAt: askAfter(accepted_at!, at) }
  if (known === 'sent') return { state: known }
  return { state: 'failed', error: ask ? 'expired' : 'gateway_changed' }
}

const elapsedMs = (from: Date, at: Date) => at.getTime() - from.getTime()

/** After a minute, and less often the longer it takes. */
const askAfter = (accepted: Date, at: Date) =>
  new Date(at.getTime() + Math.min(Math.max(elapsedMs(accepted, at) / 2, 60_000), 3_600_000))

async function record(db: Kysely<DB>, message: Taken, outcome: Outcome, now: Date) {
  const { id, state: before, attempts } = message
  const { state, error = null, reason = null, acceptedAt = null, dueAt = null, gateway } = outcome
  const kept = gateway === undefined ? sql`` : sql`gateway = ${gateway},`
  await sql`
    update messages set state = ${state}, error = ${error}, reason = ${reason}, leased_until = null, ${kept}
      due_at = ${dueAt}, accepted_at = coalesce(accepted_at, ${acceptedAt}),
      state_at = case when state = ${state} then state_at else ${now} end
    where id = ${id} and state = ${before}`.execute(db)
  if (error) log.warn({ message: id, error, attempts }, 'messages.send')
}
