import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Limits } from './limits'
import type { Tree } from './measures'

export function treeAt(root: string): Tree {
  const paths = globSync('{src,test,scripts}/**/*.{ts,tsx,sql}', {
    cwd: root,
    exclude: ['**/fixtures/**'],
  })
  const log = spawnSync('git', ['log', '--format=%s'], { cwd: root, encoding: 'utf8' })
  return {
    files: paths.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    // without git there are no commits to count
    subjects: log.status === 0 ? log.stdout.trimEnd().split('\n') : [],
  }
}

export const LIMITS_FILE = 'scripts/measure/limits.json'
export const recordedLimits = () => JSON.parse(readFileSync(LIMITS_FILE, 'utf8')) as Limits
