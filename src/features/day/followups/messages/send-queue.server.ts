import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { log } from '~/server/log'
import { RequestFailure } from '~/server/outgoing.server'
import { adapterOf, type Gateway } from './adapters.server'
import { configuredGateway } from './gateway.server'
import type { MessageState } from './message'
import { EXPIRES_MS, secondsOfDay, sendableFrom, type SendingError, waitAfter } from './sending'

/** While an attempt runs, other processes leave the message alone; after it they take over from a process that died. */
const LEASE_MS = 5 * 60_000

type Taken = {
  id: string
  phone: string
  body: string
  zone: string
  created_at: Date
  accepted_at: Date | null
  state: 'queued' | 'sent'
  attempts: number
  agreed: boolean
  is_due: boolean
}
type Outcome = {
  state: MessageState
  error?: SendingError
  reason?: string
  acceptedAt?: Date
  /** When to send or to ask again. */
  dueAt?: Date | null
}

/** Sends what is due, and asks the gateway for the state of what it has taken; one after the other. */
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
    returning m.id, m.phone, m.body, m.zone, m.created_at, m.accepted_at, m.state, m.attempts,
      has_consent(m.patient_id, m.channel) as agreed,
      exists (select from follow_up_items i
        where i.patient_id = living_patient(m.patient_id) and i.program = m.program
          and i.status = 'open' and i.overdue_from <= (${now} at time zone m.zone)::date) as is_due`.execute(
    db,
  )
  return rows[0]
}

async function send(
  db: Kysely<DB>,
  gateway: Gateway | null,
  { id, phone, body, zone, created_at, attempts, agreed, is_due }: Taken,
  now: () => Date,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const at = now()
  if (ageOf(created_at, at) >= EXPIRES_MS) return { state: 'failed', error: 'expired' }
  // withdrawn, or the patient came or died meanwhile
  if (!agreed) return { state: 'cancelled', error: 'no_consent' }
  if (!is_due) return { state: 'cancelled', error: 'not_due' }
  if (!gateway) return { state: 'failed', error: 'no_gateway' }
  const morning = sendableFrom(at, zone)
  if (morning > at) return { state: 'queued', dueAt: morning }
  // counted before it is made: after a crash nobody knows what the gateway received
  await db
    .updateTable('messages')
    .set({ attempts: attempts + 1 })
    .where('id', '=', id)
    .execute()
  const adapter = adapterOf(gateway, signal)
  const seconds = secondsOfDay(at, zone)
  try {
    const answer = await adapter.send({ id, phone, text: body, seconds }, attempts > 0)
    if (answer.state === 'failed') return answer
    const isFinal = answer.state === 'delivered' || !adapter.ask
    return { state: answer.state, acceptedAt: at, dueAt: isFinal ? null : askAfter(at, at) }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    const { failure } = error
    if (failure === 'refused_address') return { state: 'failed', error: failure }
    const next = new Date(now().getTime() + waitAfter(attempts + 1))
    return { state: 'queued', error: failure, dueAt: sendableFrom(next, zone) }
  }
}

/** What became of a message that the gateway has taken. */
async function follow(
  gateway: Gateway | null,
  { id, state, created_at, accepted_at }: Taken,
  now: () => Date,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const ask = gateway && adapterOf(gateway, signal).ask
  const answer = await ask?.(id).catch((error: unknown) => {
    if (error instanceof RequestFailure) return null
    throw error
  })
  if (answer?.state === 'failed' || answer?.state === 'delivered') return answer
  const at = now()
  const known = answer?.state === 'sent' ? 'sent' : state
  if (ageOf(created_at, at) < EXPIRES_MS && ask)
    return { state: known, dueAt: askAfter(accepted_at!, at) }
  return known === 'sent' ? { state: known } : { state: 'failed', error: 'expired' }
}

const ageOf = (from: Date, at: Date) => at.getTime() - from.getTime()

/** After a minute, and less often the longer it takes. */
const askAfter = (accepted: Date, at: Date) =>
  new Date(at.getTime() + Math.min(Math.max(ageOf(accepted, at) / 2, 60_000), 3_600_000))

async function record(
  db: Kysely<DB>,
  { id, state: before, attempts }: Taken,
  outcome: Outcome,
  now: Date,
) {
  const { state, error = null, reason = null, acceptedAt = null, dueAt = null } = outcome
  await sql`
    update messages set state = ${state}, error = ${error}, reason = ${reason}, leased_until = null,
      due_at = ${dueAt}, accepted_at = coalesce(accepted_at, ${acceptedAt}),
      state_at = case when state = ${state} then state_at else ${now} end
    where id = ${id} and state = ${before}`.execute(db)
  if (error) log.warn({ message: id, error, attempts }, 'messages.send')
}
