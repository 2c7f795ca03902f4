import { randomUUID } from 'node:crypto'
import { open, type FileHandle, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { log } from '~/server/log'

const IN_MEMORY = 1024 * 1024
const PIECE = 256 * 1024

/**
 * So many bytes pass through buffers that are garbage at once before a small collection is asked for. Such buffers weigh
 * nothing in the heap's own count: left alone, the whole heap is collected for their sake again and again, which was
 * half of a long pull's processor time. Where the program was started without `--expose-gc` a pull is only slower.
 */
const GARBAGE = 8 * 1024 * 1024
let garbage = 0
function discard(bytes: number) {
  garbage += bytes
  if (garbage < GARBAGE) return
  garbage = 0
  globalThis.gc?.({ type: 'minor' })
}

/** How long the database waits for half a megabyte to be taken: less than 5 MB a second is a slow line. */
const PATIENCE = 100

/**
 * An answer of any size on its way from the database to a phone. Whoever writes waits for a quick reader, and never for a
 * slow one: then what is more than a megabyte ahead waits in a file that has no name any more, and is gone with whoever
 * reads it, so that the database is done with it long before the line has drained it.
 */
export class Spool {
  /** What was written last; everything in the file is older. */
  #parts: Buffer[] = []
  #held = 0
  #file: FileHandle | undefined
  #inFile = 0
  #taken = 0
  #ending: { error?: unknown } | undefined
  #abandoned: { why: unknown } | undefined
  #isLong = false
  #isReaderSlow = false
  readonly #begun = Promise.withResolvers<void>()
  #wake = () => {}
  #whenTaken = () => {}

  /** `reader` aborts when the client has disconnected, whether or not it has begun to read. */
  constructor(reader?: AbortSignal) {
    reader?.addEventListener('abort', () => void this.#abandon(reader.reason), { once: true })
  }

  /** One after the other. Fails with the reason once the client has stopped reading. */
  async write(part: Buffer | string) {
    if (this.#abandoned) throw this.#abandoned.why
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    this.#parts.push(bytes)
    this.#held += bytes.length
    discard(bytes.length)
    this.#wake()
    if (this.#held <= IN_MEMORY) return
    this.#isLong = true
    this.#begun.resolve()
    this.#isReaderSlow ||= !(await this.#isTaken())
    if (this.#isReaderSlow) await this.#toFile()
  }

  end() {
    this.#ending = {}
    this.#begun.resolve()
    this.#wake()
  }

  /** Cuts the answer off; rejects `begun` if it is still pending. */
  fail(error: unknown) {
    this.#ending = { error }
    if (this.#isLong && !this.#abandoned) log.error({ err: error }, 'an answer broke off')
    this.#begun.reject(error)
    this.#wake()
  }

  /** Settles when all of it is here, or more than is kept in memory. */
  begun = (): Promise<void> => this.#begun.promise

  /** The whole of it, to be read once: as it is if all of it is in memory. */
  body(): ReadableStream<Uint8Array> | Buffer<ArrayBuffer> {
    if (!this.#isLong) return Buffer.concat(this.#parts)
    return new ReadableStream(
      {
        pull: async (controller) => {
          const piece = await this.#next()
          if (piece) return controller.enqueue(piece)
          controller.close()
          await this.#file?.close()
        },
        cancel: (why) => this.#abandon(why),
      },
      { highWaterMark: 0 },
    )
  }

  async #abandon(why: unknown = new Error('Whoever asked has gone away.')) {
    this.#abandoned = { why }
    this.#whenTaken()
    await this.#file?.close()
  }

  /** Whether the reader catches up in time. */
  #isTaken(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), PATIENCE)
      this.#whenTaken = () => {
        if (this.#held > IN_MEMORY / 2 && !this.#abandoned) return
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  async #toFile() {
    const [parts, length] = [this.#parts, this.#held]
    this.#parts = []
    this.#held = 0
    this.#file ??= await namelessFile()
    // the client may have disconnected before there was anything to close
    if (this.#abandoned) return this.#file.close()
    const { bytesWritten } = await this.#file.writev(parts, this.#inFile)
    if (bytesWritten < length) throw new Error(`There is no room for an answer in ${tmpdir()}.`)
    this.#inFile += bytesWritten
    this.#wake()
  }

  async #next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#taken < this.#inFile) return this.#fromFile()
      const part = this.#parts.shift()
      if (part) {
        this.#held -= part.length
        this.#whenTaken()
        return part
      }
      if (this.#ending?.error) {
        await this.#file?.close()
        throw this.#ending.error
      }
      if (this.#ending) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async #fromFile() {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, this.#inFile - this.#taken))
    const { bytesRead } = await this.#file!.read(piece, 0, piece.length, this.#taken)
    this.#taken += bytesRead
    discard(bytesRead)
    return piece.subarray(0, bytesRead)
  }
}

async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `sanad-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
