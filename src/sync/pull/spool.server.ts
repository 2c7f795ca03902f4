import type { FileHandle } from 'node:fs/promises'
import { diskState, isDiskFull } from '~/server/disk.server'
import { log } from '~/server/log'
import { type SpoolSpace, spoolSpace } from '~/server/spool-space.server'
import { collectYoung } from '~/server/garbage.server'

/** Bytes that wait in memory for the reader. */
const IN_MEMORY = 1024 * 1024
/** Bytes that are read from the file at a time. */
const PIECE = 256 * 1024

/**
 * After this many bytes of discarded buffers a minor garbage collection is requested. V8 otherwise
 * collects the whole heap again and again (decision 15).
 */
const GARBAGE = 8 * 1024 * 1024
let garbage = 0

function discard(bytes: number) {
  garbage += bytes
  if (garbage < GARBAGE) return
  garbage = 0
  collectYoung()
}

/**
 * Milliseconds in which the reader must take half a megabyte; slower than 5 MB/s counts as a slow
 * connection.
 */
const PATIENCE = 100
/**
 * Milliseconds after which a reader that takes no further piece is disconnected: 0.9 kB/s, slower
 * than any line that is usable.
 */
const STALLED = 5 * 60_000
/** Milliseconds that an answer without space on disk waits for its reader in all: its transaction stays open. */
const WAIT_AT_MOST = 30 * 60_000

type Options = {
  /** Aborts when the client has disconnected, whether or not it has begun to read. */
  reader?: AbortSignal
  /** Whose space on disk is used. */
  user?: string
  space?: SpoolSpace
  stalled?: number
  waitAtMost?: number
}

/**
 * A buffer of unlimited size between the database and a device (decision 13). The writer waits for
 * a fast reader, so that about a megabyte is in memory. It does not wait for a slow reader: the
 * rest goes to a temporary file, so that the database transaction ends long before the answer has
 * been sent. Where the file may not grow any more, it waits until the reader has emptied it.
 */
export class Spool {
  /** The newest bytes; everything in the file is older. */
  #parts: Buffer[] = []
  #held = 0
  #file: FileHandle | undefined
  /** Bytes of the file: taken from the space, and written. */
  #inFile = 0
  #written = 0
  #taken = 0
  #ending: { error?: unknown } | undefined
  #abandoned: { why: unknown } | undefined
  #isLong = false
  #isReaderSlow = false
  readonly #begun = Promise.withResolvers<void>()
  #wake = () => {}
  #whenTaken = () => {}
  readonly #space: SpoolSpace
  readonly #user: string
  readonly #stalled: number
  #stallTimer: NodeJS.Timeout | undefined
  /** Milliseconds that are left to wait for the reader. */
  #patience: number

  constructor({
    reader,
    user = '',
    space = spoolSpace(),
    stalled = STALLED,
    waitAtMost = WAIT_AT_MOST,
  }: Options = {}) {
    this.#space = space
    this.#user = user
    this.#stalled = stalled
    this.#patience = waitAtMost
    reader?.addEventListener('abort', () => void this.#abandon(reader.reason), { once: true })
  }

  /**
   * Call it again only after it has resolved. Rejects with the reason once the client has stopped
   * reading.
   */
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
    this.#isReaderSlow ||= !(await this.#isTaken(PATIENCE))
    if (this.#isReaderSlow) await this.#toFile()
  }

  end() {
    this.#ending = {}
    this.#begun.resolve()
    this.#wake()
  }

  /** Breaks the answer off; rejects `begun` if it is pending. */
  fail(error: unknown) {
    this.#ending = { error }
    if (this.#isLong && !this.#abandoned) log.error({ err: error }, 'an answer was broken off')
    this.#begun.reject(error)
    this.#wake()
  }

  /** Resolves when the answer is complete or larger than what is kept in memory. */
  begun = (): Promise<void> => this.#begun.promise

  /** The answer, to be read once: a buffer if all of it is in memory. */
  body(): ReadableStream<Uint8Array> | Buffer<ArrayBuffer> {
    if (!this.#isLong) return Buffer.concat(this.#parts)
    return new ReadableStream(
      {
        pull: async (controller) => {
          clearTimeout(this.#stallTimer)
          const piece = await this.#next()
          if (!piece) {
            controller.close()
            return this.#close()
          }
          controller.enqueue(piece)
          this.#stallTimer = setTimeout(() => {
            const why = new Error('The client reads too slowly.')
            controller.error(why)
            void this.#abandon(why)
          }, this.#stalled).unref()
        },
        cancel: (why) => this.#abandon(why),
      },
      { highWaterMark: 0 },
    )
  }

  async #abandon(why: unknown = new Error('The client has disconnected.')) {
    this.#abandoned = { why }
    clearTimeout(this.#stallTimer)
    this.#whenTaken()
    await this.#close()
  }

  /** Gives the space on disk back. */
  async #close() {
    const file = this.#file
    if (!file) return
    this.#file = undefined
    this.#space.free(this.#user, this.#inFile)
    this.#inFile = this.#written = this.#taken = 0
    await file.close()
  }

  /** Whether the reader takes half of what is in memory in time. */
  #isTaken(patience: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patience)
      this.#whenTaken = () => {
        if (this.#held > IN_MEMORY / 2 && !this.#abandoned) return
        clearTimeout(timer)
        resolve(true)
      }
      this.#whenTaken()
    })
  }

  /** What is in memory is taken after the file, which then is empty and gives its space back. */
  async #waitForReader() {
    const began = performance.now()
    await this.#space.wait(() => this.#isTaken(this.#patience))
    this.#patience -= performance.now() - began
  }

  async #toFile() {
    if (isDiskFull(await diskState())) return this.#waitForReader()
    const file = this.#file ?? (await this.#space.file())
    // the client may have disconnected before there was anything to close
    if (this.#abandoned) {
      if (file !== this.#file) await file.close()
      return
    }
    this.#file = file
    const [parts, length] = [this.#parts, this.#held]
    if (!this.#space.tryTake(this.#user, length)) return this.#waitForReader()
    this.#parts = []
    this.#held = 0
    this.#inFile += length
    const { bytesWritten } = await file.writev(parts, this.#inFile - length)
    if (bytesWritten < length)
      throw new Error(`There is no space for an answer in ${this.#space.folder}.`)
    this.#written = this.#inFile
    this.#wake()
  }

  async #next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#taken < this.#written) return this.#fromFile()
      if (this.#file && this.#taken === this.#inFile) await this.#close()
      const part = this.#parts.shift()
      if (part) {
        this.#held -= part.length
        this.#whenTaken()
        return part
      }
      if (this.#ending?.error) {
        await this.#close()
        throw this.#ending.error
      }
      if (this.#ending) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async #fromFile() {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, this.#written - this.#taken))
    const { bytesRead } = await this.#file!.read(piece, 0, piece.length, this.#taken)
    this.#taken += bytesRead
    discard(bytesRead)
    return piece.subarray(0, bytesRead)
  }
}
