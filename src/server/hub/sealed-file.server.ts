import { createDecipheriv } from 'node:crypto'
import type { Span } from '../json-lists.server'
import type { SpooledBody } from '../spooled-bodies.server'
import { NONCE, TAG, type Word } from './envelope'

/** Characters that are read at a time. Four of base64url are three bytes. */
const PIECE = 1024 * 1024
const NONCE_CHARACTERS = (NONCE * 4) / 3

/**
 * The payload of a message that is too long for memory: base64url, between quotes in a file. The frame of
 * `envelope.ts`, read in two passes: a text is only written once its tag is right, and the tag is at its end.
 */
export async function sealedFile({ file }: SpooledBody, { from, to }: Span) {
  const start = from + 1
  const end = to - 1 - (await padding())
  const bytes = Math.floor(((end - start) * 3) / 4)
  const length = bytes - NONCE - TAG
  const nonce = length < 0 ? null : await decoded(start, start + NONCE_CHARACTERS)

  async function padding(): Promise<number> {
    const text = await textAt(Math.max(start, to - 3), to - 1)
    return text.length - text.replace(/=+$/, '').length
  }

  async function textAt(first: number, last: number): Promise<string> {
    const piece = Buffer.alloc(Math.max(0, last - first))
    const { bytesRead } = await file.read(piece, 0, piece.length, first)
    return piece.toString('latin1', 0, bytesRead)
  }

  async function decoded(first: number, last: number) {
    return Buffer.from(await textAt(first, last), 'base64url')
  }

  /** Unseals piece by piece. Whether the key is right shows only at the end. */
  async function unseal(key: Buffer, word: Word, write?: (plain: Buffer) => Promise<void>) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce!, { authTagLength: TAG }).setAAD(
      Buffer.from(word),
    )
    let left = length
    const tag: Buffer[] = []
    for (let at = start + NONCE_CHARACTERS; at < end; at += PIECE) {
      const piece = await decoded(at, Math.min(at + PIECE, end))
      const sealed = piece.subarray(0, left)
      left -= sealed.length
      tag.push(piece.subarray(sealed.length))
      const plain = decipher.update(sealed)
      await write?.(plain)
    }
    try {
      decipher.setAuthTag(Buffer.concat(tag)).final()
      return true
    } catch {
      return false
    }
  }

  return {
    /** Null if it is too short. */
    nonce,
    /** The text, which takes the place of the payload in the file; null if the key is wrong or the text was changed. */
    async unsealed(key: Buffer, word: Word): Promise<SpooledBody | null> {
      // the first pass finds out, so that only what is genuine is written
      if (!nonce || !(await unseal(key, word))) return null
      let written = 0
      await unseal(key, word, async (plain) => {
        await file.write(plain, 0, plain.length, written)
        written += plain.length
      })
      return { file, length: written }
    },
  }
}
