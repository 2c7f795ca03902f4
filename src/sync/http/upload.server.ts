import { membersIn, shortValue, type Span } from '~/server/json-lists.server'
import type { ReadableBody } from '~/server/spooled-bodies.server'
import { PushOf, shaped, unknownCall } from './call'
import { type ChangeSource, inPieces, sourceOfFile } from '../push/change-source.server'

/** A call of `sync_push` whose change set is in a file. */
export type Upload = {
  lastPulledAt?: number | null | undefined
  changes: () => Promise<ChangeSource>
  /** Of a sealed message. */
  token: unknown
}

const LastPulledAt = PushOf.pick({ lastPulledAt: true })

/** Reads `{"command": "sync_push", "data": {"changes", "lastPulledAt"}, "token"}`; null for any other call. */
export async function uploadIn(body: ReadableBody): Promise<Upload | null> {
  const call = await membersIn(body)
  if ((await shortValue(body, call.get('command'))) !== 'sync_push') return null
  const sent = call.get('data')
  const data = sent ? await membersIn(body, sent) : new Map<string, Span>()
  const changes = data.get('changes')
  if (!changes) throw unknownCall()
  const lastPulledAt = await shortValue(body, data.get('lastPulledAt'))
  return {
    ...shaped(LastPulledAt, { lastPulledAt }),
    changes: () => sourceOfFile(body, changes),
    token: await shortValue(body, call.get('token')),
  }
}

/** The same for a body in memory that has too many rows to be parsed at once; null for any other. */
export async function longUploadIn(bytes: Buffer): Promise<Upload | null> {
  const body = inPieces(bytes, LISTS_OF_CALL)
  return body && uploadIn(body)
}

/** `{"data": {"changes": {"<table>": {"<list>": [` */
const LISTS_OF_CALL = 5
