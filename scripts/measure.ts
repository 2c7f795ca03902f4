import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, WrongUsage } from './command'
import { figuresOf, type Tree } from './measure/measures'

await command({
  name: 'npm run measure',
  usage: '-- [options]',
  summary: 'Counts what the structure of the sources is judged by, each figure with its goal.',
  options: { json: { type: 'boolean' }, rules: { type: 'boolean' }, tree: { type: 'string' } },
  help: () => `  --json    figures for programs
  --rules   how each figure is counted
  --tree    the folder of another checkout to measure`,
  async run({ json, rules, tree = '.' }) {
    if (!existsSync(join(tree, 'src'))) throw new WrongUsage(`There is no src in ${tree}.`)
    const figures = figuresOf(read(tree))
    if (json) return void process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
    const widest = Math.max(...figures.map(({ measure }) => measure.length))
    for (const { measure, figure, goal, rule } of figures) {
      process.stdout.write(`${measure.padEnd(widest)}  ${figure}  (goal ${goal})\n`)
      if (rules) process.stdout.write(`    ${rule}\n`)
    }
  },
})

function read(root: string): Tree {
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
