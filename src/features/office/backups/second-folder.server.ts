import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import { errorCode } from '~/db/error-code'
import { perProcess } from '~/db/per-process'
import { syncFolder } from '~/server/backup.server'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'

/**
 * Marks a chosen disk. If the disk is not mounted, the folder of the same name on the system's disk is empty, without
 * this file.
 */
export const MARKER = 'sanad-backups.txt'

/** Bytes in memory. */
const PIECE = 1024 * 1024

const isCopy = (name: string) => /^sanad-\d{4}-\d{2}-\d{2}-\d{4}\.backup$/.test(name)

/** Why the folder cannot hold copies. */
export class FolderProblem extends Error {
  constructor(readonly text: Message) {
    super(text.key)
    this.name = 'FolderProblem'
  }
}
const problem = (key: MessageKey, values: Message['values']) => new FolderProblem({ key, values })

/**
 * Checks a folder that a user chose, and marks it with `id`. Returns whether it is on the disk of one of `ours`, the
 * folders of Sanad. Throws a FolderProblem.
 */
export async function chooseFolder(folder: string, id: string, ours: string[]): Promise<boolean> {
  if (!isAbsolute(folder)) throw problem('copies.notAbsolute', { folder })
  return onDisk('choose', folder, async () => {
    await isFolder(folder)
    const real = await realpath(folder)
    const application = await realpath(process.cwd())
    const forbidden = [application]
    for (const path of ours) forbidden.push(await realpath(path).catch(() => path))
    const isOurs = forbidden.some((path) => `${real}${sep}`.startsWith(`${path}${sep}`))
    if (isOurs) throw problem('copies.ownFolder', { folder })
    const marked = await idIn(folder)
    if (marked && marked !== id) throw problem('copies.otherSanad', { folder })
    if (!marked) await mark(folder, id)
    return isOnSameDisk(folder, ours)
  })
}

type Copying = {
  /** Name of the file in the folder of the backups. */
  name: string
  from: string
  folder: string
  id: string
  /** How many copies are kept, the new one included. */
  kept: number
  ours: string[]
  signal?: AbortSignal
}

/**
 * Copies a backup, unless its copy is there. The copy gets its name after it was read back and equals the backup; then
 * the oldest beyond `kept` are removed. Throws a FolderProblem.
 */
export const copyBackup = ({ name, from, folder, id, kept, ours, signal }: Copying) =>
  onDisk('copy', folder, async (alive) => {
    const marked = await idIn(folder)
    if (marked !== id)
      throw problem(marked ? 'copies.otherDisk' : 'copies.noDisk', { folder, marker: MARKER })
    const source = join(from, name)
    const { size } = await stat(source).catch(() => {
      throw problem('copies.noBackup', { name })
    })
    const target = join(folder, name)
    const isCopied = (await fileSize(target)) === size
    if (!isCopied) {
      await removeUnfinished(folder)
      await copyFile(source, target, alive, signal)
    }
    await prune(folder, name, kept)
    return { bytes: size, isCopied: !isCopied, isSameDisk: await isOnSameDisk(folder, ours) }
  })

/** Milliseconds without any progress, after which a disk is not responding. */
const PATIENCE_MS = 60_000

/**
 * Runs a task on the second folder. A network mount whose server is away can block a call for ever: the caller then
 * gets a FolderProblem, and no other task of that kind is started before the call has ended.
 */
async function onDisk<R>(
  kind: 'choose' | 'copy',
  folder: string,
  work: (alive: () => void) => Promise<R>,
): Promise<R> {
  const blocked = perProcess('second backup folder', () => new Set<string>())
  if (blocked.has(kind)) throw problem('copies.notResponding', { folder })
  blocked.add(kind)
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  const silence = new Promise<never>((_, reject) => {
    giveUp = () => reject(problem('copies.notResponding', { folder }))
  })
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, PATIENCE_MS).unref()
  }
  alive()
  const done = work(alive).finally(() => {
    clearTimeout(timer)
    blocked.delete(kind)
  })
  try {
    return await Promise.race([done, silence])
  } catch (error) {
    throw error instanceof FolderProblem ? error : (diskProblem(error, folder) ?? error)
  }
}

const PROBLEMS: Record<string, MessageKey> = {
  ENOENT: 'copies.noDisk',
  ENOTDIR: 'copies.noDisk',
  EROFS: 'copies.readOnly',
  EACCES: 'copies.forbidden',
  EPERM: 'copies.forbidden',
  ENOSPC: 'copies.full',
  EDQUOT: 'copies.full',
  EFBIG: 'copies.tooLarge',
}

/** Undefined for an error that is not of the disk. */
function diskProblem(error: unknown, folder: string): FolderProblem | undefined {
  const code = errorCode(error)
  if (!/^E[A-Z]+$/.test(code)) return undefined
  return problem(PROBLEMS[code] ?? 'copies.diskError', { folder, code, marker: MARKER })
}

async function isFolder(folder: string) {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!found?.isDirectory()) throw problem('copies.noSuchFolder', { folder })
}

/** Null without a marker. */
async function idIn(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, MARKER), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
      throw error
    },
  )
  return /^Sanad ([\da-f-]{36})\s/.exec(text)?.[1] ?? null
}

const mark = (folder: string, id: string) =>
  writeFile(
    join(folder, MARKER),
    `Sanad ${id}\nSanad copies its backups to this folder. Do not delete this file: without it, no copies are made.\n`,
    { flush: true },
  )

async function isOnSameDisk(folder: string, ours: string[]): Promise<boolean> {
  const { dev } = await stat(folder)
  for (const path of ours) if ((await stat(path).catch(() => undefined))?.dev === dev) return true
  return false
}

const fileSize = async (path: string) =>
  (
    await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  )?.size

/** Left by a killed process: one process copies at a time. */
async function removeUnfinished(folder: string) {
  for (const name of await readdir(folder))
    if (name.endsWith('.unfinished') && isCopy(name.slice(0, -'.unfinished'.length)))
      await rm(join(folder, name), { force: true })
}

async function copyFile(source: string, target: string, alive: () => void, signal?: AbortSignal) {
  const draft = `${target}.unfinished`
  try {
    const file = await open(draft, 'w', 0o600)
    let written: string
    try {
      written = await hashFile(source, signal, async (piece) => {
        await file.writeFile(piece)
        alive()
      })
      await file.sync()
    } finally {
      await file.close()
    }
    alive()
    const readBack = await hashFile(draft, signal, alive)
    if (readBack !== written) throw problem('copies.differs', { name: basename(target) })
    await rename(draft, target)
    await syncFolder(dirname(target))
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/** SHA-256 of a file; `each` gets every piece before the next is read. */
async function hashFile(
  path: string,
  signal: AbortSignal | undefined,
  each: (piece: Buffer) => Promise<void> | void,
): Promise<string> {
  const hash = createHash('sha256')
  const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: PIECE })
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    hash.update(piece)
    await each(piece)
  }
  return hash.digest('hex')
}

/** Keeps the newest by their names, which are their times, and in any case the one that was just copied. */
async function prune(folder: string, copied: string, kept: number) {
  const others = (await readdir(folder)).filter((name) => isCopy(name) && name !== copied)
  for (const name of others
    .toSorted()
    .toReversed()
    .slice(kept - 1))
    await rm(join(folder, name), { force: true })
}
