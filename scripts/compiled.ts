import { existsSync, readdirSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { env } from '~/server/env'
import { buildFolder } from './build-folder'

/**
 * Keeps what V8 compiles of the server in the data directory, which only the server's user can write, so that the
 * next start need not compile it again. Of an earlier build nothing is kept. The first start makes the folder around
 * it.
 */
export function keepCompiled(): void {
  if (process.argv.includes('--demo')) return
  try {
    const run = resolve(env().dataDir, 'run')
    if (!existsSync(run)) return
    const all = join(run, 'compiled')
    const build = basename(buildFolder())
    for (const other of existsSync(all) ? readdirSync(all) : [])
      if (other !== build) rmSync(join(all, other), { recursive: true, force: true })
    enableCompileCache(join(all, build))
  } catch {
    // without the cache a start is slower and no less right; it refuses wrong settings itself
  }
}
