import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { perProcess } from '~/db/per-process'
import { env } from './env'
import { AppError } from '~/shared/errors'

/** The part of the space that one user may take. */
const SHARE = 4
/** Seconds after which a client may ask again. */
const LATER = 30
/** Answers that may wait for their readers when no space is left: each holds a connection of the database. */
const WAITERS = 2

/**
 * Space on disk for answers that wait for slow readers and for large pushes. All files together have
 * at most `limit` bytes, so that they never fill the disk of the database.
 */
export class SpoolSpace {
  #used = 0
  #waiting = 0
  readonly #byUser = new Map<string, number>()

  constructor(
    readonly folder: string,
    readonly limit: number,
    readonly waiters = WAITERS,
  ) {}

  get used() {
    return this.#used
  }

  /** Throws `too_many_requests` if no space is left, for this user or at all. */
  take(user: string, bytes: number) {
    if (!this.tryTake(user, bytes)) throw noSpace()
  }

  tryTake(user: string, bytes: number): boolean {
    const own = (this.#byUser.get(user) ?? 0) + bytes
    if (this.#used + bytes > this.limit || own > this.limit / SHARE) return false
    this.#used += bytes
    this.#byUser.set(user, own)
    return true
  }

  /** Waits without space for `ready`. Throws `too_many_requests` if too many wait, or if it resolves with false. */
  async wait(ready: () => Promise<boolean>) {
    if (this.#waiting >= this.waiters) throw noSpace()
    this.#waiting += 1
    try {
      if (!(await ready())) throw noSpace()
    } finally {
      this.#waiting -= 1
    }
  }

  free(user: string, bytes: number) {
    const own = (this.#byUser.get(user) ?? 0) - bytes
    this.#used -= bytes
    if (own > 0) this.#byUser.set(user, own)
    else this.#byUser.delete(user)
  }

  /** A file without a name: the system deletes it when it is closed, also when the process dies. */
  async file(): Promise<FileHandle> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const path = join(this.folder, `sanad-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return file
  }
}

const noSpace = () =>
  new AppError('too_many_requests', { key: 'errors.tooManyRequests', values: { seconds: LATER } })

export const spoolSpace = () =>
  perProcess('spool space', () => new SpoolSpace(resolve(env().dataDir, 'spool'), env().spoolLimit))
