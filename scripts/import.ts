import { WrongUsage, command } from './command'
import type { ImportKind } from './import/kind'
import { hikmaImport } from './import/hikma'
import { listKinds } from './import/lists'
import { patientsImport } from './import/patients'
import { synthea } from './import/synthea'

/** One line per kind of data: its name as it is typed, and what does it. */
const kinds: Record<string, ImportKind> = {
  patients: patientsImport,
  ...listKinds,
  hikma: hikmaImport,
  synthea,
}

const list = () =>
  Object.entries(kinds)
    .map(([name, { usage, summary }]) => `  ${name} ${usage}\n      ${summary}`)
    .join('\n')

await command({
  name: 'npm run import',
  usage: '-- <kind> [arguments]',
  summary:
    'Brings data in, whether Sanad runs or not. It may be repeated: what is here already is never changed.',
  help: list,
  passOn: true,
  async run(_options, [name = '', ...args]) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (!kind)
      throw new WrongUsage(
        `${name ? `There is no kind "${name}".` : 'Which kind?'}\n${list()}`.trimEnd(),
      )
    await kind.run(name, args)
  },
})
