import { newId } from '~/shared/id'
import {
  applyRemoteChanges,
  type Changes,
  changesSince,
  localChanges,
  markAsSynced,
} from './local-sync'
import { Phone } from './phone'

/*
 * The app with a hub (docs/phone-sync.md, "The clinic's own network"): WebCrypto on this side, so that the server's
 * cryptography is not compared with itself.
 */

const { subtle } = crypto
const SALT = new TextEncoder().encode('hikma-health-pairing-v1')
const base64url = (bytes: ArrayBuffer | Uint8Array) =>
  Buffer.from(bytes as Uint8Array).toString('base64url')

type Session = { key: CryptoKey; publicKey: string }
type Word = 'command' | 'query' | 'command_response' | 'query_response'
type HubAnswer = { status: number; success?: boolean; error?: unknown; value?: unknown }

export async function newSession(hubKey: (publicKey: string) => Promise<string>): Promise<Session> {
  const pair = (await subtle.generateKey('X25519', true, ['deriveBits'])) as CryptoKeyPair
  const mine = new Uint8Array(await subtle.exportKey('raw', pair.publicKey))
  const publicKey = base64url(mine)
  const theirs = Buffer.from(await hubKey(publicKey), 'base64url')
  const hub = await subtle.importKey('raw', theirs, 'X25519', true, [])
  const secret = await subtle.deriveBits({ name: 'X25519', public: hub }, pair.privateKey, 256)
  const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const info = Buffer.concat([theirs, mine])
  const key = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: SALT, info },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
  return { key, publicKey }
}

async function seal({ key }: Session, plain: object, word: Word): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = new TextEncoder().encode(word)
  const text = new TextEncoder().encode(JSON.stringify(plain))
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, text)
  return base64url(Buffer.concat([iv, Buffer.from(sealed)]))
}

async function unseal({ key }: Session, payload: string, word: Word): Promise<unknown> {
  const bytes = Buffer.from(payload, 'base64url')
  const additionalData = new TextEncoder().encode(word)
  const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12), additionalData }
  const plain = await subtle.decrypt(algorithm, key, bytes.subarray(12))
  return JSON.parse(new TextDecoder().decode(plain))
}

/** What an app does with the code that it scanned. */
export class HubPhone extends Phone {
  /** Kept for as long as the app is installed. */
  clientId = crypto.randomUUID() as string
  token: string | null = null
  /** The app shows it as the time of the last sync, and sends it as the number of its last pull. */
  lastSyncedAt = 0
  /** The last body that was sent. */
  sentBody = ''

  constructor(code: string, email: string, password: string) {
    const { type, url } = JSON.parse(code) as { type: string; url: string }
    if (type !== 'sync_hub') throw new Error('This is no code of a hub.')
    super(url, email, password)
  }

  /** A new pair of keys each time. */
  handshake = (): Promise<Session> =>
    newSession(async (publicKey) => {
      const body = { client_id: this.clientId, client_public_key: publicKey }
      const response = await this.post('/rpc/handshake', JSON.stringify(body))
      if (!response.ok) throw new Error(`handshake: ${response.status}`)
      const hub = (await response.json()) as { success: boolean; hub_public_key: string }
      if (!hub.success) throw new Error('handshake: no success')
      return hub.hub_public_key
    })

  post = (path: string, body: string) =>
    fetch(this.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })

  async send(
    kind: 'command' | 'query',
    message: object,
    session?: Session,
    word: Word = kind,
  ): Promise<HubAnswer> {
    const keys = session ?? (await this.handshake())
    const payload = await seal(keys, { ...message, token: this.token }, word)
    this.sentBody = JSON.stringify({ client_id: this.clientId, payload })
    const response = await this.post(`/rpc/${kind}`, this.sentBody)
    if (!response.headers.get('content-type')?.includes('json')) return { status: response.status }
    const { payload: answered, ...outside } = (await response.json()) as Record<string, unknown>
    const value =
      typeof answered === 'string' ? await unseal(keys, answered, `${kind}_response`) : undefined
    return { status: response.status, ...outside, value }
  }

  command = (command: string, data: object, session?: Session) =>
    this.send('command', { command, data }, session)
  query = (query: string, params: object, session?: Session) =>
    this.send('query', { query, params }, session)

  async login(): Promise<HubAnswer> {
    const answer = await this.command('login', { email: this.email, password: this.password })
    if (answer.status === 200) this.token = (answer.value as { token: string }).token
    return answer
  }

  /** One handshake, a pull, and a push if there is something; both name the pull before. */
  override async sync() {
    const session = await this.handshake()
    const { lastSyncedAt: lastPulledAt } = this
    const pulled = await this.query('sync_pull', { lastPulledAt }, session)
    if (pulled.status !== 200) throw new Error(`pull: ${pulled.status}`)
    const { changes, timestamp } = pulled.value as { changes: Changes; timestamp: number }
    await applyRemoteChanges(this.database, changes)
    const local = await localChanges(this.database)
    if (Object.keys(local).length > 0) {
      const pushed = await this.command('sync_push', { changes: local, lastPulledAt }, session)
      if (pushed.status !== 200) throw new Error(`push: ${pushed.status}`)
      await markAsSynced(this.database, local, this.now())
    }
    this.lastSyncedAt = timestamp
  }

  /** What the app looks for before it switches to online mode: rows that changed after the last sync. */
  async seemsUnsent(): Promise<boolean> {
    return Object.keys(await changesSince(this.database, this.lastSyncedAt)).length > 0
  }
}

/** A phone that has scanned nothing yet knows this much of a hub. */
export const codeOf = (url: string) =>
  JSON.stringify({ type: 'sync_hub', url, id: newId(), pk: '' })
