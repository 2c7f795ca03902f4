import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { WrongUsage, command } from './command'
import { withDatabase } from './database'

export type AdminTask = { summary: string; run: (ctx: { db: Kysely<DB> }, args: string[]) => Promise<void> }

/** One line per task: its name as it is typed, and a function. */
const tasks: Record<string, AdminTask> = {}

const list = () =>
  Object.entries(tasks)
    .map(([name, { summary }]) => `  ${name.padEnd(24)}${summary}`)
    .join('\n')

await command({
  name: 'npm run admin',
  usage: '-- <task> [arguments]',
  summary: 'Works on accounts without a browser, whether Sanad runs or not.',
  help: list,
  passOn: true,
  async run(_options, [name = '', ...args]) {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
    if (!task) throw new WrongUsage(`${name ? `There is no task "${name}".` : 'Which task?'}\n${list()}`.trimEnd())
    await withDatabase((db) => task.run({ db }, args))
  },
})
