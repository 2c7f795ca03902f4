import { existsSync } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { perProcess } from '~/db/per-process'
import { newId } from '~/shared/id'
import { env } from './env'

/**
 * Files that belong to records: pictures, documents. On disk below the data directory; a store that
 * speaks S3 would keep the same three promises. Names are chosen by us, like `photos/<id>.jpg`:
 * never by the uploading client.
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

export const storage = () => perProcess('storage', () => storageIn(join(env().dataDir, 'files')))

const safeName = /^[a-z][a-z-]*\/[\da-f-]{36}\.[a-z]{2,5}$/

export function storageIn(folder: string): Storage {
  const pathOf = (name: string) => {
    if (!safeName.test(name)) throw new Error(`Not the name of a stored file: ${name}`)
    return join(folder, name)
  }
  return {
    async put(name, bytes) {
      const path = pathOf(name)
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
      readFile(pathOf(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    remove: (name) => rm(pathOf(name), { force: true }),
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
