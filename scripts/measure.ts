import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '~/db/refusal'
import { command, WrongUsage } from './command'
import { LIMITS_FILE, lowered, recordedLimits, worseThan } from './measure/limits'
import { measureTree, unusedExports } from './measure/measures'
import { treeAt } from './measure/tree'

await command({
  name: 'npm run measure',
  usage: '-- [options]',
  summary:
    'Counts what the structure of the sources is judged by. Fails if a figure is worse than its limit.',
  options: {
    json: { type: 'boolean' },
    rules: { type: 'boolean' },
    lower: { type: 'boolean' },
    tree: { type: 'string' },
  },
  help: () => `  --json    figures for programs
  --rules   how each figure is counted, and the names of unused exports
  --lower   lowers the limits in ${LIMITS_FILE} to the figures that became better
  --tree    the folder of another checkout to measure, without limits`,
  async run({ json, rules, lower, tree: root = '.' }) {
    if (!existsSync(join(root, 'src'))) throw new WrongUsage(`There is no src in ${root}.`)
    const tree = treeAt(root)
    const figures = measureTree(tree)
    if (json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
    else print(figures, rules)
    if (rules) process.stdout.write(`\nUnused exports:\n${unusedExports(tree).join('\n')}\n`)
    if (root !== '.') return
    const limits = recordedLimits()
    if (lower) {
      const next = lowered(limits, figures)
      const lines = Object.entries(next).map(
        ([measure, numbers]) => `  ${JSON.stringify(measure)}: [${numbers.join(', ')}]`,
      )
      writeFileSync(LIMITS_FILE, `{\n${lines.join(',\n')}\n}\n`)
    }
    const worse = worseThan(lower ? recordedLimits() : limits, figures)
    if (worse.length > 0) throw new Refusal(`Worse than its limit:\n${worse.join('\n')}`)
  },
})

function print(figures: ReturnType<typeof measureTree>, withRules?: boolean) {
  const widest = Math.max(...figures.map(({ measure }) => measure.length))
  for (const { measure, figure, goal, rule } of figures) {
    process.stdout.write(`${measure.padEnd(widest)}  ${figure}  (goal ${goal})\n`)
    if (withRules) process.stdout.write(`    ${rule}\n`)
  }
}
