import { parseArgs } from 'node:util'
import { Refusal } from '~/db/refusal'
import { AppError } from '~/shared/errors'
import { sentence } from '~/shared/sentence'
import { backupTasks } from './admin-backup'
import { certificateTasks } from './admin-certificate'
import { peopleTasks } from './admin-people'
import { sessionTasks } from './admin-sessions'
import type { AdminTask, TaskValues } from './admin-task'
import { trailTasks } from './admin-trail'
import { command, parsed, WrongUsage } from './command'
import { withDatabase } from './database'

/** One file per group of tasks; each task by its name as it is typed. */
const tasks: Record<string, AdminTask> = {
  ...peopleTasks,
  ...sessionTasks,
  ...certificateTasks,
  ...trailTasks,
  ...backupTasks,
}

const list = () =>
  [
    ...Object.entries(tasks).map(([name, { summary }]) => `  ${name.padEnd(22)}${summary}`),
    '',
    'What a task takes: npm run admin -- <task> --help',
  ].join('\n')

await command({
  name: 'npm run admin',
  usage: '-- <task> [options]',
  summary:
    'Works on accounts, certificates and the audit trail without a browser, whether Sanad runs or not.',
  help: list,
  passOn: true,
  async run(_options, [name = '', ...args]) {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
    if (!task)
      throw new WrongUsage(`${name ? `There is no task "${name}".` : 'Which task?'}\n${list()}`)
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(formatTaskHelp(name, task))
      return
    }
    const values = parseTaskArgs(task, args)
    await withDatabase((db, url) => task.run(db, values, url), task).catch((error: unknown) => {
      throw error instanceof AppError ? inWords(error) : error
    })
  },
})

function parseTaskArgs({ flags, positional }: AdminTask, args: string[]): TaskValues {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type }]) => [name, { type }]),
  )
  const { values, positionals } = parsed(() =>
    parseArgs({ args, options, strict: true, allowPositionals: Boolean(positional) }),
  )
  if (positional && positionals.length !== 1) throw new WrongUsage(`Name one ${positional}.`)
  const missing = Object.keys(flags).filter((name) => flags[name]!.required && !values[name])
  if (missing.length)
    throw new WrongUsage(`Missing: ${missing.map((name) => `--${name}`).join(', ')}`)
  return positional ? { ...values, [positional]: positionals[0] } : values
}

function formatTaskHelp(name: string, { summary, flags, positional }: AdminTask): string {
  const lines = Object.entries(flags).map(([flag, { type, help, required }]) => {
    const written = `--${flag}${type === 'string' ? ' <value>' : ''}`
    return `  ${written.padEnd(22)}${help}${required ? ' (required)' : ''}`
  })
  const usage = `npm run admin -- ${name}${positional ? ` <${positional}>` : ''}`
  return [usage, '', summary, '', ...lines, ''].join('\n')
}

/** What an operation refused, as a screen would say it. */
function inWords({ text, fields }: AppError): Refusal {
  const details = Object.entries(fields).map(
    ([name, field]) => `  ${name}: ${sentence('en', field)}`,
  )
  return new Refusal([sentence('en', text), ...details].join('\n'))
}
