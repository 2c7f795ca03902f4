import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '~/db/refusal'
import { damaged } from './backup-tar'
import { type ByteReader, makeByteReader } from './byte-reader'

/*
 * A sealed stream: SIGN, the cost of scrypt as a power of two, 16 bytes of salt, 16 of a keyed hash
 * over these, then the text in pieces of 64 KiB, each AES-256-GCM with its tag. A piece's nonce is
 * its number and whether it is the last: none can be left out, moved or cut off unseen (the STREAM
 * construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015). Not the frame of one text (`secret.server.ts`): a
 * backup does not fit into memory, and is genuine only as a whole.
 */
const SIGN = Buffer.from('SANADBK1')
/** 64 MB and some 0.2 s for each guess of a passphrase; a clinic's machine has that much. */
const COST = 16
const SALT = 16
const MARK = 16
const PIECE = 64 * 1024
const TAG = 16

export const isSealed = (start: Uint8Array) => SIGN.equals(start.subarray(0, SIGN.length))

export async function* sealBackup(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const facts = Buffer.concat([SIGN, Buffer.of(COST), randomBytes(SALT)])
  const keys = await deriveKeys(passphrase, facts)
  yield Buffer.concat([facts, keys.mark])
  for await (const { piece, nonce } of noncedPieces(makeByteReader(source), PIECE)) {
    const cipher = createCipheriv('aes-256-gcm', keys.key, nonce)
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
}

/** Throws a Refusal when the passphrase is another, or the stream is not whole. */
export async function* unsealBackup(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const take = makeByteReader(source)
  const facts = await take(SIGN.length + 1 + SALT)
  const mark = await take(MARK)
  if (mark.length < MARK || facts[SIGN.length]! > 20) throw damaged()
  const keys = await deriveKeys(passphrase, facts)
  if (!timingSafeEqual(mark, keys.mark))
    throw new Refusal('That is not the passphrase of this backup.')
  for await (const { piece, nonce } of noncedPieces(take, PIECE + TAG)) {
    if (piece.length < TAG) throw damaged()
    const decipher = createDecipheriv('aes-256-gcm', keys.key, nonce, { authTagLength: TAG })
    decipher.setAuthTag(piece.subarray(-TAG))
    try {
      yield Buffer.concat([decipher.update(piece.subarray(0, -TAG)), decipher.final()])
    } catch (error) {
      throw damaged(error)
    }
  }
}

async function deriveKeys(passphrase: string, facts: Buffer) {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  const N = 2 ** facts[SIGN.length]!
  const secret = await derive(passphrase.normalize('NFKC'), facts.subarray(SIGN.length + 1), 64, {
    N,
    r: 8,
    p: 1,
    maxmem: 256 * N * 8,
  })
  const mark = createHmac('sha256', secret.subarray(32)).update(facts).digest().subarray(0, MARK)
  return { key: secret.subarray(0, 32), mark }
}

/** Each piece with its nonce: eleven bytes of its number, one that tells the last. */
async function* noncedPieces(take: ByteReader, size: number) {
  let piece = await take(size)
  for (let number = 0; ; number += 1) {
    const next = await take(size)
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(number, 5, 6)
    nonce[11] = next.length === 0 ? 1 : 0
    yield { piece, nonce }
    if (next.length === 0) return
    piece = next
  }
}
