import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { chownSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type pg from 'pg'
import { errorCode } from '~/db/error-code'
import { onConnection } from '~/db/connect'
import { perProcess } from '~/db/per-process'
import { Refusal } from '~/db/refusal'
import { env } from './env'
import { sessionSettings } from './session-settings'

/*
 * The key of this Sanad, from which all others are derived: SANAD_SECRET, else the file `instance.key` in
 * the data directory. The text of the file is a valid SANAD_SECRET, so that several machines can share
 * it: `sanad-key-` and 32 bytes in hex, or any text of 32 characters or more.
 */

const PREFIX = 'sanad-key-'
/** File -> text: a key does not change while a process runs, unless this process replaces it. */
const kept = perProcess('instance keys', () => new Map<string, string>())

const instanceKeyPath = () => resolve(env().dataDir, 'instance.key')

/** The text of the key; undefined before the first start. */
export function instanceKeyText(): string | undefined {
  const { secret } = sessionSettings()
  if (secret) return secret
  const file = instanceKeyPath()
  const text = kept.get(file) ?? readKey(file)
  if (text) kept.set(file, text)
  return text
}

/** Throws if there is none: `adoptInstanceKey` makes it, before anyone is served. */
function instanceKey(): Buffer {
  const text = instanceKeyText()
  if (!text) throw new Error(`There is no instance key: ${instanceKeyPath()} is missing`)
  return bytesOfKey(text)
}

/** A key of its own for each purpose. */
export const keyFor = (purpose: string, root = instanceKey()): Buffer =>
  Buffer.from(hkdfSync('sha256', root, '', `sanad ${purpose}`, 32))

/** Of the text of a key. */
export const bytesOfKey = (text: string) =>
  /^sanad-key-(?:[\da-f]{2})+$/.test(text)
    ? Buffer.from(text.slice(PREFIX.length), 'hex')
    : Buffer.from(text)
const formatKey = (bytes: Buffer) => PREFIX + bytes.toString('hex')

// PKCS #8 of an Ed25519 key before its 32 bytes (RFC 8410, section 7)
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs the backups of this Sanad. */
export const signingKey = (root = instanceKey()): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, keyFor('backup signature', root)]),
    format: 'der',
    type: 'pkcs8',
  })

/** The 32 bytes of an Ed25519 public key. */
export const publicBytes = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url')

/** 160 bits of the SHA-256 of a public key, as users compare them. */
export const keyFingerprint = (publicKey: Buffer): string =>
  createHash('sha256')
    .update(publicKey)
    .digest('hex')
    .slice(0, 40)
    .replaceAll(/.{4}(?=.)/g, '$&-')

/** Of this Sanad's key; undefined before the first start. */
export function ownFingerprint(): string | undefined {
  const text = instanceKeyText()
  return text === undefined ? undefined : fingerprintOfText(text)
}

export const fingerprintOfText = (text: string) =>
  keyFingerprint(publicBytes(signingKey(bytesOfKey(text))))

type Adoption = {
  /** The key of the records is lost: what depends on it is removed. Otherwise another key is refused. */
  replace?: boolean
}

/**
 * Finds this machine's key, or makes it, and records its fingerprint in the migrated database. A key
 * that the database still holds, of an earlier version or of a sealed backup, moves into the file.
 * Throws a Refusal if the records belong to another key.
 */
export const adoptInstanceKey = (
  target: string | pg.Client,
  { replace }: Adoption = {},
): Promise<void> =>
  onConnection(target, { name: 'sanad key' }, async (client) => {
    if (await isAdopted(client)) return
    await client.query('begin')
    await adoptKey(client, replace)
    await client.query('commit')
  })

/**
 * As `adoptInstanceKey`, for a database that this version has not upgraded yet: finds or makes the file, and leaves the
 * database as it is.
 */
export async function findInstanceKey(client: pg.Client, { replace }: Adoption = {}) {
  const { value, fingerprint } = await storedKey(client)
  if (instanceKeyText() === undefined) {
    if (value) keepKey(formatKey(value))
    else if (fingerprint && !replace) throw otherKey(fingerprint)
    else keepKey(formatKey(randomBytes(32)))
  } else if (!value && fingerprint && fingerprint !== ownFingerprint() && !replace)
    throw otherKey(fingerprint, ownFingerprint())
}

/** Of a database of any version: early ones have no such table or no fingerprint. */
async function storedKey(client: pg.Client) {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('instance_keys') is not null as exists`,
  )
  if (!rows[0]!.exists) return {}
  const found = await client.query<{ value?: Buffer | null; fingerprint?: string | null }>(
    `select * from instance_keys where name = 'sessions'`,
  )
  return found.rows[0] ?? {}
}

/** The records already belong to this machine's key, as at each start but the first. */
async function isAdopted(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ value: Buffer | null; fingerprint: string | null }>(
    `select value, fingerprint from instance_keys where name = 'sessions'`,
  )
  const { value = null, fingerprint } = rows[0] ?? {}
  return value === null && Boolean(fingerprint) && fingerprint === ownFingerprint()
}

async function adoptKey(client: pg.Client, replace: Adoption['replace']) {
  await client.query(
    `insert into instance_keys (name) values ('sessions') on conflict (name) do nothing`,
  )
  // processes that start together take turns
  const { rows } = await client.query<{ value: Buffer | null; fingerprint: string | null }>(
    `select value, fingerprint from instance_keys where name = 'sessions' for update`,
  )
  const { value, fingerprint } = rows[0]!
  // with SANAD_SECRET, the key in the database was never used
  if (value && !sessionSettings().secret) keepKey(formatKey(value))
  else if (instanceKeyText() === undefined) {
    if (fingerprint && !replace) throw otherKey(fingerprint)
    keepKey(formatKey(randomBytes(32)))
  }
  const own = ownFingerprint()!
  if (!value && fingerprint && fingerprint !== own) {
    if (!replace) throw otherKey(fingerprint, own)
    await removeWhatRestsOnKey(client)
  }
  await client.query(
    `update instance_keys set value = null, fingerprint = $1
     where name = 'sessions' and (value is not null or fingerprint is distinct from $1)`,
    [own],
  )
}

/** Tokens are made again from the new key when a phone or a program next signs in. */
async function removeWhatRestsOnKey(client: pg.Client) {
  await client.query(`update second_factors set enabled_at = null`)
  await client.query(`delete from second_factors`)
  await client.query(`delete from recovery_codes`)
  await client.query(`delete from sessions where kind in ('token', 'phone', 'pending')`)
}

function otherKey(fingerprint: string, own?: string) {
  const inFile = own ? `holds the key ${own}` : 'is missing'
  const here = sessionSettings().secret
    ? `SANAD_SECRET is the key ${own}`
    : `the file ${instanceKeyPath()} ${inFile}`
  return new Refusal(
    `The records in this database belong to the instance key ${fingerprint}, and ${here}. ` +
      'Copy instance.key from the data directory of the machine that uses this database, or set ' +
      'SANAD_SECRET to the content of that file on every machine. If the key is lost: ' +
      'npm run admin -- replace-instance-key',
  )
}

function readKey(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text.length < 32) throw new Refusal(`The file ${file} holds no instance key.`)
    return text
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return undefined
    if (code === 'EACCES')
      throw new Refusal(`The instance key ${file} belongs to another user of this machine.`)
    throw error
  }
}

/** Writes the file: whole or not at all, also after a power cut. A key that it replaces is kept beside it. */
function keepKey(text: string) {
  const file = instanceKeyPath()
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const before = readKey(file)
  kept.set(file, text)
  if (before === text) return
  if (before) renameSync(file, `${file}.before`)
  const draft = openSync(`${file}.new`, 'w', 0o600)
  writeSync(draft, `${text}\n`)
  fsyncSync(draft)
  closeSync(draft)
  // a command that runs as root must not lock out the user that the server runs as
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0) chownSync(`${file}.new`, uid, gid)
  renameSync(`${file}.new`, file)
  syncFolder(folder)
}

/** Some systems cannot open a folder. */
function syncFolder(folder: string) {
  try {
    const handle = openSync(join(folder, '.'), 'r')
    fsyncSync(handle)
    closeSync(handle)
  } catch {
    // the file itself is on the disk
  }
}
