import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './error-code'
import { Refusal, diskFull, saysDiskFull } from './refusal'

export type DataDirectory = {
  path: string
  /** PostgreSQL's own directory, owned by the user that it runs as. */
  cluster: string
  /** What only matters while something runs. */
  run: string
}

/** Who has the data directory. */
type Holder = { pid: number; is: 'server' | 'command'; url?: string; stopping?: boolean }

/** The data directory, made if it is missing. */
export function openDataDirectory(path: string): DataDirectory {
  const directory = {
    path: resolve(path),
    cluster: resolve(path, 'postgres'),
    run: resolve(path, 'run'),
  }
  return writing(directory.path, () => {
    if (!existsSync(directory.path)) {
      // As root, PostgreSQL's own user must be able to pass through; what lies beside its directory is closed to it.
      mkdirSync(directory.path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    }
    mkdirSync(directory.run, { recursive: true, mode: 0o700 })
    return directory
  })
}

/**
 * Takes the data directory for this process; the operating system gives it back when the process ends, however it ends.
 * Node has no flock, but SQLite's lock is the same thing: of the kernel, and free of races and of stale files.
 * Returns undefined when another process has it.
 */
export function takeDataDirectory(
  directory: DataDirectory,
  holder: Holder,
): { release(): void } | undefined {
  return writing(directory.path, () => {
    const file = join(directory.run, 'lock')
    let lock: DatabaseSync | undefined
    try {
      lock = new DatabaseSync(file)
      lock.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive')
    } catch (error) {
      lock?.close()
      const { errcode } = error as { errcode?: number }
      if (errcode === 5) return undefined
      throw Object.assign(error as Error, { code: errcode === 13 ? 'ENOSPC' : 'EACCES' })
    }
    chmodSync(file, 0o600)
    describeHolder(directory, holder)
    return { release: () => lock.close() }
  })
}

/** As `takeDataDirectory`, but waits for a holder that is about to go: a command, or a server that is stopping. */
export async function waitForDataDirectory(
  directory: DataDirectory,
  holder: Holder,
  patience = 30_000,
) {
  const start = Date.now()
  for (;;) {
    const lock = takeDataDirectory(directory, holder)
    if (lock) return lock
    const other = readHolder(directory)
    // A server whose npm was killed notices within a moment; only then is "already running" true to stay.
    const leaving = !other || other.is === 'command' || other.stopping
    if (Date.now() - start > (leaving ? patience : 1_500)) return undefined
    await sleep(100)
  }
}

export const describeHolder = (directory: DataDirectory, holder: Holder) =>
  writeState(join(directory.run, 'holder.json'), holder)
const readHolder = (directory: DataDirectory) =>
  readState(join(directory.run, 'holder.json')) as Holder | undefined

export const alreadyRunning = (directory: DataDirectory, holder = readHolder(directory)) =>
  new Refusal(
    `Sanad is already running on the data directory ${directory.path}` +
      `${holder ? ` (process ${holder.pid}${holder.url ? `, ${holder.url}` : ''})` : ''}: ` +
      'stop it first, or set SANAD_DATA_DIR to another directory.',
  )

/** Written whole or not at all, and readable by its owner only. */
export function writeState(file: string, value: unknown) {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** What `writeState` wrote; undefined when it is missing or torn. */
export function readState(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function writing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = errorCode(error)
    if (saysDiskFull(code)) throw diskFull(path)
    if (/^E(ACCES|PERM|ROFS|NOTDIR|EXIST|LOOP|NAMETOOLONG|ISDIR)$/.test(code)) {
      throw new Refusal(
        `The data directory ${path} cannot be written (${why[code] ?? code}): choose another with SANAD_DATA_DIR` +
          `${ownerHint(path)}.`,
        {
          cause: error,
        },
      )
    }
    throw error
  }
}

/** A start as root leaves a directory of the user that PostgreSQL runs as. */
function ownerHint(path: string): string {
  const owner = existsSync(path) ? statSync(path).uid : undefined
  const own = process.getuid?.()
  return owner === undefined || owner === own
    ? ''
    : `, or start Sanad as its owner, user id ${owner} (this is user id ${own})`
}

const why: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it, or a folder above it, is a file',
  EEXIST: 'it, or a folder above it, is a file',
}

/** PostgreSQL writes 16 MB before it starts. */
const NEEDED = 24 * 1024 ** 2

/** Whether the disk of the data directory has no space for a start. PostgreSQL's own log is empty then. */
export function isDataDirectoryFull({ path }: DataDirectory): boolean {
  const { bavail, blocks, bsize } = statfsSync(path)
  return blocks > 0 && bavail * bsize < NEEDED
}
