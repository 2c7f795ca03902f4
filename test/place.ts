import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, hostname } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Containers that share the memory have process ids of their own: of another host nothing is known. */
const PREFIX = `sanad-tests-${hostname()}-`
/** A data directory has a hundred megabytes; ten tests at once have a few each. */
const ENOUGH = 8 * 1024 ** 3

/**
 * The data directories of a run, in memory where the machine has enough of it: no test is about a machine that loses
 * its power, and PostgreSQL waits for the disk at each commit. What a killed run left there is removed.
 */
export default function placeInMemory(): void {
  if (process.env['SANAD_TEST_PLACE'] || !existsSync(MEMORY)) return
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(PREFIX) && !isAlive(parseInt(name.slice(PREFIX.length), 10)))
      rmSync(join(MEMORY, name), { recursive: true, force: true })
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, freemem()) < ENOUGH) return
  const place = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`))
  // PostgreSQL may run as another user, who passes through
  chmodSync(place, 0o711)
  process.env['TMPDIR'] = process.env['SANAD_TEST_PLACE'] = place
  process.on('exit', () => {
    try {
      rmSync(place, { recursive: true, force: true })
    } catch {
      // a process that a failed test left writes there still: the next run removes it
    }
  })
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
