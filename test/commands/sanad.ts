import { existsSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import { isAlive, postgresPid, type Sanad, type Start, startSanad, until } from './server'

export * from './server'

/** Whatever happens in a test, no process and no folder of it outlives it. */
export const test = base
  // first, so that it is cleaned up last: processes write in these directories until they end
  .extend('temporaryDirectory', async ({}, { onCleanup }) => {
    const made: string[] = []
    onCleanup(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))
    return () => {
      const path = mkdtempSync(join(tmpdir(), 'sanad-command-'))
      made.push(path)
      return path
    }
  })
  .extend('start', async ({ temporaryDirectory: _ }, { onCleanup }) => {
    const started: Sanad[] = []
    const directories = new Set<string>()
    onCleanup(async () => {
      for (const { child } of started) child.kill('SIGTERM')
      const stuck = []
      for (const one of started) if (!(await ends(one))) stuck.push(one.child.spawnargs.join(' '))
      // of a server that was killed
      for (const directory of directories) await stopPostgres(directory)
      if (stuck.length) throw new Error(`Did not end, and was killed: ${stuck.join(', ')}`)
    })
    const start: Start = (settings, options) => {
      const sanad = startSanad(settings, options)
      started.push(sanad)
      const { SANAD_DATA_DIR: directory } = settings
      if (directory) directories.add(directory)
      return sanad
    }
    return start
  })

/** Whether a process ends that was told to. One that does not is killed: all other tests would wait for it. */
async function ends({ child, exit }: Sanad): Promise<boolean> {
  let patience: NodeJS.Timeout | undefined
  const isLate = new Promise<boolean>((resolve) => {
    patience = setTimeout(resolve, 120_000, true)
  })
  const hasEnded = !(await Promise.race([exit.then(() => false), isLate]))
  clearTimeout(patience)
  if (!hasEnded) child.kill('SIGKILL')
  await exit
  return hasEnded
}

/** Ends the PostgreSQL that runs on the data directory, if any. */
async function stopPostgres(dataDir: string) {
  if (!existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) return
  const pid = postgresPid(dataDir)
  try {
    // the number may be of another program
    if (readlinkSync(`/proc/${pid}/cwd`) !== join(dataDir, 'postgres')) return
    process.kill(pid, 'SIGQUIT')
  } catch {
    return
  }
  await until(() => !isAlive(pid))
}
