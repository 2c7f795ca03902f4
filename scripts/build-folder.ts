import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder of the build that this process runs from, `dist/<fingerprint>` of scripts/sanad.mjs. It stays when a
 * newer build is made beside it.
 */
export const buildFolder = (): string => dirname(dirname(realpathSync(process.argv[1]!)))

/**
 * The folders with the browser's files of the builds of before: a browser that was open during an update still asks
 * for them.
 */
export function formerClients(own = buildFolder()): string[] {
  const dist = dirname(own)
  // a version before the folders of builds built into `dist` itself
  const names = readdirSync(dist).filter((name) => /^[\da-f]{16}$/.test(name))
  const others = [dist, ...names.map((name) => join(dist, name))]
  return others
    .filter((folder) => folder !== own && existsSync(join(folder, 'client')))
    .map((folder) => join(folder, 'client'))
}
