import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { perProcess } from '~/db/per-process'
import { refuseOnFullDisk } from './disk.server'
import { spoolSpace } from './spool-space.server'

/** A request's body in a temporary file, which has no name. */
export type SpooledBody = { file: FileHandle; length: number }

/** What is read in pieces: a spooled body, or one in memory. */
export type ReadableBody = {
  file: {
    read: (
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
    ) => Promise<{ bytesRead: number }>
  }
  length: number
}

export const bodyInMemory = (bytes: Buffer): ReadableBody => ({
  length: bytes.length,
  file: {
    read: async (buffer, offset, length, position) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  },
})

/** The header that names the body of a request; a sender's own is overwritten. */
const NAME = 'x-sanad-body'
const bodies = () => perProcess('spooled bodies', () => new Map<string, SpooledBody>())

export function findSpooledBody(request: Request): SpooledBody | undefined {
  return bodies().get(request.headers.get(NAME) ?? '')
}

/**
 * Writes the body of a request to a file and hands on a request that names it. `declared`: the
 * length in its header. Throws `too_many_requests` if there is no space, and an error with the code
 * `ERR_BODY_TOO_LARGE` if the body is longer than declared.
 */
export function withSpooledBody<R>(
  request: Request,
  user: string,
  declared: number,
  readFor: (work: () => Promise<SpooledBody>) => Promise<SpooledBody>,
  work: (request: Request) => Promise<R>,
): Promise<R> {
  const name = randomUUID()
  const parts = request.body as unknown as AsyncIterable<Uint8Array> // Node's are iterable
  return inFile(parts, user, declared, readFor, async (body) => {
    bodies().set(name, body)
    try {
      const { url, method, signal } = request
      const headers = new Headers(request.headers)
      headers.set(NAME, name)
      return await work(new Request(url, { method, headers, signal }))
    } finally {
      bodies().delete(name)
    }
  })
}

/** The same for the parts of a body, without a request: `work` gets the file. */
export async function inFile<R>(
  parts: AsyncIterable<Uint8Array>,
  user: string,
  declared: number,
  readFor: (work: () => Promise<SpooledBody>) => Promise<SpooledBody>,
  work: (body: SpooledBody) => Promise<R>,
): Promise<R> {
  await refuseOnFullDisk()
  const space = spoolSpace()
  space.take(user, declared)
  let file: FileHandle | undefined
  try {
    file = await space.file()
    const opened = file
    return await work(await readFor(() => receive(parts, opened, declared)))
  } finally {
    space.free(user, declared)
    await file?.close()
  }
}

async function receive(
  parts: AsyncIterable<Uint8Array>,
  file: FileHandle,
  declared: number,
): Promise<SpooledBody> {
  let length = 0
  for await (const part of parts) {
    if (length + part.length > declared)
      throw Object.assign(new Error('The body is longer than declared.'), {
        code: 'ERR_BODY_TOO_LARGE',
      })
    await file.write(part, 0, part.length, length)
    length += part.length
  }
  return { file, length }
}
