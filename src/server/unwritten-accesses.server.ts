import { openSync, readFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { perProcess } from '~/db/per-process'
import { env } from './env'
import { log } from './log'

/** Characters of the number. */
const WIDTH = 12

const file = () =>
  perProcess('unwritten accesses', () => ({
    handle: null as number | null,
    count: -1,
  }))
const pathOfFile = () => resolve(env().dataDir, 'unwritten-accesses')

/**
 * Returns how many entries of the access log the previous process had in memory when it ended on a full disk, and
 * reserves the bytes of the file: on a full disk, only bytes that exist can be written.
 */
export function openUnwritten(): number {
  const path = pathOfFile()
  const before = Number(readTextOrEmpty(path)) || 0
  try {
    file().handle = openSync(path, before > 0 ? 'r+' : 'w', 0o600)
    countUnwritten(before)
  } catch (error) {
    log.warn({ err: error }, 'the number of unwritten accesses cannot be stored')
  }
  return before
}

/** Stores the number, in place. */
export function countUnwritten(count: number) {
  const known = file()
  if (known.handle === null || known.count === count) return
  writeSync(known.handle, String(count).padStart(WIDTH), 0)
  known.count = count
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
