import { stat, statfs } from 'node:fs/promises'
import { perProcess } from '~/db/per-process'
import { isDiskFailure } from '~/db/refusal'
import { AppError } from '~/shared/errors'
import { env } from './env'
import { recent } from './recent'

const MB = 1024 ** 2

/** Administrators are warned below this many free bytes, or below a tenth of a smaller disk. */
const LOW = 2048 * MB
const LOW_SHARE = 10
/**
 * Below this, users save nothing: PostgreSQL ends when it cannot extend its log, by 16 MB at a time, and then nobody
 * reads either. What remains is for signing in, for opening records, and for the access log.
 */
const RESERVE = 64 * MB
/** Below this, nothing at all is written. */
const LAST = 24 * MB

/** `reserve`: only small writes that reading needs. `full`: none. */
export type DiskState = 'ok' | 'low' | 'reserve' | 'full'

/** What may be written with so many bytes free. The one rule: for health, the dashboard, and each write. */
export function stateOfDisk(free: number, total: number): DiskState {
  // some file systems do not say
  if (total === 0) return 'ok'
  if (free < LAST) return 'full'
  if (free < RESERVE) return 'reserve'
  return free < lowLimit(total) ? 'low' : 'ok'
}

/** Free bytes below which administrators are warned. */
export const lowLimit = (total: number) => Math.max(2 * RESERVE, Math.min(LOW, total / LOW_SHARE))

export type Disk = {
  state: DiskState
  /** Bytes. Null if the file system does not say. */
  free: number | null
  /** A write failed within the last minute, wherever the database is. */
  isFailing: boolean
}

const shared = () =>
  perProcess('disk', () => ({
    /** The folders that the database and the files of records are in. */
    folders: new Set<string>(),
    failedAt: -Infinity,
    last: 'ok' as DiskState,
  }))

/** Called when the database itself is in this folder. Elsewhere, its disk shows only by failed writes. */
export const watchDisk = (folder: string) => shared().folders.add(folder)

/** Milliseconds. However many write, the file systems are asked once in that time. */
const FRESH = 1_000
const space = () => perProcess('disk space', () => recent(readSpace, FRESH))()

async function readSpace(): Promise<Omit<Disk, 'isFailing'>> {
  const found = await Promise.all(
    [...shared().folders, env().filesDir].map(async (folder) => {
      try {
        const { bavail, blocks, bsize } = await statfs(folder)
        return { free: bavail * bsize, total: blocks * bsize }
      } catch {
        // the folder of files is made with the first file
        return { free: 0, total: 0 }
      }
    }),
  )
  const known = found.filter(({ total }) => total > 0).toSorted((a, b) => a.free - b.free)
  const [least] = known
  const state = least ? stateOfDisk(least.free, least.total) : 'ok'
  shared().last = state
  return { state, free: least?.free ?? null }
}

/** Milliseconds for which a failed write says that the disk is full. */
const FAILING = 60_000

/** The state of the disks that hold the database and the files of records. */
export async function diskState(): Promise<Disk> {
  return { ...(await space()), isFailing: performance.now() - shared().failedAt < FAILING }
}

/** Whether users cannot save. */
export const isFull = ({ state, isFailing }: Disk) =>
  isFailing || state === 'reserve' || state === 'full'

/** Whether a file that grows in this folder would take the last space of the data directory's disk. */
export async function fillsOwnDisk(folder: string): Promise<boolean> {
  const [own, other] = await Promise.all([stat(env().dataDir), stat(folder)])
  if (own.dev !== other.dev) return false
  const { bavail, blocks, bsize } = await statfs(folder)
  const state = stateOfDisk(bavail * bsize, blocks * bsize)
  return state === 'reserve' || state === 'full'
}

/** The sentence of every way in. */
export const diskFullError = () => new AppError('unavailable', { key: 'errors.diskFull' })

/** The error to answer in place of a failure of the disk; undefined for other errors. */
export function explainDiskFailure(error: unknown): AppError | undefined {
  if (isDiskFailure(error)) {
    shared().failedAt = performance.now()
    return diskFullError()
  }
  // PostgreSQL ends when its log cannot grow, and starts again once there is space
  const { last } = shared()
  return (last === 'reserve' || last === 'full') && isLostConnection(error)
    ? diskFullError()
    : undefined
}

function isLostConnection(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return (
    /^(57P0[123]|08\w{3}|ECONNREFUSED|ECONNRESET)$/.test(String(code)) ||
    /Connection terminated/.test(String(message))
  )
}

/** Throws `unavailable` if the disk has no space for this write. `small`: reading needs it, such as a sign-in. */
export async function refuseOnFullDisk({ isSmall = false } = {}): Promise<void> {
  const { state } = await space()
  if (state === 'full' || (state === 'reserve' && !isSmall)) throw diskFullError()
}
