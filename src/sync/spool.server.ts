import { randomUUID } from 'node:crypto'
import { open, type FileHandle, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'

const IN_MEMORY = 1024 * 1024

/**
 * Takes in an answer of any size, so that the database is done with it before a slow line begins to drain it. What is
 * more than a megabyte waits in a file that has no name any more, and is gone with whoever reads it.
 */
export class Spool {
  #parts: Buffer[] = []
  #held = 0
  #file: FileHandle | undefined
  size = 0

  async write(part: Buffer | string) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    this.#parts.push(bytes)
    this.#held += bytes.length
    this.size += bytes.length
    if (this.#held > IN_MEMORY) await this.#flush()
  }

  async #flush() {
    if (!this.#file) {
      const path = join(tmpdir(), `sanad-${randomUUID()}`)
      this.#file = await open(path, 'wx+', 0o600)
      await unlink(path)
    }
    await this.#file.writev(this.#parts)
    this.#parts = []
    this.#held = 0
  }

  /** The whole of it, to be read once. */
  async body(): Promise<ReadableStream | Buffer<ArrayBuffer>> {
    if (!this.#file) return Buffer.concat(this.#parts)
    await this.#flush()
    const stream = this.#file.createReadStream({ start: 0, highWaterMark: 256 * 1024 })
    return Readable.toWeb(stream) as WebStream as ReadableStream
  }

  async discard() {
    await this.#file?.close()
  }
}
