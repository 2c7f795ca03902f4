import { createHmac } from 'node:crypto'
import { asObject } from '~/shared/object'
import { requestJson, basicCredentials, RequestFailure } from '~/server/outgoing.server'
import type { GatewayKind } from './gateway'

/** With the password or the key in plain text. */
export type Gateway = {
  kind: GatewayKind
  address: string
  username: string | null
  secret: string
}
type ToSend = { id: string; phone: string; text: string; seconds: number }

/** `queued`: the gateway has it and has not sent it yet. `refused`: it did not take it. */
type GatewayAnswer =
  | { state: 'queued' | 'sent' | 'delivered' }
  | { state: 'failed'; error: 'refused' | 'unauthorized' | 'redirect'; reason: string }

export type Adapter = {
  /** The id is the same in every attempt; in a later one the gateway may have the message already. */
  send: (message: ToSend, isRepeated: boolean) => Promise<GatewayAnswer>
  /** What became of a message that the gateway has taken; null if it cannot say. */
  ask?: (id: string) => Promise<GatewayAnswer | null>
}

export function createAdapter(gateway: Gateway, signal?: AbortSignal): Adapter {
  return gateway.kind === 'android' ? androidGateway(gateway, signal) : webhook(gateway, signal)
}

/** Anything but 2xx: the message was not taken. */
function refusal(status: number, body: unknown): GatewayAnswer {
  const { message } = asObject(body)
  const said = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 200)}` : ''
  const errorOfOther = status >= 300 && status < 400 ? 'redirect' : 'refused'
  const error = status === 401 || status === 403 ? 'unauthorized' : errorOfOther
  return { state: 'failed', error, reason: `HTTP ${status}${said}` }
}

const isTaken = (status: number) => status >= 200 && status < 300

/** `POST {id, phone, text}`, with the HMAC-SHA256 of the body; the receiver knows a repeated message by its id. */
function webhook({ address, secret }: Gateway, signal?: AbortSignal): Adapter {
  return {
    async send({ id, phone, text }) {
      const body = JSON.stringify({ id, phone, text })
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const { status, body: answer } = await requestJson({
        method: 'POST',
        url: new URL(address),
        headers: { 'x-sanad-signature': `sha256=${signature}` },
        body,
        signal,
      })
      if (!isTaken(status)) return refusal(status, answer)
      const { state, reason } = asObject(answer)
      if (state === 'failed')
        return { state, error: 'refused', reason: typeof reason === 'string' ? reason : '' }
      return { state: state === 'delivered' ? state : 'sent' }
    },
  }
}

/**
 * capcom6/android-sms-gateway, local mode. A second `POST` of an id is not known to send nothing, so an attempt whose
 * answer was lost is followed by a question, and the message is posted again only if the phone does not know it.
 */
function androidGateway({ address, username, secret }: Gateway, signal?: AbortSignal): Adapter {
  const headers = { authorization: basicCredentials(username ?? '', secret) }
  const at = (path: string) => new URL(`${address}${path}`)
  const ask = (id: string) =>
    requestJson({ method: 'GET', url: at(`/message/${id}`), headers, signal })
  return {
    async send({ id, phone, text, seconds }, isRepeated) {
      if (isRepeated) {
        const { status, body } = await ask(id)
        if (isTaken(status)) return readGatewayState(body) ?? { state: 'queued' }
        // it may have been sent: nothing else is known
        if (status !== 404) throw new RequestFailure('unreachable')
      }
      const { status, body } = await requestJson({
        method: 'POST',
        url: at('/message'),
        headers,
        body: JSON.stringify({
          id,
          message: text,
          phoneNumbers: [phone],
          ttl: seconds,
          withDeliveryReport: true,
        }),
        signal,
      })
      if (!isTaken(status)) return refusal(status, body)
      return readGatewayState(body) ?? { state: 'queued' }
    },
    async ask(id) {
      const { status, body } = await ask(id)
      return isTaken(status) ? readGatewayState(body) : null
    },
  }
}

/** `Pending` and `Processed` wait on the phone. */
function readGatewayState(body: unknown): GatewayAnswer | null {
  const { state, recipients } = asObject(body)
  if (state === 'Pending' || state === 'Processed') return { state: 'queued' }
  if (state === 'Sent') return { state: 'sent' }
  if (state === 'Delivered') return { state: 'delivered' }
  if (state !== 'Failed') return null
  const [recipient] = Array.isArray(recipients) ? (recipients as { error?: unknown }[]) : []
  const reason = typeof recipient?.error === 'string' ? recipient.error.slice(0, 200) : ''
  return { state: 'failed', error: 'refused', reason }
}
