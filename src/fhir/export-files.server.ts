import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { env } from '~/server/env'
import { isId } from '~/shared/id'

/**
 * The files of bulk exports: below the directory of files, which machines that share a database share. They are no
 * records: no backup has them, and they are removed after a day.
 */
const folder = () => join(env().filesDir, 'fhir-exports')
const exportFolder = (id: string) => join(folder(), id)
const exportFilePath = (id: string, number: number) => join(exportFolder(id), `${number}.ndjson`)

/** The ids of the exports that have files. */
export async function exportFolders(): Promise<string[]> {
  const names = await readdir(folder()).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter(isId)
}

export const removeExport = (id: string) => rm(exportFolder(id), { recursive: true, force: true })

/** The content of a file; null when it is not there. */
export async function exportFile(id: string, number: number): Promise<ReadableStream | null> {
  const file = await open(exportFilePath(id, number)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!file) return null
  return Readable.toWeb(file.createReadStream()) as ReadableStream
}

/** `isDeleted`: Bundles that name deleted resources. */
export type ExportFile = { type: string; lines: number; isDeleted?: true }

/** Lines of one file at most. */
const MOST_LINES = 100_000

/** Writes the files of an export one after the other, each with the resources of one type. */
export async function fileWriter(id: string, mostLines = MOST_LINES) {
  await removeExport(id)
  await mkdir(exportFolder(id), { recursive: true, mode: 0o700 })
  const files: ExportFile[] = []
  let current: Awaited<ReturnType<typeof open>> | undefined
  async function close() {
    await current?.close()
    current = undefined
  }
  async function next(type: string, isDeleted: boolean) {
    await close()
    current = await open(exportFilePath(id, files.length), 'wx', 0o600)
    files.push({ type, lines: 0, ...(isDeleted && { isDeleted }) })
  }
  return {
    files: files as readonly ExportFile[],
    close,
    async write(type: string, lines: readonly string[], { isDeleted = false } = {}) {
      for (let from = 0; from < lines.length;) {
        let file = files.at(-1)
        if (!current || file?.type !== type || file.lines >= mostLines) await next(type, isDeleted)
        file = files.at(-1)!
        const part = lines.slice(from, from + mostLines - file.lines)
        await current!.writeFile(`${part.join('\n')}\n`)
        file.lines += part.length
        from += part.length
      }
    },
  }
}
