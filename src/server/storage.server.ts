import { accessSync, constants, existsSync } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Kysely } from 'kysely'
import { perProcess } from '~/db/per-process'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { refuseFileOnFullDisk } from './disk.server'
import { env } from './env'

/**
 * Files that belong to records: pictures, documents. On disk below the data directory, or in SANAD_FILES_DIR, the
 * directory of machines that share a database. A store that speaks S3 would keep the same three promises. Names
 * are chosen by us, like `photos/<id>.jpg`: never by the uploading client.
 */
export type Storage = {
  /** Whole or not at all: a power cut leaves the old file, or the new one. */
  put: (name: string, bytes: Uint8Array) => Promise<void>
  /** Null when there is no such file. */
  get: (name: string) => Promise<Uint8Array | null>
  remove: (name: string) => Promise<void>
  /** The names of all files, in no order. */
  list: () => AsyncGenerator<string>
}

export const storage = () => perProcess('storage', () => storageIn(env().filesDir))

const safeName = /^[a-z][a-z-]*\/[\da-f-]{36}\.[a-z]{2,5}$/

/** Throws a Refusal if the directory that was named is not mounted: files would go to the disk below it. */
export function checkFilesDir(): void {
  const { filesDir, isFilesDirNamed } = env()
  if (!isFilesDirNamed) return
  try {
    accessSync(filesDir, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw new Refusal(
      `SANAD_FILES_DIR (${filesDir}) does not exist, or user id ${process.getuid?.()} cannot read and write it. ` +
        'Mount the shared directory and give this user access.',
      { cause: error },
    )
  }
}

/** The files that records refer to, and how many of them this machine lacks. */
export type FilesState = { referenced: number; missing: number; folder: string }

/** Lists the whole folder: for the start and for administrators. */
export async function filesState(db: Kysely<DB>): Promise<FilesState> {
  const rows = await db.selectFrom('stored_files').select('name').execute()
  const present = new Set<string>()
  if (rows.length > 0) for await (const name of storage().list()) present.add(name)
  const missing = rows.filter(({ name }) => !present.has(name!)).length
  return { referenced: rows.length, missing, folder: env().filesDir }
}

/** What is wrong, and what to do. */
export const missingFiles = ({ referenced, missing, folder }: FilesState): string =>
  `${missing} of the ${referenced} files that records refer to are missing in ${folder}: ` +
  'if several machines use this database, name the directory that they share in SANAD_FILES_DIR.'

export function storageIn(folder: string): Storage {
  const storedPath = (name: string) => {
    if (!safeName.test(name)) throw new Error(`Not the name of a stored file: ${name}`)
    return join(folder, name)
  }
  return {
    async put(name, bytes) {
      const path = storedPath(name)
      await refuseFileOnFullDisk()
      // pictures of patients: no other user of the machine reads them
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${newId()}`
      try {
        const file = await open(draft, 'wx', 0o600)
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    get: (name) =>
      readFile(storedPath(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    remove: (name) => rm(storedPath(name), { force: true }),
    async *list() {
      if (!existsSync(folder)) return
      for await (const entry of await opendir(folder, { recursive: true })) {
        const name = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
        // what a power cut left half written has another name
        if (entry.isFile() && safeName.test(name)) yield name
      }
    },
  }
}
