import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './measures'

/** The sources of a checkout, and the subjects of its commits: none if it is not a git repository. */
export function treeAt(root: string): Tree {
  const paths = globSync('{src,test,scripts}/**/*.{ts,tsx,sql}', {
    cwd: root,
    exclude: ['**/fixtures/**'],
  })
  const log = spawnSync('git', ['log', '--format=%s'], {
    cwd: root,
    encoding: 'utf8',
    // by default, a history of more than 1 MB is read as none
    maxBuffer: Infinity,
  })
  return {
    files: paths.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    subjects: log.status === 0 ? log.stdout.trimEnd().split('\n') : [],
  }
}
