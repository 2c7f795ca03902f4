import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDataDirectory, takeDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'

/** What the name of each demo's data directory begins with. */
export const PREFIX = 'sanad-demo-'

/** Removes what demos left behind that were killed, with a PostgreSQL that may still run there. */
export async function forgetDemos(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(tmpdir(), name)
    // without this file it is only just being made
    if (!existsSync(join(path, 'run', 'holder.json'))) continue
    const directory = openDataDirectory(path)
    const lock = takeDataDirectory(directory, { pid: process.pid, is: 'command' })
    if (!lock) continue
    try {
      // starting there stops what the killed one left running
      if (existsSync(directory.cluster)) await (await startEmbedded(directory)).stop()
    } finally {
      lock.release()
      rmSync(path, { recursive: true, force: true })
    }
  }
}
