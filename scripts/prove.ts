import { command, WrongUsage } from './command'
import { attack } from './prove/attack'
import { backlog } from './prove/backlog'
import { browser } from './prove/browser'
import { cells } from './prove/cells'
import { days } from './prove/days'
import { duplicates } from './prove/duplicates'
import { exchange } from './prove/exchange'
import { fhir } from './prove/fhir'
import { hikmaProof } from './prove/hikma'
import { growth } from './prove/growth'
import { imports } from './prove/imports'
import { kill } from './prove/kill'
import { lists } from './prove/lists'
import { paper } from './prove/paper'
import { paths } from './prove/paths'
import { memory } from './prove/memory'
import { mutants } from './prove/mutants'
import { online } from './prove/online'
import { phones } from './prove/phones'
import type { Proof } from './prove/proof'
import { properties } from './prove/properties'
import { scale } from './prove/scale'
import { screens } from './prove/screens'
import { trails } from './prove/trails'
import { writtenForms } from './prove/written-forms'
import { writtenLists } from './prove/written-lists'

/** One line per proof: its name as it is typed, and what does it. */
const proofs: Record<string, Proof> = {
  attack,
  backlog,
  browser,
  cells,
  days,
  duplicates,
  exchange,
  fhir,
  hikma: hikmaProof,
  growth,
  imports,
  kill,
  lists,
  paper,
  paths,
  memory,
  mutants,
  phones,
  online,
  properties,
  scale,
  screens,
  trails,
  'written-forms': writtenForms,
  'written-lists': writtenLists,
}

const list = () =>
  Object.entries(proofs)
    .map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`)
    .join('\n')

await command({
  name: 'npm run prove',
  usage: '-- <proof> [options]',
  summary: 'Measures what tests are too short for, and compares it with what Sanad promises.',
  help: () => `${list()}

Exit codes: 0 the promise holds, 1 it does not, 2 wrong usage, 3 a program that the proof needs is
missing: its package is named.`,
  passOn: true,
  async run(_options, [name = '', ...args]) {
    const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined
    if (!proof)
      throw new WrongUsage(`${name ? `There is no proof "${name}".` : 'Which proof?'}\n${list()}`)
    process.exitCode = await proof.run(args)
  },
})
