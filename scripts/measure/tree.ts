import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './measures'

/** What the linter names by the rules of `lint.json`, in the product's sources. */
function complaintsAt(root: string): Tree['complaints'] {
  const { stdout } = spawnSync(
    join('node_modules', '.bin', 'oxlint'),
    ['-c', 'scripts/measure/lint.json', '--format', 'json', join(root, 'src')],
    { encoding: 'utf8', maxBuffer: Infinity },
  )
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string }[]
  }
  return diagnostics.map(({ code, filename }) => ({ rule: code, path: filename }))
}

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
    complaints: complaintsAt(root),
    subjects: log.status === 0 ? log.stdout.trimEnd().split('\n') : [],
  }
}
