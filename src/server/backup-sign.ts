import { createHash, createPublicKey, type KeyObject, sign as signBytes, verify } from 'node:crypto'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { keyFingerprint, publicBytes } from './instance-key.server'
import { damaged } from './backup-tar'

/*
 * A signed file is an archive as gzip writes it, then a second gzip member of fixed size, which `gunzip`
 * reads as more text and `tar` ignores: NAME, the public key and the signature (Ed25519, RFC 8032) of
 * the SHA-256 of all bytes before it. It is stored, not compressed (RFC 1951, section 3.2.4), so that
 * each of its bits is fixed by the key and the signature.
 */
const NAME = 'sanad signature 1'
const TEXT = NAME.length + 1 + 44 + 1 + 88 + 1
// what gzip puts around a stored text
const HEADER = Buffer.from('1f8b08000000000000ff01', 'hex')
const TRAILER = HEADER.length + 4 + TEXT + 8

/** The archive with its signature. */
export async function* sign(
  source: AsyncIterable<Uint8Array>,
  key: KeyObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const bytes of source) {
    hash.update(bytes)
    yield bytes
  }
  yield gzipMember(publicBytes(key), signBytes(null, hash.digest(), key))
}

type Signature = {
  /** Of the key that made it. */
  fingerprint: string
  /** Bytes of the archive before it. */
  length: number
  /** The archive's bytes. Throws a Refusal after the last one unless they are those that were signed. */
  checked: (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>
}

/** The signature at the end of a file; undefined if there is none. */
export async function readBackupSignature(file: string): Promise<Signature | undefined> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    if (size <= TRAILER) return undefined
    const { buffer } = await handle.read(Buffer.alloc(TRAILER), 0, TRAILER, size - TRAILER)
    const text = buffer.subarray(HEADER.length + 4, -8).toString('latin1')
    const [name, key = '', signature = ''] = text.split('\n')
    if (name !== NAME) return undefined
    const [publicKey, signed] = [Buffer.from(key, 'base64'), Buffer.from(signature, 'base64')]
    if (publicKey.length !== 32 || !gzipMember(publicKey, signed).equals(buffer)) throw damaged()
    return {
      fingerprint: keyFingerprint(publicKey),
      length: size - TRAILER,
      async *checked(source) {
        const hash = createHash('sha256')
        for await (const bytes of source) {
          hash.update(bytes)
          yield bytes
        }
        const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
        const isRight = verify(
          null,
          hash.digest(),
          createPublicKey({ key: jwk, format: 'jwk' }),
          signed,
        )
        if (!isRight) throw damaged()
      },
    }
  } finally {
    await handle.close()
  }
}

function gzipMember(publicKey: Buffer, signature: Buffer): Buffer {
  const lines = [NAME, publicKey.toString('base64'), signature.toString('base64'), '']
  const text = Buffer.from(lines.join('\n'))
  const length = Buffer.alloc(4)
  length.writeUInt16LE(text.length, 0)
  length.writeUInt16LE(~text.length & 0xffff, 2)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(text), 0)
  end.writeUInt32LE(text.length, 4)
  return Buffer.concat([HEADER, length, text, end])
}
