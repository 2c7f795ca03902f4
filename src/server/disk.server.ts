import { stat, statfs } from 'node:fs/promises'
import { asObject } from '~/shared/object'
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
type DiskState = 'ok' | 'low' | 'reserve' | 'full'

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
  /** Of the database. Always `ok` if it is on another machine: its disk shows by failed writes. */
  database: DiskState
  /** Of the files of records: photos, documents. */
  files: DiskState
  /** Bytes, of the fuller of the two. Null if the file system does not say. */
  free: number | null
  /** A write failed within the last minute, wherever the database is. */
  isFailing: boolean
}

const shared = () =>
  perProcess('disk', () => ({
    databaseFolder: undefined as string | undefined,
    failedAt: -Infinity,
    last: 'ok' as DiskState,
  }))

/** Called when the database itself is in this folder. */
export function watchDisk(folder: string) {
  shared().databaseFolder = folder
}

/** Milliseconds. However many write, the file systems are asked once in that time. */
const FRESH = 1_000
const space = () => perProcess('disk space', () => recent(readSpace, FRESH))()

async function readSpace(): Promise<Omit<Disk, 'isFailing'>> {
  const { databaseFolder } = shared()
  const [database, files] = await Promise.all([
    databaseFolder === undefined ? UNKNOWN : spaceIn(databaseFolder),
    spaceIn(env().filesDir),
  ])
  const known = [database, files].filter(({ total }) => total > 0).map(({ free }) => free)
  const state = stateOfDisk(database.free, database.total)
  shared().last = state
  return {
    database: state,
    files: stateOfDisk(files.free, files.total),
    free: known.toSorted((a, b) => a - b)[0] ?? null,
  }
}

const UNKNOWN = { free: 0, total: 0 }

async function spaceIn(folder: string): Promise<{ free: number; total: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch {
    // the folder of files is made with the first file
    return UNKNOWN
  }
}

/** Milliseconds for which a failed write says that the disk is full. */
const FAILING = 60_000

/** The state of the disks that hold the database and the files of records. */
export async function diskState(): Promise<Disk> {
  return { ...(await space()), isFailing: performance.now() - shared().failedAt < FAILING }
}

const isScarce = (state: DiskState) => state === 'reserve' || state === 'full'

/** Whether users cannot save. */
export const isDiskFull = ({ database, isFailing }: Disk) => isFailing || isScarce(database)

/** Whether administrators have to act. */
export const isLow = (disk: Disk) =>
  disk.database !== 'ok' || disk.files !== 'ok' || isDiskFull(disk)

/** Whether a file that grows in this folder would take the last space of the data directory's disk. */
export async function fillsOwnDisk(folder: string): Promise<boolean> {
  const [own, other] = await Promise.all(
    // neither needs to be there: another server may hold the database, and a missing folder fails by itself
    [env().dataDir, folder].map((path) => stat(path).catch(() => null)),
  )
  if (!own || !other || own.dev !== other.dev) return false
  const { bavail, blocks, bsize } = await statfs(folder)
  return isScarce(stateOfDisk(bavail * bsize, blocks * bsize))
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
  return isScarce(shared().last) && isLostConnection(error) ? diskFullError() : undefined
}

export function isLostConnection(error: unknown): boolean {
  const { code, message } = asObject(error)
  return (
    /^(57P0[123]|08\w{3}|ECONNREFUSED|ECONNRESET)$/.test(String(code)) ||
    /Connection terminated|is not queryable/.test(String(message))
  )
}

/** Throws `unavailable` if the disk has no space for this write. `isSmall`: reading needs it, such as a sign-in. */
export async function refuseOnFullDisk({ isSmall = false } = {}): Promise<void> {
  const { database } = await space()
  if (database === 'full' || (database === 'reserve' && !isSmall)) throw diskFullError()
}

/** The same for a file of a record. */
export async function refuseFileOnFullDisk(): Promise<void> {
  const { database, files } = await space()
  if (isScarce(database) || isScarce(files)) throw diskFullError()
}
